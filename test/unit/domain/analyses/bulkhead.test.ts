import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type LaneReport, type LaneWork, runLane } from '#shared/domain/analyses/bulkhead.ts';
import type { CallEnd } from '#shared/domain/analyses/circuit-breaker.ts';
import { type DueAnalysis, dueReader } from '#shared/domain/analyses/due-reader.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';

const RUNS = process.env['SOAK'] ? 3_000 : 100;
const PARTITION = { environment: 'producao', bank: 'itau', bucket: 0 } as const;
const PAGE = 7;
type End = CallEnd | 'unsupported' | Error;

/** A lane of `count` analyses, created one millisecond apart from 1 on. Those in `doubt` have no query number yet. */
function lane(count: number, doubt: (place: number) => boolean = () => false) {
  const pending = Array.from({ length: count }, (_, index) => {
    const queryNumber = doubt(index) ? '' : `N-${index}`;
    return makeAnalysis({ id: (index + 1) as AnalysisId, createdAt: index + 1, queryNumber });
  });
  let pages = 0;
  const reader = dueReader(
    {
      async pending(_, { from, to }, after) {
        pages += 1;
        const due = pending.filter(({ createdAt }) => createdAt >= from && createdAt < to);
        const start = Number(after ?? 0);
        const end = start + PAGE;
        return { items: due.slice(start, end), next: end < due.length ? String(end) : undefined };
      },
    },
    [{ partition: PARTITION, from: 0, to: count + 1, dueAt: 0 }],
  );
  return { pending, reader, pages: () => pages };
}

/** Runs a lane whose calls end when and how the test decides. */
function play(
  { reader }: Pick<ReturnType<typeof lane>, 'reader'>,
  { batches = false, now = { ms: 0 }, lastStart = Number.MAX_SAFE_INTEGER } = {},
) {
  const running = new Map<readonly DueAnalysis[], (end: End) => void>();
  const started: (readonly DueAnalysis[])[] = [];
  const call = (group: readonly DueAnalysis[]) =>
    new Promise<CallEnd>((resolve, reject) => {
      started.push(group);
      running.set(group, (end) => {
        running.delete(group);
        if (end instanceof Error) reject(end);
        else resolve(end as CallEnd);
      });
    });
  const work: LaneWork = {
    ask: (due) => call([due]),
    askBatch: batches ? (group) => call(group) as Promise<CallEnd | 'unsupported'> : undefined,
    isBatchable: ({ analysis }) => analysis.queryNumber !== '',
  };
  const report: Promise<LaneReport> = runLane(reader.next, reader, work, { lastStart, clock: () => now.ms });
  const end = async (of: End | ((group: readonly DueAnalysis[]) => End), which = [...running.keys()]) => {
    for (const group of which) running.get(group)?.(typeof of === 'function' ? of(group) : of);
    await settled();
  };
  return {
    started,
    report,
    now,
    end,
    running: () => [...running.keys()],
    /** Ends calls until none is running, and returns the lane's report. */
    async endAll(of: End | ((group: readonly DueAnalysis[]) => End) = 'answered') {
      await settled();
      while (running.size > 0) await end(of);
      return report;
    },
  };
}

/** Waits until no promise can continue by itself: promise jobs run before any macrotask. */
async function settled(): Promise<void> {
  for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve));
}

const sizes = (groups: readonly (readonly DueAnalysis[])[]) => groups.map((group) => group.length);
const asked = (groups: readonly (readonly DueAnalysis[])[]) => groups.flat().map(({ analysis }) => analysis.id);

const FINISHED = { unfinished: [], open: false, skipped: 0 };

test('a lane without batches asks about each analysis once, ten at a time', async () => {
  const run = play(lane(35));
  await settled();
  expect(sizes(run.running())).toEqual(Array(10).fill(1));
  await run.end('answered', run.running().slice(0, 3));
  expect(run.running()).toHaveLength(10);
  const report = await run.endAll();
  expect(asked(run.started)).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
  expect(report).toEqual({ ...FINISHED, error: undefined });
});

test('a lane asks in batches of up to 100: the first one alone, then two at a time', async () => {
  const run = play(lane(450), { batches: true });
  await settled();
  expect(sizes(run.running())).toEqual([100]);
  await run.end('answered');
  expect(sizes(run.running())).toEqual([100, 100]);
  await run.endAll();
  expect(sizes(run.started)).toEqual([100, 100, 100, 100, 50]);
  expect(asked(run.started)).toHaveLength(450);
});

test('an analysis without a number is asked about in a call of its own, next to the batches', async () => {
  const doubtful = lane(120, (place) => place % 40 === 5);
  const run = play(doubtful, { batches: true });
  await run.endAll();
  expect(sizes(run.started).sort((a, b) => b - a)).toEqual([100, 17, 1, 1, 1]);
  expect(new Set(asked(run.started)).size).toBe(120);
  const alone = run.started.filter((group) => group.length === 1).flat();
  expect(alone.map(({ analysis }) => analysis.queryNumber)).toEqual(['', '', '']);
});

const ones = (count: number) => Array<number>(count).fill(1);
const broken = new Error('the table is away');

