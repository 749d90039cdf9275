import { INDEXERS, type Segment } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { addDays, type Day, dayOf } from '#shared/domain/values/clock.ts';
import { RATE_AGE_LIMIT } from '../notices.ts';
import { conditionsSeen } from './conditions-date.ts';
import { lastDayOfUse, scenarioDay, TABLES, type Tables } from './in-force.ts';
import type { BankTable } from './table.ts';

/** A day from which production refuses a bank, because rates of the bank are too old. */
export interface RateExpiry {
  readonly bank: Bank;
  /** Segments whose rates are too old from this day on. Undefined if they are all segments of the table. */
  readonly segments: readonly Segment[] | undefined;
  /** First day of the refusals. */
  readonly day: Day;
  /** First day of the bank's next table, which ends the refusals. Undefined if there is no next table. */
  readonly until: Day | undefined;
}

/** A day from which figures other than rates are old. They still price; a person must look them up again. */
export interface FigureExpiry {
  /** Such as `brb conditions`, `inter excluded states` or `scenario IPCA`. */
  readonly figures: string;
  readonly day: Day;
}

/**
 * Returns the days from which the newest figures other than rates are old, earliest first: conditions and excluded states
 * after `rateDays`, the scenario as soon as offers say so.
 */
export function figureExpiries(rateDays: number, tables: Tables = TABLES): readonly FigureExpiry[] {
  const ofBanks = BANKS.flatMap((bank) => {
    const table = tables.banks[bank].at(-1);
    if (table === undefined) return [];
    const conditions = { figures: `${bank} conditions`, day: addDays(conditionsSeen(table, tables), rateDays + 1) };
    const { excludedStates } = table;
    if (excludedStates === undefined) return [conditions];
    return [conditions, { figures: `${bank} excluded states`, day: addDays(dayOf(excludedStates.date), rateDays + 1) }];
  });
  const scenario = tables.scenarios.at(-1);
  const ofScenario = scenario
    ? INDEXERS.filter((indexer) => indexer !== 'PREFIXADO').map((indexer) => {
        const day = addDays(scenarioDay(indexer, scenario, tables), RATE_AGE_LIMIT + 1);
        return { figures: `scenario ${indexer}`, day };
      })
    : [];
  return ofBanks.concat(ofScenario).sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** Returns the expiries of one version. An expiry that the next version prevents is not among them. */
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
 * Returns the days from which production refuses each bank for the age of its rates, earliest first. `rateDays` is the
 * age limit of a rate in days. The result depends only on the two newest versions of each bank, not on the present day:
 * the newest version may be published before it comes into use.
 */
export function rateExpiries(rateDays: number, tables: Tables = TABLES): readonly RateExpiry[] {
  return BANKS.flatMap((bank) => {
    const versions = tables.banks[bank].slice(-2);
    return versions.flatMap((table, index) => expiriesOf(table, versions[index + 1], rateDays, tables));
  }).sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}
