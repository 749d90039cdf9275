import {
  AMORTIZATION_SYSTEMS,
  type AmortizationSystem,
  type Indexer,
  type RateKind,
  type Segment,
} from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { RateBasis } from '../rate.ts';

/** What vouches for a figure. */
interface Origin {
  /** When it was published: `2025`, `2025-11` or `2025-11-30`, as exactly as is known. */
  readonly date: string;
  readonly source: string;
}

/** A published figure, as exact text, with what vouches for it. */
export interface Figure extends Origin {
  /** A decimal (`11.70`) or, for shares of the income, a fraction (`1/3`). Never a binary float. */
  readonly value: string;
}

/**
 * Origin of a figure that was collected before the tables were made
 * (shared/domain/simulations/pricing/README.md, What no source confirms).
 */
export const fromSheet = (date: string, what: string): Origin => ({
  date,
  source: `${what}, from the project’s pricing sheet`,
});

/** A figure of an origin. */
export const figure = (value: string, { date, source }: Origin): Figure => ({ value, date, source });

/** What the data files have in common. A version that has priced an offer is never changed: a new figure is a new file. */
export interface Versioned {
  /** The file's name without its extension; kept with every offer. */
  readonly version: string;
  /** First day of use, `YYYY-MM-DD`. */
  readonly validFrom: string;
  /**
   * By row, why a change that looks like a slip is none (jumps.ts says which are asked about). A row as validate.ts names
   * it, or what stands before a dot in its name.
   */
  readonly confirmed?: Readonly<Record<string, string>>;
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

/** A bank's MIP by age, of one origin. */
export const anchorsOf = (origin: Origin, rates: Readonly<Record<number, string>>): readonly MipAnchor[] =>
  Object.entries(rates).map(([age, value]) => ({ age: Number(age), rate: figure(value, origin) }));

/** A rate that a bank publishes, with what it is and for whom. One row for each segment and system. */
export interface PublishedRate {
  readonly segment: Segment;
  readonly system: AmortizationSystem;
  readonly indexer: Indexer;
  readonly kind: RateKind;
  /** Percent a year; a month where the basis is `monthly`. */
  readonly rate: Figure;
  /** How the bank states its rate. */
  readonly basis: RateBasis;
  /** Highest share of the property's value, percent. */
  readonly share: Figure;
}

/** What a segment is lent at, a row for each system by the highest share of the property's value. */
export function ratesOf(
  segment: Segment,
  { indexer, kind, basis }: Pick<PublishedRate, 'indexer' | 'kind' | 'basis'>,
  rate: Figure,
  shares: Readonly<Partial<Record<AmortizationSystem, Figure>>>,
): readonly PublishedRate[] {
  return AMORTIZATION_SYSTEMS.flatMap((system) => {
    const share = shares[system];
    return share ? [{ segment, system, indexer, kind, basis, rate, share }] : [];
  });
}

/** One bank's conditions. Money in reais, terms in months. */
export interface BankTable extends Versioned {
  readonly bank: Bank;
  readonly rates: readonly PublishedRate[];
  readonly homeEquity: boolean;
  readonly shortestTerm: Figure;
  readonly longestTerm: Figure;
  readonly leastFinanced: Figure;
  /** Where one is known; else that of the housing rules holds. */
  readonly largestFinanced?: Figure;
  /** Where the bank names one. */
  readonly leastProperty?: Figure;
  /** States (UF) that the bank lends in, two letters each; everywhere where left out. */
  readonly states?: { readonly values: readonly string[]; readonly date: string; readonly source: string };
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
  /** Paid at the start. */
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
  /** What a monthly fee may be, in reais, before it counts towards the SFH's highest rate. */
  readonly sfhFee: Figure;
  /** Largest loan of a bank that names none, reais. */
  readonly largestFinanced: Figure;
  /** Highest income a month and highest property of the housing programme's middle class (MCMV), reais. */
  readonly programmeIncome: Figure;
  readonly programmeProperty: Figure;
}

/** The tax on credit (IOF) of natural persons. */
export interface CreditTax extends Versioned {
  /** Percent a day of each amortization, from the contract's day to its due date. */
  readonly dailyRate: Figure;
  /** Days that count at most. */
  readonly longest: Figure;
  /** Percent of the principal, whatever the term. */
  readonly additionalRate: Figure;
}

/** How indexers are supposed to go on, to compare loans of different ones: percent a year. */
export interface Scenario extends Versioned {
  readonly indexers: Readonly<Record<Exclude<Indexer, 'PREFIXADO'>, Figure>>;
}
