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

/** `padrao` is the ordinary branch customer, the others have higher incomes. */
export const SEGMENTS = ['padrao', 'intermediario', 'alta_renda'] as const;
export type Segment = (typeof SEGMENTS)[number];
/** The lowest advertised rate, a segment's own rate, an average of contracts, a temporary rate. */
export const RATE_KINDS = ['a_partir_de', 'segmento', 'media', 'promocional'] as const;
export type RateKind = (typeof RATE_KINDS)[number];
export const PURPOSES = ['residencial', 'comercial'] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface SecondBorrower {
  readonly income: Centavos;
  readonly birthDate: Day;
  /** In percent above 0 and below 100, with at most 2 decimals. If undefined, it follows from the incomes. */
  readonly share?: number | undefined;
}

/** Conditions of the law for a buyer who pays with FGTS (Lei 8.036/1990, art. 20; Manual da Moradia Própria). */
export const FGTS_CONDITIONS = ['threeYears', 'noSfhLoan', 'noPropertyInTown', 'ownHome'] as const;
export type FgtsCondition = (typeof FGTS_CONDITIONS)[number];

/** For each condition: whether the buyer attests it, or undefined if unknown. */
export type FgtsWish = { readonly value: Centavos } & { readonly [condition in FgtsCondition]?: boolean | undefined };

/** Each bank fills in the fields that are undefined (shared/contract/README.md#simulations, rule 5). */
export interface QuoteRequest {
  readonly propertyValue?: Centavos | undefined;
  /** Without expenses. */
  readonly financedValue?: Centavos | undefined;
  /** In months. */
  readonly term?: number | undefined;
  readonly income?: Centavos | undefined;
  /** SAC if undefined. */
  readonly system?: AmortizationSystem | undefined;
  readonly financeExpenses: boolean;
  /** If undefined, the age is taken as 35. */
  readonly birthDate?: Day | undefined;
  /** `padrao` if undefined. */
  readonly segment?: Segment | undefined;
  readonly secondBorrower?: SecondBorrower | undefined;
  readonly fgts?: FgtsWish | undefined;
  /** `residencial` if undefined. */
  readonly purpose?: Purpose | undefined;
  /** State (UF) of the property, in two capital letters. */
  readonly state?: string | undefined;
  /** Undefined: no rate is too old. */
  readonly rateDays?: number | undefined;
  readonly offersOldRates?: boolean | undefined;
  /** In America/Sao_Paulo. */
  readonly contractDay: Day;
}

export const hasStart = ({ propertyValue, financedValue, income, secondBorrower }: Omit<QuoteRequest, 'contractDay'>) =>
  [propertyValue, financedValue, income, secondBorrower].some((value) => value !== undefined);

export interface Instalment {
  readonly number: number;
  readonly dueDate: Day;
  readonly amortization: Centavos;
  readonly interest: Centavos;
  readonly mip: Centavos;
  readonly dfi: Centavos;
  readonly fee: Centavos;
  readonly total: Centavos;
  readonly balance: Centavos;
}

export interface InsuredBorrower {
  readonly birthDate: Day;
  /** An exact fraction like `2/5`. The first proponent has the rest. */
  readonly share: string;
}

/** Cost of the loan under its indexer's scenario (pricing/README.md, rule 12). */
export interface Projection {
  readonly scenario: string;
  /** In percent a year; 0 without an indexer. */
  readonly indexPercent: number;
  /** As exactly as is known; empty without an indexer. */
  readonly date: string;
  readonly source: string;
  /** In percent a year with 2 decimals. */
  readonly annualCost: number;
  readonly lastTotal: Centavos;
  readonly total: Centavos;
}

export interface IncomeStanding {
  readonly sufficient: boolean;
  /** Highest loan that the income carries, without expenses. Undefined if there is none. */
  readonly highest?: Centavos | undefined;
}

