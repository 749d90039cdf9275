import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import {
  listPending,
  type PendingFilter,
  type PendingPlace,
  partitionsToList,
} from '#shared/domain/analyses/list-pending.ts';
import { POLL_PARTITIONS } from '#shared/domain/analyses/poll-schedule.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { AnalysisId, PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { PollWorld } from '#test/makers/poll-world.ts';

const ALWAYS = () => true;
/** `listPending` over these rows, in pages of the index of `page` rows each. `reads` counts the pages. */
function indexOf(rows: readonly Analysis[], page: number) {
  const world = new PollWorld();
  world.page = page;
  for (const row of rows) world.add(row);
  const { pending } = world.deps().analyses;
  const analyses = { pending: vi.fn(pending) };
  const list = (filter: PendingFilter, place: PendingPlace | undefined, inTime: () => boolean) =>
    listPending(filter, place, { analyses, inTime });
  /** How often the index was read since the last call of `reads`. */
  const reads = () => analyses.pending.mock.calls.splice(0).length;
  return { list, reads };
}

/** Follows `next` to the end. `roundsOf` returns how many rounds of reads each call has time for, at least one. */
async function allPages(
  { list }: ReturnType<typeof indexOf>,
  filter: PendingFilter,
  roundsOf: (call: number) => number,
): Promise<(readonly Analysis[])[]> {
  const pages: (readonly Analysis[])[] = [];
  let place: PendingPlace | undefined;
  do {
    let rounds = roundsOf(pages.length);
    const { items, next } = await list(filter, place, () => --rounds > 0);
    pages.push(items);
    expect(next, 'a page continues where it began').not.toEqual(place ?? 'the beginning');
    place = next;
  } while (place);
  return pages;
}

const idsOf = (rows: readonly Analysis[]) => rows.map(({ id }) => id).sort((a, b) => a - b);

const row = fc.record({
  bank: fc.constantFrom(...BANKS),
  environment: fc.constantFrom(...ENVIRONMENTS),
  partnerId: fc.constantFrom(3 as PartnerId, 4 as PartnerId),
  // Few moments, so that rows of one millisecond lie on both sides of the end of a page.
  createdAt: fc.nat(5),
  unanswerableSince: fc.option(fc.constant(9), { nil: undefined }),
});
/** Few ids, far apart: some partitions have several pages, and most have none. */
const id = fc.tuple(fc.nat(7), fc.nat(20)).map(([spread, one]) => (spread * 1e9 + one) as AnalysisId);
const rows = fc
  .uniqueArray(fc.record({ id, row }), { selector: (one) => one.id, maxLength: 120 })
  .map((drawn) => drawn.map((one) => makeAnalysis({ ...one.row, id: one.id })));
const filter = fc.record({
  partnerId: fc.constantFrom(undefined, 3 as PartnerId, 5 as PartnerId),
  bank: fc.option(fc.constantFrom(...BANKS), { nil: undefined }),
  unanswerable: fc.constantFrom(undefined, false, true),
});

/** Whether a filter wants a row, written independently of the code under test. */
const wanted = ({ partnerId, bank, unanswerable }: PendingFilter) =>
  function isWanted(one: Analysis): boolean {
    if (partnerId !== undefined && one.partnerId !== partnerId) return false;
    if (bank !== undefined && one.bank !== bank) return false;
    return !unanswerable || one.unanswerableSince !== undefined;
  };

it('listPending returns each analysis of a filter once, oldest first, wherever the time of a call ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      filter,
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 }),
      async (all, asked, page, rounds) => {
        const expected = idsOf(all.filter(wanted(asked)));
        const onePage = await indexOf(all, page).list(asked, undefined, ALWAYS);
        expect(idsOf(onePage.items)).toEqual(expected);
        expect(onePage.next).toBeUndefined();
        const pages = await allPages(indexOf(all, page), asked, (call) => rounds[call % rounds.length]!);
        expect(idsOf(pages.flat())).toEqual(expected);
        for (const items of [onePage.items, ...pages]) {
          const moments = items.map(({ createdAt }) => createdAt);
          expect(moments).toEqual(moments.toSorted());
        }
      },
    ),
  );
});

it('listPending ends each page soon after 500 analyses, and the last page ends the list', async () => {
  const all = Array.from({ length: 1_700 }, (_, index) => makeAnalysis({ id: (index + 1) as AnalysisId }));
  const pages = await allPages(indexOf(all, 50), {}, () => Number.POSITIVE_INFINITY);
  expect(idsOf(pages.flat())).toEqual(idsOf(all));
  for (const items of pages.slice(0, -1)) {
    expect(items.length).toBeGreaterThanOrEqual(500);
    expect(items.length).toBeLessThan(550);
  }
  expect(pages).toHaveLength(4);
});

it('listPending reads 60 partitions at once if nothing is pending, and only the 20 of a bank that is named', async () => {
  const empty = indexOf([], 10);
  const first = await empty.list({}, undefined, () => false);
  expect(first.next).toEqual({ partition: 60 });
  expect(empty.reads()).toBe(60);
  expect(await allPages(empty, {}, () => Math.ceil(POLL_PARTITIONS.length / 60))).toHaveLength(1);
  expect(empty.reads()).toBe(POLL_PARTITIONS.length);
  expect(await allPages(empty, { bank: 'brb' }, () => 1)).toHaveLength(1);
  expect(empty.reads()).toBe(20);
  expect(partitionsToList({ bank: 'brb' })).toEqual(POLL_PARTITIONS.filter(({ bank }) => bank === 'brb'));
  expect(partitionsToList({})).toEqual(POLL_PARTITIONS);
});
