import {
  AMORTIZATION_SYSTEMS,
  type AmortizationSystem,
  type Indexer,
  type RateKind,
  type Segment,
} from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { RateBasis } from '../rate.ts';

interface Origin {
  /** Date of publication, as exactly as is known: `2025`, `2025-11` or `2025-11-30`. */
  readonly date: string;
  readonly source: string;
}

export interface Figure extends Origin {
  /** A decimal (`11.70`) or, for shares of the income, a fraction (`1/3`). It is never a binary float. */
  readonly value: string;
}

/**
 * Returns the origin of a figure that was collected before the tables were made
 * (shared/domain/simulations/pricing/README.md, What no source confirms).
 */
export const fromSheet = (date: string, what: string): Origin => ({
  date,
  source: `${what}, from the project’s pricing sheet`,
});

export const figure = (value: string, { date, source }: Origin): Figure => ({ value, date, source });

/** States (UF) in which a bank does not lend, in two letters each, and the page of the bank that says so. */
export interface ExcludedStates extends StillShown {
  readonly values: readonly string[];
}

/** A page of the bank that still showed a rate after the date of the rate's publication. */
export interface StillShown {
  /** Day on which a person read the page, `YYYY-MM-DD`. */
  readonly date: string;
  /** Address of the page, on a domain of the bank. */
  readonly address: string;
}

export interface WrittenAnswer {
  /** Day of the answer, `YYYY-MM-DD`. */
  readonly date: string;
  /** Who answered for the bank. */
  readonly from: string;
  readonly keptAt: string;
}

export type RateEvidence = StillShown | WrittenAnswer;

export interface RateFigure extends Figure {
  /** Extends the use of the rate in production (`lastDayOfUse` in in-force.ts). It does not change the rate's date. */
  readonly stillShown?: RateEvidence | undefined;
}

export const stillShown = ({ value, date, source }: Figure, day: string, address: string): RateFigure => ({
  value,
  date,
  source,
  stillShown: { date: day, address },
});

/** Fields of every data file. A version that has priced an offer is never changed: a new figure needs a new file. */
export interface Versioned {
  /** Name of the file without its extension. Every offer keeps it. */
  readonly version: string;
  /** First day of use, `YYYY-MM-DD`. */
  readonly validFrom: string;
  /**
   * Reasons why changes that look like typing errors are right (jumps.ts finds such changes). The key is a row as
   * validate.ts names it, or the part of that name before a dot.
   */
  readonly confirmed?: Readonly<Record<string, string>>;
}

/** The market's MIP by age. `from` and `to` are completed years; the rate is in percent of the balance each month. */
export interface MarketMip extends Versioned {
  readonly bands: readonly { readonly from: number; readonly to: number; readonly rate: Figure }[];
}

/** A bank's MIP at one age in completed years. The rate is in percent of the balance each month. */
export interface MipAnchor {
  readonly age: number;
  readonly rate: Figure;
}

export const anchorsOf = (origin: Origin, rates: Readonly<Record<number, string>>): readonly MipAnchor[] =>
  Object.entries(rates).map(([age, value]) => ({ age: Number(age), rate: figure(value, origin) }));

/** There is one row for each segment and system. */
export interface PublishedRate {
  readonly segment: Segment;
  readonly system: AmortizationSystem;
  readonly indexer: Indexer;
  readonly kind: RateKind;
  /** In percent a year; in percent a month if the basis is `monthly`. */
  readonly rate: RateFigure;
  readonly basis: RateBasis;
  /** Highest share of the property's value that the bank lends, in percent. */
  readonly share: Figure;
}

export function ratesOf(
  segment: Segment,
  { indexer, kind, basis }: Pick<PublishedRate, 'indexer' | 'kind' | 'basis'>,
  rate: RateFigure,
  shares: Readonly<Partial<Record<AmortizationSystem, Figure>>>,
): readonly PublishedRate[] {
  return AMORTIZATION_SYSTEMS.flatMap((system) => {
    const share = shares[system];
    return share ? [{ segment, system, indexer, kind, basis, rate, share }] : [];
  });
}

/** Conditions of one bank. Money is in reais, terms are in months. */
export interface BankTable extends Versioned {
  readonly bank: Bank;
  readonly rates: readonly PublishedRate[];
  readonly homeEquity: boolean;
  readonly shortestTerm: Figure;
  readonly longestTerm: Figure;
  readonly leastFinanced: Figure;
  /** Undefined if the bank names none: then the largest loan of the housing rules holds. */
  readonly largestFinanced?: Figure;
  /** Undefined if the bank names none. */
  readonly leastProperty?: Figure;
  /** States that a page of the bank excludes. Undefined if no page that was read excludes any. */
  readonly excludedStates?: ExcludedStates;
  /**
   * Day on which a person last compared the figures other than rates with the bank's sheet, `YYYY-MM-DD`. This day does
   * not change their dates. Undefined if nobody has compared them since they were published.
   */
  readonly seen?: string;
  readonly mip: {
    /** By age; empty if the bank's MIP is the market's. */
    readonly anchors: readonly MipAnchor[];
    /** Version of the market's MIP, from which the rates follow that the bank does not publish. */
    readonly market: string;
  };
  /** In percent of the property's value each month. */
  readonly dfi: Figure;
  readonly monthlyFee: Figure;
  /** Paid at the start of the loan. */
  readonly appraisalFee: Figure;
  /** Highest part of the income that the first instalment may take. */
  readonly incomeShare: Figure;
  /** Whether the bank also finances ITBI and registration. */
  readonly financesExpenses: boolean;
}

export interface HousingRules extends Versioned {
  /** In months. */
  readonly longestTerm: Figure;
  /** In completed years on the contract's day. */
  readonly youngest: Figure;
  readonly oldest: Figure;
  /** Age on the last due date, in months. */
  readonly oldestAtTheEnd: Figure;
  /** A housing loan is SFI instead of SFH if the property is worth more than this, in reais. */
  readonly sfhProperty: Figure;
  /** A housing loan is SFI instead of SFH if it costs more than this, in percent a year. */
  readonly sfhRate: Figure;
  /** Estimate of ITBI and registration, in percent of the property's value. */
  readonly expenses: Figure;
  /** Highest monthly fee, in reais, that does not count towards the SFH's highest rate. */
  readonly sfhFee: Figure;
  /** Largest loan of a bank that names none, in reais. */
  readonly largestFinanced: Figure;
  /**
   * Highest monthly income and highest property value, in reais, of the middle class of the housing programme (MCMV).
   */
  readonly programmeIncome: Figure;
  readonly programmeProperty: Figure;
}

export interface CreditTax extends Versioned {
  /** In percent of each amortization, for each day from the contract to its due date. */
  readonly dailyRate: Figure;
  /** Highest number of days that count. */
  readonly longest: Figure;
  /** In percent of the principal, for any term. */
  readonly additionalRate: Figure;
}

/** Assumed rise of each indexer, in percent a year, so that loans of different indexers can be compared. */
export interface Scenario extends Versioned {
  readonly indexers: Readonly<Record<Exclude<Indexer, 'PREFIXADO'>, Figure>>;
}
