import type { Segment } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { firstUseOf, isSameFigure, rateIn, TABLES, type Tables } from './in-force.ts';
import type { BankTable, PublishedRate, RateFigure } from './table.ts';

/**
 * A rate of a segment that a manager has published or confirmed without a deployment. It holds under every system of
 * the segment, until the next publication, or until a table of the code has another rate.
 */
export interface RatePublication {
  readonly bank: Bank;
  readonly segment: Segment;
  /** First day of use. A confirmation keeps the first day of the rate that it confirms. */
  readonly from: Day;
  readonly rate: RateFigure;
}

function withLaterEvidence(rate: RateFigure, { stillShown }: RateFigure): RateFigure {
  const isLater = stillShown && (rate.stillShown === undefined || rate.stillShown.date < stillShown.date);
  return isLater ? { ...rate, stillShown } : rate;
}

function rateBy(
  publications: readonly RatePublication[],
  rate: PublishedRate,
  table: BankTable,
  versions: readonly BankTable[],
): PublishedRate {
  const last = publications.findLast(({ segment }) => segment === rate.segment);
  if (last === undefined) return rate;
  if (isSameFigure(last.rate, rate.rate)) return { ...rate, rate: withLaterEvidence(rate.rate, last.rate) };
  const firstUse = firstUseOf(versions, table, rate.rate, (version) => rateIn(version, rate)?.rate);
  return last.from > firstUse ? { ...rate, rate: last.rate } : rate;
}

/** Returns a bank's versions: those of the code, and one more for each day on which a published rate begins. */
function mergedVersions(
  versions: readonly BankTable[],
  publications: readonly RatePublication[],
): readonly BankTable[] {
  const days = new Set(versions.map(({ validFrom }) => validFrom).concat(publications.map(({ from }) => from)));
  return Array.from(days)
    .sort()
    .flatMap((day) => {
      const table = versions.findLast(({ validFrom }) => validFrom <= day);
      if (table === undefined) return [];
      const begun = publications.filter(({ from }) => from <= day);
      return { ...table, validFrom: day, rates: table.rates.map((rate) => rateBy(begun, rate, table, versions)) };
    });
}

/**
 * Without publications, returns the tables of the code themselves. A version with other rates keeps the name of the
 * table that has its conditions.
 */
export function withPublications(publications: readonly RatePublication[], tables: Tables = TABLES): Tables {
  if (publications.length === 0) return tables;
  const ordered = publications.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  const banks = { ...tables.banks };
  for (const bank of BANKS) {
    const ofBank = ordered.filter((publication) => publication.bank === bank);
    if (ofBank.length > 0) banks[bank] = mergedVersions(tables.banks[bank], ofBank);
  }
  return { ...tables, banks };
}

/**
 * Returns the publications without those that a new rate of a segment replaces: rates that would begin on its first day
 * or later. A confirmation replaces no publication that begins later.
 */
export function withoutReplaced(
  publications: readonly RatePublication[],
  { bank, segment, from }: Pick<RatePublication, 'bank' | 'segment' | 'from'>,
  today: Day,
): readonly RatePublication[] {
  const isReplaced = (one: RatePublication) => (from > today ? one.from >= from : one.from === from);
  return publications.filter((one) => one.bank !== bank || one.segment !== segment || !isReplaced(one));
}

/**
 * Returns the publications oldest first. Drops rates whose use has ended by today: offers store the rate that they
 * used. A later entry with the same rate ends no use: it took back a rate that never began.
 */
export function withPublication(
  publications: readonly RatePublication[],
  added: RatePublication,
  today: Day,
): readonly RatePublication[] {
  const all = withoutReplaced(publications, added, today).concat(added);
  const hasEnded = ({ bank, segment, from, rate }: RatePublication) =>
    all.some(
      (one) =>
        one.bank === bank &&
        one.segment === segment &&
        one.from > from &&
        one.from <= today &&
        !isSameFigure(one.rate, rate),
    );
  return all.filter((one) => !hasEnded(one)).toSorted((a, b) => (a.from < b.from ? -1 : 1));
}