// Each row: the number of analyses, how batches end (undefined without batches), how calls about one analysis end, the
// sizes of the calls, and whether the breaker opens. It opens after five failures and a failed trial call, and the lane
// then only counts the rest.
test.each<[string, number, End | undefined, End, number[], boolean]>([
  ['a lane asks about a single analysis without a batch', 101, 'answered', 'answered', [100, 1], false],
  [
    'a lane tries a batch only once if the operator has no batches',
    130,
    'unsupported',
    'answered',
    [100, ...ones(130)],
    false,
  ],
  [
    'a lane asks about each analysis in a call of its own if the first batch fails',
    130,
    'failed',
    'answered',
    [100, ...ones(130)],
    false,
  ],
  [
    'a lane stops soon if the bank answers neither batches nor questions',
    1_000,
    'failed',
    'failed',
    [100, ...ones(11)],
    true,
  ],
  ['a lane stops asking a bank that keeps failing', 100, undefined, 'failed', ones(11), true],
  ['a lane continues after any number of faults of single analyses', 100, undefined, 'neutral', ones(100), false],
  [
    'a lane reports an error of our own code, and does not count it against the bank',
    60,
    undefined,
    broken,
    ones(60),
    false,
  ],
])('%s', async (_, count, ofBatch, ofOne, callSizes, opens) => {
  const run = play(lane(count), { batches: ofBatch !== undefined });
  const report = await run.endAll((group) => (group.length > 1 ? ofBatch! : ofOne));
  expect(sizes(run.started)).toEqual(callSizes);
  const numberAsked = opens && ofBatch ? 100 : opens ? 11 : count;
  expect(new Set(asked(run.started)).size).toBe(numberAsked);
  const stopped = { open: true, skipped: count - numberAsked, unfinished: [{ from: 12 }] };
  expect(report).toMatchObject(opens ? stopped : FINISHED);
  expect(report.error).toBe(ofOne instanceof Error ? ofOne : undefined);
});

test('failing batches open the breaker of a lane, too', async () => {
  const run = play(lane(1_000), { batches: true });
  await settled();
  await run.end('answered');
  const report = await run.endAll('failed');
  // Two at a time until five have failed, and one trial call.
  expect(sizes(run.started)).toEqual(Array(1 + 6 + 1).fill(100));
  expect(report).toMatchObject({ open: true, skipped: 200 });
});

test('from lastStart on a lane starts nothing, waits for its running calls, and leaves the rest', async () => {
  const run = play(lane(50), { lastStart: 1_000 });
  await settled();
  const ended = vi.fn();
  run.report.then(ended);
  run.now.ms = 1_000;
  await run.end('answered', run.running().slice(0, 4));
  expect(run.started).toHaveLength(10);
  expect(ended).not.toHaveBeenCalled();
  const report = await run.endAll();
  expect(report.unfinished).toMatchObject([{ from: 11, to: 51 }]);
});

test('a page that cannot be read ends the lane after the analyses that were read, and the rest is left', async () => {
  const { reader } = lane(30);
  let reads = 0;
  const next = () => (reads++ === 12 ? Promise.reject(broken) : reader.next());
  const run = play({ reader: { remaining: reader.remaining, next } });
  const report = await run.endAll();
  expect(run.started).toHaveLength(12);
  expect(report.error).toBe(broken);
  expect(report.unfinished).toMatchObject([{ from: 13 }]);
});

test('a lane loses no analysis, however its calls end and whenever its time runs out', async () => {
  const end = fc.constantFrom<End>('answered', 'answered', 'answered', 'failed', 'neutral', 'unsupported', broken);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 400 }),
      fc.array(end, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 2, max: 50 }),
      fc.boolean(),
      async (count, ends, lastStart, everyDoubt, batches) => {
        const at = lane(count, (place) => place % everyDoubt === 0);
        const now = { ms: 0 };
        let call = 0;
        let singles = 0;
        let weight = 0;
        const asked = new Set<number>();
        const done = async (group: readonly DueAnalysis[]): Promise<CallEnd | 'unsupported'> => {
          const mine = group.length > 1 ? 5 : 1;
          weight += mine;
          expect(weight).toBeLessThanOrEqual(10);
          expect(now.ms).toBeLessThan(lastStart);
          const end = ends[call++ % ends.length]!;
          for (let turn = 0; turn < call % 4; turn++) await Promise.resolve();
          now.ms += 1;
          weight -= mine;
          if (end === 'unsupported' && group.length > 1) return end;
          for (const { analysis } of group) asked.add(analysis.id);
          if (group.length === 1) singles += 1;
          if (end instanceof Error) throw end;
          return end === 'unsupported' ? 'neutral' : end;
        };
        const work: LaneWork = {
          ask: async (due) => (await done([due])) as CallEnd,
          askBatch: batches ? done : undefined,
          isBatchable: ({ analysis }) => analysis.queryNumber !== '',
        };
        const report = await runLane(at.reader.next, at.reader, work, { lastStart, clock: () => now.ms });
        expect(weight).toBe(0);
        expect(singles).toBeLessThanOrEqual(count);
        const isLeft = (at: number) => report.unfinished.some(({ from, to }) => at >= from && at < to);
        expect(at.pending.filter(({ id, createdAt }) => !asked.has(id) && !isLeft(createdAt))).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
});
