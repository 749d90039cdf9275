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

/** The customer of a bank as its rates know him: its ordinary branch customer, or a better kept one. */
export const SEGMENTS = ['padrao', 'intermediario', 'alta_renda'] as const;
export type Segment = (typeof SEGMENTS)[number];
/** What a published rate is: the lowest advertised, a segment's own, an average of contracts, or one for a while. */
export const RATE_KINDS = ['a_partir_de', 'segmento', 'media', 'promocional'] as const;
export type RateKind = (typeof RATE_KINDS)[number];
/** What the property is bought for. */
export const PURPOSES = ['residencial', 'comercial'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A second proponent of the loan. */
export interface SecondBorrower {
  /** A month. */
  readonly income: Centavos;
  readonly birthDate: Day;
  /** Part of the insured balance, percent above 0 and below 100, at most 2 decimals; that of the incomes where left out. */
  readonly share?: number | undefined;
}

/** What the law asks of a buyer who pays with his FGTS (Lei 8.036/1990, art. 20; Manual da Moradia Própria). */
export const FGTS_CONDITIONS = ['threeYears', 'noSfhLoan', 'noPropertyInTown', 'ownHome'] as const;
export type FgtsCondition = (typeof FGTS_CONDITIONS)[number];

/** A part of the price that the buyer's FGTS pays, with his word on its conditions; one left out is unknown. */
export type FgtsWish = { readonly value: Centavos } & { readonly [condition in FgtsCondition]?: boolean | undefined };

/**
 * What the partner asks every bank for. Each bank completes what is left out (shared/contract/README.md#simulations,
 * rule 5).
 */
export interface QuoteRequest {
  readonly propertyValue?: Centavos | undefined;
  /** Expenses left out. */
  readonly financedValue?: Centavos | undefined;
  /** Months. */
  readonly term?: number | undefined;
  /** Income a month of the first proponent: the request's, else the lead's. */
  readonly income?: Centavos | undefined;
  /** SAC where left out. */
  readonly system?: AmortizationSystem | undefined;
  /** Whether ITBI and registration are financed too, at the banks that do. */
  readonly financeExpenses: boolean;
  /** The borrower's; the age is taken as 35 without it. */
  readonly birthDate?: Day | undefined;
  /** `padrao` where left out. */
  readonly segment?: Segment | undefined;
  readonly secondBorrower?: SecondBorrower | undefined;
  readonly fgts?: FgtsWish | undefined;
  /** `residencial` where left out. */
  readonly purpose?: Purpose | undefined;
  /** Two letters of the property's state (UF), upper case. */
  readonly state?: string | undefined;
  /** Days after which a published rate makes no offer; none is too old where left out. */
  readonly rateDays?: number | undefined;
  /** The simulation's day in America/Sao_Paulo. */
  readonly contractDay: Day;
}

/** Whether a request has anything to start from: a value, or an income of either proponent. */
export const hasStart = ({ propertyValue, financedValue, income, secondBorrower }: Omit<QuoteRequest, 'contractDay'>) =>
  [propertyValue, financedValue, income, secondBorrower].some((value) => value !== undefined);

/** One instalment; the parts sum to the total exactly. */
export interface Instalment {
  /** 1 to the term. */
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
  /** Owed after this instalment. */
  readonly balance: Centavos;
}

/** The second proponent as the premiums count him. */
export interface InsuredBorrower {
  readonly birthDate: Day;
  /** His part of the balance as exact text, `2/5`; the first proponent has the rest. */
  readonly share: string;
}

/**
 * An offer under the scenario for its indexer, to compare loans of different indexers
 * (shared/domain/simulations/pricing/README.md, rule 12).
 */
export interface Projection {
  /** The scenario's table. */
  readonly scenario: string;
  /** What the indexer is supposed to add, percent a year; 0 without an indexer. */
  readonly indexPercent: number;
  /** When the figure was published, as exactly as is known, and by whom; empty without an indexer. */
  readonly date: string;
  readonly source: string;
  /** CET with the indexer, percent a year, 2 decimals. */
  readonly annualCost: number;
  readonly lastTotal: Centavos;
  readonly total: Centavos;
}

/** How a known income stands to an offer. */
export interface IncomeStanding {
  /** Whether the income carries the first instalment. */
  readonly sufficient: boolean;
  /** Largest financed value, expenses left out, that income and bank allow at these terms; absent where none is. */
  readonly highest?: Centavos | undefined;
}

/** What a customer must know beside an offer's figures. */
export type Notice =
  | { readonly kind: 'ageAssumed'; readonly years: number }
  /** The bank has no rate for the segment asked for: the offer is of everybody's. */
  | { readonly kind: 'segmentWithoutRate'; readonly asked: Segment }
  | { readonly kind: 'expensesNotFinanced' }
  | { readonly kind: 'equalSharesAssumed' }
  /** Income and property are within the housing programme's middle class (MCMV), in centavos. */
  | { readonly kind: 'housingProgramme'; readonly income: Centavos; readonly property: Centavos }
  | { readonly kind: 'fgtsUnattested'; readonly conditions: readonly FgtsCondition[] }
  /** The bank's rate was published so many days ago, or more. */
  | { readonly kind: 'tableOld'; readonly days: number };

/** A bank's offer with the figures of its record; the schedule follows from it and its table's version. */
export interface Offer {
  readonly bank: Bank;
  /** The table that priced it; a record keeps its own when a newer one comes into use. */
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
  /** Of the principal, what pays ITBI and registration. */
  readonly expenses: Centavos;
  /** Effective, percent a year, 2 decimals. */
  readonly annualRate: number;
  /** Effective, percent a month, 4 decimals, for display only. */
  readonly monthlyRate: number;
  /** Effective annual cost (CET), percent a year, 2 decimals; every indexer counts as 0. */
  readonly effectiveAnnualCost: number;
  readonly first: Instalment;
  readonly lastTotal: Centavos;
  readonly total: Centavos;
  readonly requiredIncome: Centavos;
  readonly appraisalFee: Centavos;
  /** Percent a month of the property value. */
  readonly dfiRate: number;
  readonly monthlyFee: Centavos;
  /** Whose rate it is: `padrao` where the bank has none for the segment asked for. */
  readonly segment: Segment;
  readonly rateKind: RateKind;
  /** When the rate was published, as exactly as is known: `2026`, `2026-07` or `2026-07-30`. */
  readonly rateDate: string;
  readonly rateSource: string;
  readonly purpose: Purpose;
  readonly secondBorrower?: InsuredBorrower | undefined;
  /** Tax on the credit (IOF), withheld from what is received; 0 for housing. */
  readonly iof: Centavos;
  /** What the buyer's FGTS pays of the price; 0 without it. */
  readonly fgts: Centavos;
  /** Price less financed value and FGTS (`entrada`); 0 for home equity. */
  readonly downPayment: Centavos;
  /** ITBI and registration that are not financed; 0 for home equity. */
  readonly cashExpenses: Centavos;
  /** Money needed on the contract's day. */
  readonly cashNeeded: Centavos;
  readonly projection: Projection;
  /** Absent where no income is known. */
  readonly income?: IncomeStanding | undefined;
  readonly notices: readonly Notice[];
}

/** Why a bank makes no offer, with the limit that the request passed. */
export type RefusalReason =
  | { readonly kind: 'stateNotServed'; readonly states: readonly string[] }
  /** No table of the bank has prices, shares or terms of commercial property. */
  | { readonly kind: 'purposeNotPriced' }
  /** The bank's newest rate was published more than so many days ago. */
  | { readonly kind: 'rateTooOld'; readonly date: string; readonly days: number }
  | { readonly kind: 'termTooLong'; readonly longest: number }
  | { readonly kind: 'termTooShort'; readonly shortest: number }
  /** `longest` is the longest term that age and bank allow, in months; 0 where that is below the bank's shortest. */
  | { readonly kind: 'tooOldAtTheEnd'; readonly longest: number }
  | { readonly kind: 'tooYoung'; readonly youngest: number }
  | { readonly kind: 'tooOld'; readonly oldest: number }
  /** `highest` is the highest financed value (expenses left out) for this property; `expenses` what is financed beside. */
  | { readonly kind: 'ltvExceeded'; readonly share: number; readonly highest: Centavos; readonly expenses: Centavos }
  /** `least` is the bank's own minimum. */
  | { readonly kind: 'propertyTooCheap'; readonly least: Centavos }
  /** The bank's share of the property is below its least loan; `property` is the least that carries that. */
  | {
      readonly kind: 'leastLoanAboveShare';
      readonly leastLoan: Centavos;
      readonly share: number;
      readonly property: Centavos;
    }
  /** Financed value, expenses left out. */
  | { readonly kind: 'financedTooLow'; readonly least: Centavos }
  /**
   * The largest loan is `most`, a financed value, and `expenses` beside it; `most` is 0 where the expenses of the property
   * leave less than the bank's least loan. `published`: whether the bank names the limit; else it is ours, and it may lend more.
   */
  | {
      readonly kind: 'financedTooHigh';
      readonly most: Centavos;
      readonly expenses: Centavos;
      readonly published: boolean;
    }
  | { readonly kind: 'systemNotOffered'; readonly offered: readonly AmortizationSystem[] }
  /** FGTS buys a home under the SFH only, whose highest property this is. */
  | {
      readonly kind: 'fgtsOutsideSfh';
      readonly barredBy: 'product' | 'rate' | 'property';
      readonly highestProperty: Centavos;
    }
  | { readonly kind: 'fgtsConditionMissing'; readonly condition: FgtsCondition }
  /** Financed value, or the bank's least loan, and FGTS pass the price; `most` is what FGTS may pay. */
  | { readonly kind: 'fgtsTooHigh'; readonly most: Centavos }
  /**
   * `least` is the income that the bank's least loan needs. `shares`: how two proponents without a share that was sent
   * have to divide it, since their incomes make their shares of the insurance, and so its premium.
   */
  | { readonly kind: 'incomeCarriesNothing'; readonly least: Centavos; readonly shares?: 'asSent' | 'halves' };

/** Terms that a bank offers to who asks for them, as near to the refused ones as it can. */
export interface Proposal {
  readonly propertyValue: Centavos;
  /** Expenses left out. */
  readonly financedValue: Centavos;
  readonly term: number;
  readonly system: AmortizationSystem;
}

export interface Refusal {
  readonly bank: Bank;
  /** The one that was asked for. */
  readonly system: AmortizationSystem;
  /** The first of `reasons`. */
  readonly reason: RefusalReason;
  /** Every obstacle, from what no change of values can cure to what a smaller loan cures. */
  readonly reasons: readonly RefusalReason[];
  /** Absent where no change of values leads to an offer. */
  readonly proposal?: Proposal | undefined;
}

export type Quote = { readonly offer: Offer } | { readonly refusal: Refusal };

/** The offers among quotes. */
export const offersOf = (quotes: readonly Quote[]): readonly Offer[] =>
  quotes.flatMap((one) => ('offer' in one ? [one.offer] : []));

/** A bank that made no offer under a system, and why, in the sentences that were told that day. */
export interface ToldRefusal {
  readonly bank: Bank;
  readonly system: AmortizationSystem;
  readonly reasons: readonly string[];
}

/** One POST: the records of all its banks, kept together. */
export interface Opportunity {
  readonly id: OpportunityId;
  readonly leadId: LeadId;
  readonly createdAt: Instant;
  readonly customer: { readonly name: string; readonly cpf: Cpf; readonly birthDate?: Day | undefined };
  readonly offers: readonly Offer[];
  /** Absent where every bank offers. */
  readonly refusals?: readonly ToldRefusal[] | undefined;
}

/** How many days an offer is held. */
const OFFER_VALIDITY_DAYS = 30;

/** The last day on which an offer made on this day holds. */
export const validUntil = (contractDay: Day): Day => addDays(contractDay, OFFER_VALIDITY_DAYS);

/** Who bears the inflation of an offer's indexer: the borrower wherever there is one. */
export const inflationBearer = ({ indexer }: Pick<Offer, 'indexer'>): 'borrower' | 'bank' =>
  indexer === 'PREFIXADO' ? 'bank' : 'borrower';