export type Notice =
  | { readonly kind: 'ageAssumed'; readonly years: number }
  | { readonly kind: 'segmentWithoutRate'; readonly asked: Segment }
  | { readonly kind: 'expensesNotFinanced' }
  | { readonly kind: 'equalSharesAssumed' }
  | { readonly kind: 'housingProgramme'; readonly income: Centavos; readonly property: Centavos }
  | { readonly kind: 'fgtsUnattested'; readonly conditions: readonly FgtsCondition[] }
  /** `seen`: the last day on which the bank still confirmed the rate. Undefined if nobody asked it. */
  | { readonly kind: 'tableOld'; readonly days: number; readonly seen?: Day | undefined }
  | { readonly kind: 'rateEnding'; readonly from: Day }
  | {
      readonly kind: 'scenarioOld';
      readonly indexer: Exclude<Indexer, 'PREFIXADO'>;
      readonly date: string;
      readonly days: number;
    }
  | { readonly kind: 'stateUnknown'; readonly states: readonly string[] }
  | { readonly kind: 'incomeBelowSegment'; readonly segment: Segment; readonly least: Centavos };

/** The schedule is not stored: it is computed again from these figures and the table version. */
export interface Offer {
  readonly bank: Bank;
  /** The record keeps this version after a newer table comes into use. */
  readonly tableVersion: string;
  readonly product: Product;
  readonly indexer: Indexer;
  readonly system: AmortizationSystem;
  readonly term: number;
  readonly contractDay: Day;
  readonly birthDate?: Day | undefined;
  readonly propertyValue: Centavos;
  readonly principal: Centavos;
  readonly expenses: Centavos;
  /** In percent a year with 2 decimals. */
  readonly annualRate: number;
  /** In percent a month with 4 decimals; only for display. */
  readonly monthlyRate: number;
  /** Effective annual cost (CET), in percent a year with 2 decimals. */
  readonly effectiveAnnualCost: number;
  readonly first: Instalment;
  readonly lastTotal: Centavos;
  readonly total: Centavos;
  readonly requiredIncome: Centavos;
  readonly appraisalFee: Centavos;
  /** In percent of the property's value each month. */
  readonly dfiRate: number;
  readonly monthlyFee: Centavos;
  /** `padrao` if the bank has no rate for the segment that was asked for. */
  readonly segment: Segment;
  readonly rateKind: RateKind;
  /** As the bank states it. The schedule is computed again from it. */
  readonly rateValue: string;
  /** As exactly as is known: `2026`, `2026-07` or `2026-07-30`. */
  readonly rateDate: string;
  readonly rateSource: string;
  /** Undefined if no rate is too old, and for offers that were stored before this field existed. */
  readonly rateUntil?: Day | undefined;
  /**
   * When the other figures of the bank's table were published: a date like `rateDate`, or the oldest and the newest,
   * `2025/2026-11`. Undefined for offers that were stored before this field existed.
   */
  readonly conditionsDate?: string | undefined;
  readonly purpose: Purpose;
  readonly secondBorrower?: InsuredBorrower | undefined;
  /** Withheld from what the customer receives; 0 for housing loans. */
  readonly iof: Centavos;
  readonly fgts: Centavos;
  /** Price less financed value and FGTS; 0 for home equity. */
  readonly downPayment: Centavos;
  readonly cashExpenses: Centavos;
  readonly cashNeeded: Centavos;
  readonly projection: Projection;
  /** Undefined if no income is known. */
  readonly income?: IncomeStanding | undefined;
  readonly notices: readonly Notice[];
}

