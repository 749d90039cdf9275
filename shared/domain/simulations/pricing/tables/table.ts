import type { Bank } from '../../../values/bank.ts';
import type { AmortizationSystem, Indexer } from '../../simulation.ts';
import type { RateBasis } from '../rate.ts';

/** A published figure, as exact text, with what vouches for it. */
export interface Figure {
  /** A decimal (`11.70`) or, for shares of the income, a fraction (`1/3`). Never a binary float. */
  readonly value: string;
  /** When it was published: `2025`, `2025-11` or `2025-11-30`, as exactly as is known. */
  readonly date: string;
  readonly source: string;
}

/** What the data files have in common. A version that has priced an offer is never changed: a new figure is a new file. */
interface Versioned {
  /** The file's name without its extension; kept with every offer. */
  readonly version: string;
  /** First day of use, `YYYY-MM-DD`. */
  readonly validFrom: string;
}

/** The market's MIP by age: completed years `from` to `to`, percent a month of the balance. */
export interface MarketMip extends Versioned {
  readonly bands: readonly { readonly from: number; readonly to: number; readonly rate: Figure }[];
}

/** A bank's MIP at one age (completed years), percent a month of the balance. */
export interface MipAnchor {
  readonly age: number;
  readonly rate: Figure;
}

/** One bank's conditions. Money in reais, terms in months. */
export interface BankTable extends Versioned {
  readonly bank: Bank;
  /** Percent a year. */
  readonly annualRate: Figure;
  /** How the bank states its rate. */
  readonly rateBasis: RateBasis;
  /** What the bank offers: the indexer, and the highest share of the property's value in percent. */
  readonly systems: Readonly<
    Partial<Record<AmortizationSystem, { readonly indexer: Indexer; readonly share: Figure }>>
  >;
  readonly homeEquity: boolean;
  readonly shortestTerm: Figure;
  readonly longestTerm: Figure;
  readonly leastFinanced: Figure;
  /** Where the bank names one. */
  readonly leastProperty?: Figure;
  readonly mip: {
    /** By age; none where the bank's MIP is the market's. */
    readonly anchors: readonly MipAnchor[];
    /** Version of the market's MIP that stands in for what the bank does not publish. */
    readonly market: string;
  };
  /** Percent a month of the property's value. */
  readonly dfi: Figure;
  /** On each instalment. */
  readonly monthlyFee: Figure;
  /** Withheld at the start. */
  readonly appraisalFee: Figure;
  /** The part of the income that the first instalment may take. */
  readonly incomeShare: Figure;
  /** Whether ITBI and registration may be financed too. */
  readonly financesExpenses: boolean;
}

/** Limits that hold for every bank. */
export interface HousingRules extends Versioned {
  /** Months. */
  readonly longestTerm: Figure;
  /** Completed years on the contract's day. */
  readonly youngest: Figure;
  readonly oldest: Figure;
  /** Months of age at the last due date. */
  readonly oldestAtTheEnd: Figure;
  /** Above either of these a housing loan is SFI instead of SFH: reais, and percent a year. */
  readonly sfhProperty: Figure;
  readonly sfhRate: Figure;
  /** ITBI and registration, estimated in percent of the property's value. */
  readonly expenses: Figure;
}
