import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { type DueAnalysis, dueReader } from '#shared/domain/analyses/due-reader.ts';
import type { Span } from '#shared/domain/analyses/poll-cursor.ts';
import { POLL_PARTITIONS, pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { PollWorld } from '#test/makers/poll-world.ts';

/** Ids of analyses in three partitions of one lane. */
const IDS = Array.from({ length: 5_000 }, (_, at) => (at + 1) as AnalysisId)
  .filter((id) => pollPartition(makeAnalysis({ id })).bucket < 3)
  .slice(0, 40);

/** Rows of three partitions at few moments, read in small pages, and spans that cut each partition anywhere. */
const scene = fc
  .record({
    moments: fc.array(fc.nat(9), { maxLength: 40 }),
    page: fc.integer({ min: 1, max: 4 }),
    cuts: fc.array(fc.tuple(fc.nat(2), fc.nat(9), fc.integer({ min: 1, max: 5 })), { maxLength: 6 }),
  })
  .map(({ moments, page, cuts }) => {
    const world = new PollWorld();
    world.page = page;
    const rows = moments.map((createdAt, at) => makeAnalysis({ id: IDS[at]!, createdAt }));
    for (const row of rows) world.add(row);
    const partitions = rows.length > 0 ? rows.map(pollPartition) : POLL_PARTITIONS;
    const spans = cuts.map(([of, from, length], dueAt): Span => {
      return { partition: partitions[of % partitions.length]!, from, to: from + length, dueAt };
    });
    return { rows, spans, analyses: world.deps().analyses };
  });

/** The rows of a span, in the order of the index. */
const inSpan = (rows: readonly Analysis[], { partition, from, to }: Span) =>
  rows
    .filter((row) => row.createdAt >= from && row.createdAt < to)
    .filter((row) => JSON.stringify(pollPartition(row)) === JSON.stringify(partition))
    .sort((one, other) => one.createdAt - other.createdAt || one.id - other.id);

async function read({ analyses, spans }: { analyses: PollAnalyses; spans: readonly Span[] }, most: number) {
  const reader = dueReader(analyses, spans);
  const taken: DueAnalysis[] = [];
  while (taken.length < most) {
    const next = await reader.next();
    if (!next) break;
    taken.push(next);
  }
  return { reader, taken };
}
type PollAnalyses = Parameters<typeof dueReader>[0];

it('the reader returns the analyses of each span in their order, and numbers them', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (drawn) => {
      const { reader, taken } = await read(drawn, Number.POSITIVE_INFINITY);
      const wanted = drawn.spans.flatMap((span) => inSpan(drawn.rows, span).map(({ id }) => [span, id]));
      expect(taken.map(({ span, analysis }) => [span, analysis.id])).toEqual(wanted);
      expect(taken.map(({ place }) => place)).toEqual([...taken.keys()]);
      expect(await reader.next()).toBeUndefined();
      expect(reader.remaining([])).toEqual([]);
    }),
  );
});

it('the remaining spans contain every analysis that was not asked about, wherever the reader stops', async () => {
  await fc.assert(
    fc.asyncProperty(scene, fc.nat(20), fc.nat(5), async (drawn, most, unaskedCount) => {
      const all = (await read(drawn, Number.POSITIVE_INFINITY)).taken;
      const { reader, taken } = await read(drawn, most);
      const unasked = taken.slice(Math.max(0, taken.length - unaskedCount));
      const remaining = reader.remaining(unasked);
      const found = remaining.flatMap((span) => inSpan(drawn.rows, span).map(({ id }) => `${span.dueAt} ${id}`));
      const owed = all.slice(taken.length - unasked.length).map(({ span, analysis }) => `${span.dueAt} ${analysis.id}`);
      expect(found).toEqual(expect.arrayContaining(owed));
      // Besides these, only analyses that share the millisecond of the first one may come again.
      const first = all[taken.length - unasked.length - 1];
      const before = all.slice(0, Math.max(0, taken.length - unasked.length));
      const again = before.filter(({ span, analysis }) => found.includes(`${span.dueAt} ${analysis.id}`));
      for (const { span, analysis } of again) {
        expect(span).toEqual(first!.span);
        expect(analysis.createdAt).toBe(first!.analysis.createdAt);
      }
    }),
  );
});

/** Two spans with 4 analyses and with 1, in pages of 3. */
function twoSpans() {
  const world = new PollWorld();
  world.page = 3;
  const partition = pollPartition(makeAnalysis({ id: IDS[0]! }));
  for (const createdAt of [1, 2, 3, 5, 6]) world.add(makeAnalysis({ id: IDS[0]!, createdAt }));
  const span = (from: number, to: number): Span => ({ partition, from, to, dueAt: 0 });
  return { analyses: world.deps().analyses, spans: [span(0, 6), span(6, 9)] };
}

it.each([0, 1])('the remaining spans contain all that is unread if page %i cannot be read', async (failing) => {
  const { analyses, spans } = twoSpans();
  let page = 0;
  const pending: PollAnalyses['pending'] = (...asked) =>
    page++ === failing ? Promise.reject(new Error('the table is away')) : analyses.pending(...asked);
  const reader = dueReader({ pending }, spans);
  const all = async () => {
    while (await reader.next());
  };
  await expect(all()).rejects.toThrow('away');
  expect(reader.remaining([])).toEqual([{ ...spans[0], from: failing * 3 }, spans[1]]);
});