export type RefusalReason =
  /** `seen`: day on which the bank's page was read. */
  | { readonly kind: 'stateExcluded'; readonly bank: Bank; readonly states: readonly string[]; readonly seen: string }
  | { readonly kind: 'purposeNotPriced' }
  /** `date`: as exactly as is known. */
  | { readonly kind: 'rateTooOld'; readonly date: string; readonly days: number }
  /** `longest`: in months, as bank and age allow. */
  | { readonly kind: 'termTooLong'; readonly longest: number }
  | { readonly kind: 'termTooShort'; readonly shortest: number }
  /** In months, as age and bank allow; 0 if that is below the bank's shortest term. */
  | { readonly kind: 'tooOldAtTheEnd'; readonly longest: number }
  | { readonly kind: 'tooYoung'; readonly youngest: number }
  | { readonly kind: 'tooOld'; readonly oldest: number }
  /** `highest`: without expenses, for this property or the cheapest that the bank accepts. */
  | { readonly kind: 'ltvExceeded'; readonly share: number; readonly highest: Centavos; readonly expenses: Centavos }
  | { readonly kind: 'propertyTooCheap'; readonly least: Centavos }
  /** `property`: the lowest property value that is enough for the smallest loan. */
  | {
      readonly kind: 'leastLoanAboveShare';
      readonly leastLoan: Centavos;
      readonly share: number;
      readonly property: Centavos;
    }
  /** Without expenses. */
  | { readonly kind: 'financedTooLow'; readonly least: Centavos }
  /**
   * `most`: the highest financed value that is possible with these expenses; 0 if it would be less than the bank's
   * smallest loan. `published`: whether the bank publishes the limit. Otherwise the limit is ours, and the bank may
   * lend more.
   */
  | {
      readonly kind: 'financedTooHigh';
      readonly most: Centavos;
      readonly expenses: Centavos;
      readonly published: boolean;
    }
  | { readonly kind: 'systemNotPriced'; readonly known: readonly AmortizationSystem[] }
  | {
      readonly kind: 'fgtsOutsideSfh';
      readonly barredBy: 'product' | 'rate' | 'property';
      readonly highestProperty: Centavos;
    }
  | { readonly kind: 'fgtsConditionMissing'; readonly condition: FgtsCondition }
  /** `most`: the highest part of the price that the FGTS may pay. */
  | { readonly kind: 'fgtsTooHigh'; readonly most: Centavos }
  /**
   * `least`: the income that the bank's smallest loan needs. `shares`: how two proponents must divide `least`, if the
   * request has no share of the insurance: in the proportion of the incomes that were sent, or in halves. This matters
   * because the shares, and so the premium, then follow from the incomes.
   */
  | { readonly kind: 'incomeCarriesNothing'; readonly least: Centavos; readonly shares?: 'asSent' | 'halves' };

export interface Proposal {
  readonly propertyValue: Centavos;
  /** Without expenses. */
  readonly financedValue: Centavos;
  readonly term: number;
  readonly system: AmortizationSystem;
}

export interface Refusal {
  readonly bank: Bank;
  readonly system: AmortizationSystem;
  readonly reason: RefusalReason;
  /** Every obstacle, in the order of pricing/eligibility.ts; an income that carries nothing comes last. */
  readonly reasons: readonly RefusalReason[];
  /** Undefined if no values near the request lead to an offer. */
  readonly proposal?: Proposal | undefined;
}

export type Quote = { readonly offer: Offer } | { readonly refusal: Refusal };

export const offersOf = (quotes: readonly Quote[]): readonly Offer[] =>
  quotes.flatMap((quote) => ('offer' in quote ? [quote.offer] : []));

export interface ToldRefusal {
  readonly bank: Bank;
  readonly system: AmortizationSystem;
  readonly reasons: readonly string[];
}

export interface Opportunity {
  readonly id: OpportunityId;
  readonly leadId: LeadId;
  readonly createdAt: Instant;
  readonly customer: { readonly name: string; readonly cpf: Cpf; readonly birthDate?: Day | undefined };
  readonly offers: readonly Offer[];
  readonly refusals?: readonly ToldRefusal[] | undefined;
}

export const OFFER_VALIDITY_DAYS = 30;

/** Never later than the last day of the rate. */
export function validUntil({ contractDay, rateUntil }: Pick<Offer, 'contractDay' | 'rateUntil'>): Day {
  const latest = addDays(contractDay, OFFER_VALIDITY_DAYS);
  // In the sandbox, a rate may have ended before the contract's day.
  return rateUntil !== undefined && contractDay <= rateUntil && rateUntil < latest ? rateUntil : latest;
}

export const inflationBearer = ({ indexer }: Pick<Offer, 'indexer'>): 'borrower' | 'bank' =>
  indexer === 'PREFIXADO' ? 'bank' : 'borrower';
