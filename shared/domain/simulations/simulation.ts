import type { Bank } from '../values/bank.ts';
import { addDays, type Day } from '../values/clock.ts';
import type { Cpf } from '../values/cpf.ts';
import type { LeadId, OpportunityId } from '../values/ids.ts';
import type { Centavos } from '../values/money.ts';
import type { Instant } from '../values/time.ts';

export const AMORTIZATION_SYSTEMS = ['SAC', 'PRICE'] as const;
export type AmortizationSystem = (typeof AMORTIZATION_SYSTEMS)[number];
export const PRODUCTS = ['SFH', 'SFI', 'HOME_EQUITY'] as const;
export type Product = (typeof PRODUCTS)[number];
export const INDEXERS = ['TR', 'IPCA', 'POUPANCA', 'PREFIXADO'] as const;
export type Indexer = (typeof INDEXERS)[number];

/**
 * Groups of customers for which banks publish rates: `padrao` is the ordinary branch customer, the others have
 * higher incomes.
 */
export const SEGMENTS = ['padrao', 'intermediario', 'alta_renda'] as const;
export type Segment = (typeof SEGMENTS)[number];
/**
 * Kinds of published rates: the lowest advertised rate, a segment's own rate, an average of contracts, a temporary
 * rate.
 */
export const RATE_KINDS = ['a_partir_de', 'segmento', 'media', 'promocional'] as const;
export type RateKind = (typeof RATE_KINDS)[number];
/** Uses of a property. */
export const PURPOSES = ['residencial', 'comercial'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A second proponent of the loan. */
export interface SecondBorrower {
  /** Income per month. */
  readonly income: Centavos;
  readonly birthDate: Day;
  /**
   * Part of the insured balance, in percent above 0 and below 100 with at most 2 decimals. Undefined: it follows from
   * the incomes.
   */
  readonly share?: number | undefined;
}

/** Conditions of the law for a buyer who pays with FGTS (Lei 8.036/1990, art. 20; Manual da Moradia Própria). */
export const FGTS_CONDITIONS = ['threeYears', 'noSfhLoan', 'noPropertyInTown', 'ownHome'] as const;
export type FgtsCondition = (typeof FGTS_CONDITIONS)[number];

/**
 * Part of the price that the buyer's FGTS pays. For each condition: whether the buyer attests it, or undefined if
 * unknown.
 */
export type FgtsWish = { readonly value: Centavos } & { readonly [condition in FgtsCondition]?: boolean | undefined };

/**
 * Request of a partner to every bank. Each bank fills in the fields that are undefined
 * (shared/contract/README.md#simulations, rule 5).
 */
export interface QuoteRequest {
  readonly propertyValue?: Centavos | undefined;
  /** Without expenses. */
  readonly financedValue?: Centavos | undefined;
  /** In months. */
  readonly term?: number | undefined;
  /** Monthly income of the first proponent: from the request, otherwise from the lead. */
  readonly income?: Centavos | undefined;
  /** SAC if undefined. */
  readonly system?: AmortizationSystem | undefined;
  /** Whether to finance ITBI (transfer tax) and registration too, at banks that do so. */
  readonly financeExpenses: boolean;
  /** Birth date of the first proponent. If undefined, the age is taken as 35. */
  readonly birthDate?: Day | undefined;
  /** `padrao` if undefined. */
  readonly segment?: Segment | undefined;
  readonly secondBorrower?: SecondBorrower | undefined;
  readonly fgts?: FgtsWish | undefined;
  /** `residencial` if undefined. */
  readonly purpose?: Purpose | undefined;
  /** State (UF) of the property, in two capital letters. */
  readonly state?: string | undefined;
  /** Age limit of a published rate in days: a bank with an older rate makes no offer. Undefined: no rate is too old. */
  readonly rateDays?: number | undefined;
  /** Whether a bank offers even if its rate is older than `rateDays`, as in the sandbox. */
  readonly offersOldRates?: boolean | undefined;
  /** Day of the simulation in America/Sao_Paulo. */
  readonly contractDay: Day;
}

/** Whether a request has something from which a quote can start: a value, or the income of a proponent. */
export const hasStart = ({ propertyValue, financedValue, income, secondBorrower }: Omit<QuoteRequest, 'contractDay'>) =>
  [propertyValue, financedValue, income, secondBorrower].some((value) => value !== undefined);

/** One instalment. Its parts add up to the total exactly. */
export interface Instalment {
  /** From 1 to the term. */
  readonly number: number;
  readonly dueDate: Day;
  readonly amortization: Centavos;
  readonly interest: Centavos;
  /** Death and disability insurance (MIP). */
  readonly mip: Centavos;
  /** Property damage insurance (DFI). */
  readonly dfi: Centavos;
  readonly fee: Centavos;
  readonly total: Centavos;
  /** Amount that is owed after this instalment. */
  readonly balance: Centavos;
}

/** Second proponent, with the data from which the MIP premiums follow. */
export interface InsuredBorrower {
  readonly birthDate: Day;
  /**
   * Part of the balance that is insured for this person, as an exact fraction like `2/5`. The first proponent has the
   * rest.
   */
  readonly share: string;
}

/**
 * An offer under the scenario for its indexer, so that loans of different indexers can be compared
 * (shared/domain/simulations/pricing/README.md, rule 12).
 */
export interface Projection {
  /** Version of the scenario's table. */
  readonly scenario: string;
  /** Assumed rise of the indexer, percent a year; 0 without an indexer. */
  readonly indexPercent: number;
  /** When this figure was published, as exactly as is known; empty without an indexer. */
  readonly date: string;
  /** Who published it; empty without an indexer. */
  readonly source: string;
  /** CET with the indexer, in percent a year with 2 decimals. */
  readonly annualCost: number;
  readonly lastTotal: Centavos;
  readonly total: Centavos;
}

/** Comparison of the known income with an offer. */
export interface IncomeStanding {
  /** Whether the income is enough for the first instalment. */
  readonly sufficient: boolean;
  /**
   * Largest financed value, without expenses, that income and bank allow at these terms. Undefined if there is none.
   */
  readonly highest?: Centavos | undefined;
}

/** Something that a customer must know in addition to an offer's figures. */
export type Notice =
  | { readonly kind: 'ageAssumed'; readonly years: number }
  /** The bank has no rate for the segment that was asked for, so the offer has the rate of `padrao`. */
  | { readonly kind: 'segmentWithoutRate'; readonly asked: Segment }
  | { readonly kind: 'expensesNotFinanced' }
  | { readonly kind: 'equalSharesAssumed' }
  /**
   * Income and property are within these limits of the middle class of the housing programme (Minha Casa, Minha Vida).
   */
  | { readonly kind: 'housingProgramme'; readonly income: Centavos; readonly property: Centavos }
  | { readonly kind: 'fgtsUnattested'; readonly conditions: readonly FgtsCondition[] }
  /** The bank's rate was published at least `days` days ago. */
  | { readonly kind: 'tableOld'; readonly days: number }
  /** Production refuses the bank from this day, because its rate is then too old. */
  | { readonly kind: 'rateEnding'; readonly from: Day }
  /** The scenario's figure for the indexer was published on `date`, at least `days` days ago. */
  | { readonly kind: 'scenarioOld'; readonly indexer: Indexer; readonly date: string; readonly days: number }
  /** A page of the bank excludes these states, and the request names none. */
  | { readonly kind: 'stateUnknown'; readonly states: readonly string[] }
  /** The known income is below `least`, the lowest that is known for the segment whose rate this is. */
  | { readonly kind: 'incomeBelowSegment'; readonly segment: Segment; readonly least: Centavos };

/**
 * A bank's offer, with the figures that its record keeps. The schedule is not stored: it is computed again from these
 * figures and the table version.
 */
export interface Offer {
  readonly bank: Bank;
  /** Version of the table that priced the offer. The record keeps this version after a newer table comes into use. */
  readonly tableVersion: string;
  readonly product: Product;
  readonly indexer: Indexer;
  readonly system: AmortizationSystem;
  readonly term: number;
  readonly contractDay: Day;
  readonly birthDate?: Day | undefined;
  readonly propertyValue: Centavos;
  /** Principal, financed expenses included. */
  readonly principal: Centavos;
  /** Part of the principal that pays ITBI and registration. */
  readonly expenses: Centavos;
  /** Effective rate, in percent a year with 2 decimals. */
  readonly annualRate: number;
  /** Effective rate, in percent a month with 4 decimals; only for display. */
  readonly monthlyRate: number;
  /** Effective annual cost (CET), in percent a year with 2 decimals. Every indexer counts as 0. */
  readonly effectiveAnnualCost: number;
  readonly first: Instalment;
  readonly lastTotal: Centavos;
  readonly total: Centavos;
  readonly requiredIncome: Centavos;
  readonly appraisalFee: Centavos;
  /** Percent of the property's value each month. */
  readonly dfiRate: number;
  readonly monthlyFee: Centavos;
  /** Segment whose rate this is: `padrao` if the bank has no rate for the segment that was asked for. */
  readonly segment: Segment;
  readonly rateKind: RateKind;
  /** When the rate was published, as exactly as is known: `2026`, `2026-07` or `2026-07-30`. */
  readonly rateDate: string;
  readonly rateSource: string;
  /**
   * Last day on which production makes offers at this rate. Undefined if no rate is too old, and for offers that were
   * stored before this field existed.
   */
  readonly rateUntil?: Day | undefined;
  /**
   * When the other figures of the bank's table were published: a date like `rateDate`, or the oldest and the newest,
   * `2025/2026-11`. Undefined for offers that were stored before this field existed.
   */
  readonly conditionsDate?: string | undefined;
  readonly purpose: Purpose;
  readonly secondBorrower?: InsuredBorrower | undefined;
  /** Tax on the credit (IOF), which is withheld from what the customer receives; 0 for housing loans. */
  readonly iof: Centavos;
  /** Part of the price that the buyer's FGTS pays; 0 without FGTS. */
  readonly fgts: Centavos;
  /** Price less financed value and FGTS (`entrada`); 0 for home equity. */
  readonly downPayment: Centavos;
  /** ITBI and registration that are not financed; 0 for home equity. */
  readonly cashExpenses: Centavos;
  /** Cash that the customer needs on the contract's day. */
  readonly cashNeeded: Centavos;
  readonly projection: Projection;
  /** Undefined if no income is known. */
  readonly income?: IncomeStanding | undefined;
  readonly notices: readonly Notice[];
}

/** Reason why a bank makes no offer, with the limit that the request exceeds. */
export type RefusalReason =
  /** A page of the bank, read on the day `seen`, excludes the state of the property. */
  | { readonly kind: 'stateExcluded'; readonly bank: Bank; readonly states: readonly string[]; readonly seen: string }
  /** The purchase of commercial property, for which the bank's table has no rates, shares or terms. */
  | { readonly kind: 'purposeNotPriced' }
  /**
   * The bank's rate was published more than `days` days ago. `date`: the date of publication, as exactly as is known.
   */
  | { readonly kind: 'rateTooOld'; readonly date: string; readonly days: number }
  /** The term exceeds the bank's longest. `longest`: longest term in months that bank and age allow. */
  | { readonly kind: 'termTooLong'; readonly longest: number }
  | { readonly kind: 'termTooShort'; readonly shortest: number }
  /**
   * A proponent is too old at the end of the term. `longest`: longest term in months that age and bank allow; 0 if that
   * is below the bank's shortest term.
   */
  | { readonly kind: 'tooOldAtTheEnd'; readonly longest: number }
  | { readonly kind: 'tooYoung'; readonly youngest: number }
  | { readonly kind: 'tooOld'; readonly oldest: number }
  /**
   * The loan is more than the bank lends on the property: `share` percent of its value. `highest`: the highest financed
   * value for this property, without expenses, or for the cheapest property that the bank accepts. `expenses`: the
   * expenses that are financed in addition.
   */
  | { readonly kind: 'ltvExceeded'; readonly share: number; readonly highest: Centavos; readonly expenses: Centavos }
  /** `least`: the lowest property value that the bank accepts. */
  | { readonly kind: 'propertyTooCheap'; readonly least: Centavos }
  /**
   * The property is worth too little for the bank's smallest loan: `share` percent of its value is less than
   * `leastLoan`. `property`: the lowest property value that is enough for the smallest loan.
   */
  | {
      readonly kind: 'leastLoanAboveShare';
      readonly leastLoan: Centavos;
      readonly share: number;
      readonly property: Centavos;
    }
  /** `least`: the bank's smallest financed value, without expenses. */
  | { readonly kind: 'financedTooLow'; readonly least: Centavos }
  /**
   * The loan and its `expenses` together exceed the bank's largest loan. `most`: the highest financed value that is
   * possible with these expenses; 0 if it would be less than the bank's smallest loan. `published`: whether the bank
   * publishes the limit. Otherwise the limit is ours, and the bank may lend more.
   */
  | {
      readonly kind: 'financedTooHigh';
      readonly most: Centavos;
      readonly expenses: Centavos;
      readonly published: boolean;
    }
  /** No rate of the bank for the system is known. `known`: systems with a rate. */
  | { readonly kind: 'systemNotPriced'; readonly known: readonly AmortizationSystem[] }
  /** FGTS can pay only for a home under the SFH. `highestProperty`: the highest property value of the SFH. */
  | {
      readonly kind: 'fgtsOutsideSfh';
      readonly barredBy: 'product' | 'rate' | 'property';
      readonly highestProperty: Centavos;
    }
  | { readonly kind: 'fgtsConditionMissing'; readonly condition: FgtsCondition }
  /**
   * The FGTS and the loan together exceed the price. The loan counts at least as much as the bank's smallest loan.
   * `most`: the highest part of the price that the FGTS may pay.
   */
  | { readonly kind: 'fgtsTooHigh'; readonly most: Centavos }
  /**
   * The income is not enough for any loan. `least`: the income that the bank's smallest loan needs. `shares`: how two
   * proponents must divide `least`, if the request has no share of the insurance: in the proportion of the incomes that
   * were sent, or in halves. This matters because the shares, and so the premium, then follow from the incomes.
   */
  | { readonly kind: 'incomeCarriesNothing'; readonly least: Centavos; readonly shares?: 'asSent' | 'halves' };

/** Values for which the bank makes an offer, as near to the refused request as possible. */
export interface Proposal {
  readonly propertyValue: Centavos;
  /** Without expenses. */
  readonly financedValue: Centavos;
  readonly term: number;
  readonly system: AmortizationSystem;
}

export interface Refusal {
  readonly bank: Bank;
  /** System that was asked for. */
  readonly system: AmortizationSystem;
  /** First of `reasons`. */
  readonly reason: RefusalReason;
  /** Every obstacle, in the order of pricing/eligibility.ts; an income that carries nothing comes last. */
  readonly reasons: readonly RefusalReason[];
  /** Undefined if no values near the request lead to an offer. */
  readonly proposal?: Proposal | undefined;
}

/** Answer of one bank under one system. */
export type Quote = { readonly offer: Offer } | { readonly refusal: Refusal };

/** Returns the offers among quotes. */
export const offersOf = (quotes: readonly Quote[]): readonly Offer[] =>
  quotes.flatMap((quote) => ('offer' in quote ? [quote.offer] : []));

/** A bank that made no offer under a system, and the reasons, in the sentences of that day's answer. */
export interface ToldRefusal {
  readonly bank: Bank;
  readonly system: AmortizationSystem;
  readonly reasons: readonly string[];
}

/** All simulations of one call, stored together as one record. */
export interface Opportunity {
  readonly id: OpportunityId;
  readonly leadId: LeadId;
  readonly createdAt: Instant;
  readonly customer: { readonly name: string; readonly cpf: Cpf; readonly birthDate?: Day | undefined };
  readonly offers: readonly Offer[];
  /** Undefined if every bank makes an offer. */
  readonly refusals?: readonly ToldRefusal[] | undefined;
}

/** Number of days for which an offer is valid. */
export const OFFER_VALIDITY_DAYS = 30;

/** Returns the last day on which an offer is valid: not after the last day of its rate. */
export function validUntil({ contractDay, rateUntil }: Pick<Offer, 'contractDay' | 'rateUntil'>): Day {
  const latest = addDays(contractDay, OFFER_VALIDITY_DAYS);
  // In the sandbox, a rate may have ended before the contract's day.
  return rateUntil !== undefined && contractDay <= rateUntil && rateUntil < latest ? rateUntil : latest;
}

/** Returns who bears the inflation during a loan: the borrower if the loan has an indexer, otherwise the bank. */
export const inflationBearer = ({ indexer }: Pick<Offer, 'indexer'>): 'borrower' | 'bank' =>
  indexer === 'PREFIXADO' ? 'bank' : 'borrower';
