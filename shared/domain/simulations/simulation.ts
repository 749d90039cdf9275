import { BANK_IDENTITIES, type Bank } from '../values/bank.ts';
import { type Day, timestamp } from '../values/clock.ts';
import type { Cpf } from '../values/cpf.ts';
import { type LeadId, type OpportunityId, simulationIdOf } from '../values/ids.ts';
import type { Centavos } from '../values/money.ts';

export const AMORTIZATION_SYSTEMS = ['SAC', 'PRICE'] as const;
export type AmortizationSystem = (typeof AMORTIZATION_SYSTEMS)[number];
export const PRODUCTS = ['SFH', 'SFI', 'HOME_EQUITY'] as const;
export type Product = (typeof PRODUCTS)[number];
export const INDEXERS = ['TR', 'IPCA', 'POUPANCA', 'PREFIXADO'] as const;
export type Indexer = (typeof INDEXERS)[number];

/** What the partner asks every bank for; what is left out, each bank completes (contract.md, Simulations). */
export interface QuoteRequest {
  readonly propertyValue?: Centavos | undefined;
  readonly financedValue?: Centavos | undefined;
  /** Months. */
  readonly term?: number | undefined;
  /** Income a month: the request's, else the lead's. */
  readonly income?: Centavos | undefined;
  /** SAC where left out. */
  readonly system?: AmortizationSystem | undefined;
  /** Whether ITBI and registration are financed too, at the banks that do. */
  readonly financeExpenses: boolean;
  /** The borrower's; the age is taken as 35 without it. */
  readonly birthDate?: Day | undefined;
  /** The simulation's day in America/Sao_Paulo. */
  readonly contractDay: Day;
}

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

/** A bank's offer with the figures of its record; the schedule follows from it and its table's version. */
export interface Offer {
  readonly bank: Bank;
  /** The table that priced it; an old record keeps its own. */
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
  readonly expenses: Centavos;
  /** Effective, percent a year, 2 decimals. */
  readonly annualRate: number;
  /** Effective, percent a month, 4 decimals, for display only. */
  readonly monthlyRate: number;
  /** Effective annual cost (CET), percent a year, 2 decimals. */
  readonly effectiveAnnualCost: number;
  readonly first: Instalment;
  readonly lastTotal: Centavos;
  readonly total: Centavos;
  readonly requiredIncome: Centavos;
  readonly appraisalFee: Centavos;
  /** Percent a month of the property value. */
  readonly dfiRate: number;
  readonly monthlyFee: Centavos;
}

/** Why a bank makes no offer, with the limit that the request passed. */
export type RefusalReason =
  | { readonly kind: 'termTooLong'; readonly longest: number }
  | { readonly kind: 'termTooShort'; readonly shortest: number }
  /** `longest` is the longest term that age and bank allow, in months; 0 where that is below the bank's shortest. */
  | { readonly kind: 'tooOldAtTheEnd'; readonly longest: number }
  | { readonly kind: 'tooYoung'; readonly youngest: number }
  | { readonly kind: 'tooOld'; readonly oldest: number }
  /** `highest` is the highest financed value (expenses left out) for this property. */
  | { readonly kind: 'ltvExceeded'; readonly share: number; readonly highest: Centavos }
  /** `least` is the bank's minimum, or the property whose share is its least loan, whichever is more. */
  | { readonly kind: 'propertyTooCheap'; readonly least: Centavos }
  /** Financed value, expenses left out. */
  | { readonly kind: 'financedTooLow'; readonly least: Centavos }
  | { readonly kind: 'systemNotOffered'; readonly offered: readonly AmortizationSystem[] }
  /** `least` is the income that the bank's least loan needs. */
  | { readonly kind: 'incomeCarriesNothing'; readonly least: Centavos };

export interface Refusal {
  readonly bank: Bank;
  readonly reason: RefusalReason;
}

export type Quote = { readonly offer: Offer } | { readonly refusal: Refusal };

/** One POST: the records of all its banks, kept together. */
export interface Opportunity {
  readonly id: OpportunityId;
  readonly leadId: LeadId;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly customer: { readonly name: string; readonly cpf: Cpf; readonly birthDate?: Day | undefined };
  readonly offers: readonly Offer[];
}

/** How many days an offer is held. */
export const OFFER_VALIDITY_DAYS = 30;

/** The last day on which an offer made on this day holds. */
export function validUntil(contractDay: Day): Day {
  return timestamp(Date.parse(`${contractDay}T00:00:00Z`) + OFFER_VALIDITY_DAYS * 86_400_000).slice(0, 10) as Day;
}

/** The offer that an id means: its own, or the one of the lowest effective annual cost where it is the opportunity's. */
export function offerFor(opportunity: Opportunity, id: number): Offer | undefined {
  if (id !== opportunity.id) {
    return opportunity.offers.find(({ bank }) => simulationIdOf(opportunity.id, BANK_IDENTITIES[bank].id) === id);
  }
  return opportunity.offers.toSorted((a, b) => a.effectiveAnnualCost - b.effectiveAnnualCost)[0];
}
