import type { Segment } from '#shared/domain/simulations/simulation.ts';
import { addMonths, type Day } from '#shared/domain/values/clock.ts';
import { firstUseOf, isSameFigure, lastDayOfUse, rateIn, TABLES, type Tables, tableFor } from './in-force.ts';
import { type RatePublication, withoutReplaced, withPublication, withPublications } from './publications.ts';
import type { BankTable, PublishedRate, RateEvidence } from './table.ts';
import { rateFaults } from './validate.ts';

export interface ProposedRate {
  readonly publication: RatePublication;
  readonly evidence: RateEvidence;
  /** Why the rate is right although it looks like a typing error. */
  readonly confirmed?: string | undefined;
}

/** Undefined if the segment's customers have the rate of `padrao`. */
export const rateOfSegment = ({ rates }: BankTable, segment: Segment): PublishedRate | undefined =>
  rates.find((rate) => rate.segment === segment);

/**
 * If the value is that of the rate in use, the publication takes back rates that would begin later, and the rate in use
 * stays as it is.
 */
export function newPublication(
  publications: readonly RatePublication[],
  publication: RatePublication,
  today: Day,
  tables: Tables = TABLES,
): RatePublication {
  const { bank, segment, from, rate } = publication;
  if (from <= today) return publication;
  const before = withPublications(withoutReplaced(publications, publication, today), tables);
  const inUse = rateOfSegment(tableFor(bank, from, before), segment)?.rate;
  return inUse && Number(inUse.value) === Number(rate.value) ? { ...publication, rate: inUse } : publication;
}

export function publicationFaults(
  publications: readonly RatePublication[],
  { publication, evidence, confirmed }: ProposedRate,
  today: Day,
  tables: Tables = TABLES,
): readonly string[] {
  const { bank, segment, from, rate } = publication;
  if (from <= today) return [`from: ${from} is not after today, ${today}`];
  if (from > addMonths(today, 12)) return [`from: ${from} is more than a year ahead`];
  const others = withoutReplaced(publications, publication, today);
  const without = withPublications(others, tables);
  const merged = withPublications(withPublication(publications, publication, today), tables);
  const [before, table] = [tableFor(bank, from, without), tableFor(bank, from, merged)];
  const [old, published] = [rateOfSegment(before, segment), rateOfSegment(table, segment)];
  if (old === undefined || published === undefined) return [`segment: ${bank} has no rate of its own for ${segment}`];
  if (Number(old.rate.value) === Number(rate.value))
    return others.length < publications.length ? [] : [`value: ${rate.value} is the rate in use: confirm it`];
  if (!isSameFigure(published.rate, rate))
    return [`from: a table of the code begins on ${from} with another rate: choose another day`];
  const { faults, doubts } = rateFaults({ segment, evidence, table, before }, today, merged);
  if (faults.length > 0) return faults;
  if (confirmed === undefined) return doubts.map((doubt) => `${doubt}: say in confirmed why it is right`);
  return doubts.length === 0 ? ['confirmed: nothing needs a reason: leave it out'] : [];
}

/** Undefined if the segment has no rate of its own. */
export function confirmationOf(
  publications: readonly RatePublication[],
  { bank, segment }: Pick<RatePublication, 'bank' | 'segment'>,
  evidence: RateEvidence,
  today: Day,
  tables: Tables = TABLES,
): RatePublication | undefined {
  const merged = withPublications(publications, tables);
  const table = tableFor(bank, today, merged);
  const found = rateOfSegment(table, segment);
  if (found === undefined) return undefined;
  const from = firstUseOf(merged.banks[bank], table, found.rate, (version) => rateIn(version, found)?.rate);
  return { bank, segment, from, rate: { ...found.rate, stillShown: evidence } };
}

/** `rateDays`: see lastDayOfUse. */
export function confirmationFaults(
  publications: readonly RatePublication[],
  { publication, evidence }: ProposedRate,
  today: Day,
  rateDays: number,
  tables: Tables = TABLES,
): readonly string[] {
  const { bank, segment } = publication;
  const now = withPublications(publications, tables);
  const merged = withPublications(withPublication(publications, publication, today), tables);
  const [before, table] = [tableFor(bank, today, now), tableFor(bank, today, merged)];
  const { faults } = rateFaults({ segment, evidence, table, before }, today, merged);
  const [old, confirmed] = [rateOfSegment(before, segment), rateOfSegment(table, segment)];
  if (faults.length > 0 || old === undefined || confirmed === undefined) return faults;
  const lastDay = lastDayOfUse(before, old, rateDays, now);
  return lastDayOfUse(table, confirmed, rateDays, merged) > lastDay
    ? []
    : [`seen: the rate is used until ${lastDay} already, and evidence of this day extends it no further`];
}
