import { INDEXERS, type Indexer, type Segment } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { addDays, type Day, dayInSaoPaulo, dayOf, daysBetween } from '#shared/domain/values/clock.ts';
import { hours, type Instant } from '#shared/domain/values/time.ts';
import { RATE_AGE_LIMIT, WARNING_DAYS } from '../notices.ts';
import { conditionsSeen } from './conditions-date.ts';
import { lastDayOfUse, scenarioDay, TABLES, type Tables } from './in-force.ts';
import { type RatePublication, withPublications } from './publications.ts';
import type { BankTable } from './table.ts';

/** Days before production refuses a bank, from which on a second message says so. */
const LAST_DAYS = 7;

/** A day from which production refuses a bank, because rates of the bank are too old. */
export interface RateExpiry {
  readonly bank: Bank;
  /** Segments whose rates are too old from this day on. Undefined if they are all segments of the table. */
  readonly segments: readonly Segment[] | undefined;
  readonly day: Day;
  /** First day of the bank's next table, which ends the refusals. Undefined if there is no next table. */
  readonly until: Day | undefined;
}

export const FIGURE_KINDS = ['conditions', 'excluded_states', 'scenario'] as const;

/** A day from which figures other than rates are old. They still price; a person must look them up again. */
export interface FigureExpiry {
  readonly kind: (typeof FIGURE_KINDS)[number];
  readonly of: Bank | Indexer;
  readonly day: Day;
}

/**
 * Returns the days from which the newest figures other than rates are old, earliest first. Conditions and excluded
 * states are old after `rateDays`, the scenario as soon as offers say so.
 */
export function figureExpiries(rateDays: number, tables: Tables = TABLES): readonly FigureExpiry[] {
  const expiries: FigureExpiry[] = [];
  for (const bank of BANKS) {
    const table = tables.banks[bank].at(-1);
    if (table === undefined) continue;
    expiries.push({ kind: 'conditions', of: bank, day: addDays(conditionsSeen(table, tables), rateDays + 1) });
    const { excludedStates } = table;
    if (excludedStates !== undefined)
      expiries.push({ kind: 'excluded_states', of: bank, day: addDays(dayOf(excludedStates.date), rateDays + 1) });
  }
  const scenario = tables.scenarios.at(-1);
  for (const indexer of INDEXERS) {
    if (scenario === undefined || indexer === 'PREFIXADO') continue;
    const day = addDays(scenarioDay(indexer, scenario, tables), RATE_AGE_LIMIT + 1);
    expiries.push({ kind: 'scenario', of: indexer, day });
  }
  return expiries.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** Leaves out an expiry that the next version prevents. */
function expiriesOf(
  table: BankTable,
  next: BankTable | undefined,
  rateDays: number,
  tables: Tables,
): readonly RateExpiry[] {
  const until = next && dayOf(next.validFrom);
  const byDay = new Map<Day, Set<Segment>>();
  for (const rate of table.rates) {
    const day = addDays(lastDayOfUse(table, rate, rateDays, tables), 1);
    if (until !== undefined && until <= day) continue;
    byDay.set(day, (byDay.get(day) ?? new Set<Segment>()).add(rate.segment));
  }
  const all = new Set(table.rates.map(({ segment }) => segment)).size;
  return Array.from(byDay, ([day, segments]) => ({
    bank: table.bank,
    segments: segments.size < all ? Array.from(segments) : undefined,
    day,
    until,
  }));
}

/**
 * Returns the days from which production refuses each bank for the age of its rates, earliest first. Versions that
 * another version has replaced by `today` do not count.
 */
export function rateExpiries(rateDays: number, tables: Tables, today: Day): readonly RateExpiry[] {
  return BANKS.flatMap((bank) => {
    const all = tables.banks[bank];
    const inUse = all.findLastIndex(({ validFrom }) => validFrom <= today);
    const versions = all.slice(Math.max(inUse, 0));
    return versions.flatMap((table, index) => expiriesOf(table, versions[index + 1], rateDays, tables));
  }).sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/**
 * Returns the days until production refuses a bank, or 0 if it refuses one already. Figures other than rates count as
 * if they ended WARNING_DAYS after they are old. Undefined if nothing ends.
 *
 * In the hour before the WARNING_DAYS of another end or the LAST_DAYS of a refusal begin, the result is above
 * WARNING_DAYS. An alarm notifies only if its state changes.
 */
export function daysLeft(
  now: Instant,
  rateDays: number,
  publications: readonly RatePublication[],
  tables: Tables = TABLES,
): number | undefined {
  const [today, inAnHour] = [dayInSaoPaulo(now), dayInSaoPaulo(now + hours(1))];
  const refusals = rateExpiries(rateDays, withPublications(publications, tables), today)
    .filter(({ until }) => until === undefined || today < until)
    .map(({ day }) => day);
  const ends = refusals.concat(figureExpiries(rateDays, tables).map(({ day }) => addDays(day, WARNING_DAYS)));
  if (ends.length === 0) return undefined;
  const left = Math.max(0, Math.min(...ends.map((end) => daysBetween(today, end))));
  const isIn = (list: readonly Day[], days: number) => list.some((end) => daysBetween(inAnHour, end) === days);
  const isBeginning = inAnHour > today && (isIn(ends, WARNING_DAYS) || isIn(refusals, LAST_DAYS));
  return isBeginning ? Math.max(left, WARNING_DAYS + 1) : left;
}
