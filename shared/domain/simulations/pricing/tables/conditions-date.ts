import { type Day, dayOf } from '#shared/domain/values/clock.ts';
import { firstDayOf, lastDayOf, marketMip, type Tables } from './in-force.ts';
import type { BankTable, Figure } from './table.ts';

type Dated = Pick<Figure, 'date'>;

function conditionsOf(table: BankTable, tables: Tables): readonly Dated[] {
  const { anchors, market } = table.mip;
  const optional = [table.largestFinanced, table.leastProperty].filter((figure) => figure !== undefined);
  const always: readonly Dated[] = [
    table.shortestTerm,
    table.longestTerm,
    table.leastFinanced,
    table.dfi,
    table.monthlyFee,
    table.appraisalFee,
    table.incomeShare,
  ];
  // The premiums of a bank that publishes none are the market's.
  const premiums = anchors.length > 0 ? anchors : marketMip(market, tables).bands;
  return always.concat(
    optional,
    table.rates.map(({ share }) => share),
    premiums.map(({ rate }) => rate),
  );
}

/**
 * Returns the last day on which a table's figures other than rates are known to have been right. This is the day on
 * which a person compared them, otherwise the last day that the oldest date allows.
 */
export function conditionsSeen(table: BankTable, tables: Tables): Day {
  if (table.seen !== undefined) return dayOf(table.seen);
  const [oldest = ''] = conditionsOf(table, tables)
    .map(({ date }) => lastDayOf(date))
    .sort();
  return oldest < table.validFrom ? dayOf(oldest) : dayOf(table.validFrom);
}

/**
 * Returns when the figures other than rates were published: one date, as exactly as is known, or the oldest and the
 * newest, `2025/2026-11` (an interval of ISO 8601).
 */
export function conditionsDate(table: BankTable, tables: Tables): string {
  const dates = conditionsOf(table, tables).map(({ date }) => date);
  const oldest = dates.reduce((first, date) => (firstDayOf(date) < firstDayOf(first) ? date : first));
  const newest = dates.reduce((last, date) => (lastDayOf(date) > lastDayOf(last) ? date : last));
  // 2025 and 2025-11 are both in 2025.
  return lastDayOf(newest) > lastDayOf(oldest) ? `${oldest}/${newest}` : oldest;
}
