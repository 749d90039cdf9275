import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Span } from '#shared/domain/analyses/poll-cursor.ts';
import { type Due, type LaneCalls, type LaneEnd, runLane } from '#shared/domain/analyses/poll-lane.ts';
import type { Analyses, QuestionEnd } from '#shared/domain/analyses/ports.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';

const RUNS = process.env['SOAK'] ? 3_000 : 100;
const PAGE = 7;
type End = QuestionEnd | Error;

const spanOf = (bucket: number, from: number, to: number): Span => {
  return { partition: { environment: 'producao', bank: 'itau', bucket }, from, to, since: 0, through: 1 };
};

/** Partitions with `count` analyses, created at 1, 2, ... Those in `doubt` have no query number yet. */
function lane(count: number, doubt: (place: number) => boolean = () => false, perMoment = 1) {
  const pending = Array.from({ length: count }, (_, index) => {
    const queryNumber = doubt(index) ? '' : `N-${index}`;
    const createdAt = 1 + Math.floor(index / perMoment);
    return makeAnalysis({ id: (index + 1) as AnalysisId, createdAt, queryNumber });
  });
  const queried: number[] = [];
  const analyses: Pick<Analyses, 'pending'> = {
    async pending({ bucket }, { from, to }, after) {
      queried.push(bucket);
      const due = pending.filter(({ createdAt }) => createdAt >= from && createdAt < to);
      const start = Number(after ?? 0);
      const end = start + PAGE;
      return { items: due.slice(start, end), next: end < due.length ? String(end) : undefined };
    },
  };
  return { pending, analyses, queried, plan: [spanOf(0, 0, count + 1)] };
}

/** Runs a lane whose calls end when and how the test decides. */
function play(
  { analyses, plan }: Pick<ReturnType<typeof lane>, 'analyses' | 'plan'>,
  { batches = false, now = { ms: 0 }, lastStart = Number.MAX_SAFE_INTEGER } = {},
) {
  const running = new Map<readonly Due[], (end: End) => void>();
  const started: (readonly Due[])[] = [];
  let batching = batches;
  const call = (group: readonly Due[]) =>
    new Promise<QuestionEnd>((resolve, reject) => {
      started.push(group);
      running.set(group, (end) => {
        running.delete(group);
        if (end instanceof Error) reject(end);
        else resolve(end);
      });
    });
  const calls: LaneCalls = {
    ask: (due) => call([due]),
    async askBatch(batch) {
      const end = await call(batch);
      batching &&= end === 'answered';
      return { end, again: end === 'answered' ? [] : batch };
    },
    isBatchable: ({ analysis }) => batching && analysis.queryNumber !== '',
  };
  const wanted = () => true;
  const report: Promise<LaneEnd> = runLane(plan, calls, analyses, wanted, () => now.ms < lastStart);
  const end = async (of: End | ((group: readonly Due[]) => End), which = [...running.keys()]) => {
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
    async endAll(of: End | ((group: readonly Due[]) => End) = 'answered') {
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

const sizes = (groups: readonly (readonly Due[])[]) => groups.map((group) => group.length);
const asked = (groups: readonly (readonly Due[])[]) => groups.flat().map(({ analysis }) => analysis.id);
const ones = (count: number) => Array<number>(count).fill(1);
const broken = new Error('the table is away');
const FINISHED = { rest: [], isStopped: false, skipped: 0 };

test('a lane without batches asks about each analysis once, ten at a time', async () => {
  const run = play(lane(35));
  await settled();
  expect(sizes(run.running())).toEqual(ones(10));
  await run.end('answered', run.running().slice(0, 3));
  expect(run.running()).toHaveLength(10);
  const report = await run.endAll();
  expect(asked(run.started)).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
  expect(report).toEqual({ ...FINISHED, error: undefined });
});

test('a lane asks one batch of up to 100 at a time', async () => {
  const run = play(lane(450), { batches: true });
  for (const size of [100, 100, 100, 100, 50]) {
    await settled();
    expect(sizes(run.running())).toEqual([size]);
    await run.end('answered');
  }
  expect(await run.report).toEqual({ ...FINISHED, error: undefined });
});

test('an analysis that cannot be in a batch is asked about after the batch, in a call of its own', async () => {
  const run = play(
    lane(120, (place) => place % 40 === 5),
    { batches: true },
  );
  await run.endAll();
  expect(sizes(run.started)).toEqual([97, 1, 1, 1, 20]);
  expect(new Set(asked(run.started)).size).toBe(120);
});

// Each row: the number of analyses, how batches end (undefined without batches), how calls about one analysis end, the
// sizes of the calls, and whether the lane stops.
test.each<[string, number, End | undefined, End, number[], boolean]>([
  ['asks about a single analysis without a batch', 101, 'answered', 'answered', [100, 1], false],
  ['tries one batch if the operator has none', 130, 'unanswerable', 'answered', [100, ...ones(130)], false],
  ['asks about each analysis alone if the batch fails', 130, 'failed', 'answered', [100, ...ones(130)], false],
  ['stops soon if the bank answers nothing', 1_000, 'failed', 'failed', [100, ...ones(11)], true],
  ['stops asking a bank that keeps failing', 100, undefined, 'failed', ones(11), true],
  ['continues after any number of faults of single analyses', 100, undefined, 'unanswerable', ones(100), false],
  ['continues after errors of our own code, and reports the first', 60, undefined, broken, ones(60), false],
])('a lane %s', async (_, count, ofBatch, ofOne, callSizes, stops) => {
  const run = play(lane(count), { batches: ofBatch !== undefined });
  const report = await run.endAll((group) => (group.length > 1 ? ofBatch! : ofOne));
  expect(sizes(run.started)).toEqual(callSizes);
  const stopped = { isStopped: true, skipped: count - 11, rest: [{ from: 12 }] };
  expect(report).toMatchObject(stops ? stopped : FINISHED);
  expect(report.error).toBe(ofOne instanceof Error ? ofOne : undefined);
});

test('a lane asks about each analysis alone if its batch throws, and reports the error', async () => {
  const run = play(lane(3), { batches: true });
  const report = await run.endAll((group) => (group.length > 1 ? broken : 'answered'));
  expect(sizes(run.started)).toEqual([3, 1, 1, 1]);
  expect(report).toEqual({ ...FINISHED, error: broken });
});

test('after five failures in a row a lane makes one call alone, once no other call is running', async () => {
  const run = play(lane(50));
  await settled();
  await run.end('failed', run.running().slice(0, 5));
  expect(run.running()).toHaveLength(5);
  await run.end('failed', run.running().slice(0, 4));
  expect(run.running()).toHaveLength(1);
  await run.end('failed');
  expect(run.running()).toHaveLength(1);
  expect(asked(run.running())).toEqual([11]);
  await run.end('failed');
  expect(run.started).toHaveLength(11);
  expect((await run.report).isStopped).toBe(true);
});

test('a lane continues if a call under way is answered after five failures in a row', async () => {
  const run = play(lane(50));
  await settled();
  await run.end('failed', run.running().slice(0, 5));
  await run.end('answered');
  expect(run.running()).toHaveLength(10);
  expect(await run.endAll()).toMatchObject(FINISHED);
});

test('a lane continues if its call alone is answered, and makes another one if that call says nothing', async () => {
  const run = play(lane(50));
  await settled();
  await run.end('failed');
  await run.end('unanswerable');
  expect(asked(run.running())).toEqual([12]);
  await run.end('answered');
  expect(run.running()).toHaveLength(10);
  expect(await run.endAll()).toMatchObject(FINISHED);
});

test('when its time is over a lane starts nothing, waits for its running calls, and leaves the rest', async () => {
  const run = play(lane(50), { lastStart: 1_000 });
  await settled();
  const ended = vi.fn();
  run.report.then(ended);
  run.now.ms = 1_000;
  await run.end('answered', run.running().slice(0, 4));
  expect(run.started).toHaveLength(10);
  expect(ended).not.toHaveBeenCalled();
  const report = await run.endAll();
  expect(report.rest).toMatchObject([{ from: 11, to: 51 }]);
});

test('a page that cannot be read ends the lane after the analyses that were read, and the rest is left', async () => {
  const { analyses, plan } = lane(30);
  let reads = 0;
  const pending: Analyses['pending'] = (...of) => (reads++ === 2 ? Promise.reject(broken) : analyses.pending(...of));
  const run = play({ analyses: { pending }, plan });
  const report = await run.endAll();
  expect(run.started).toHaveLength(2 * PAGE);
  expect(report.error).toBe(broken);
  expect(report.rest).toMatchObject([{ from: 2 * PAGE }]);
});

test('a lane queries no empty span, and is finished if only empty spans remain', async () => {
  const { analyses, queried } = lane(3);
  const plan = [spanOf(0, 5, 5), spanOf(1, 0, 5), spanOf(2, 6, 5)];
  expect(await play({ analyses, plan }).endAll()).toMatchObject(FINISHED);
  expect(queried).toEqual([1]);
  expect(await play({ analyses, plan }, { lastStart: 0 }).endAll()).toMatchObject({ rest: plan });
});

test('a lane loses no analysis, however its calls end and whenever its time runs out', async () => {
  const end = fc.constantFrom<End>('answered', 'answered', 'answered', 'failed', 'unanswerable', broken);
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        count: fc.integer({ min: 0, max: 400 }),
        ends: fc.array(end, { minLength: 1, maxLength: 12 }),
        lastStart: fc.integer({ min: 1, max: 400 }),
        everyDoubt: fc.integer({ min: 2, max: 50 }),
        perMoment: fc.integer({ min: 1, max: 3 }),
        batches: fc.boolean(),
        cut: fc.integer({ min: 1, max: 400 }),
      }),
      async ({ count, ends, lastStart, everyDoubt, perMoment, batches, cut }) => {
        const { pending, analyses } = lane(count, (place) => place % everyDoubt === 0, perMoment);
        const plan = [spanOf(0, 0, cut), spanOf(0, 9, 9), spanOf(0, cut, count + cut + 1)];
        let [now, call, singles, batchesRunning] = [0, 0, 0, 0];
        const faults: string[] = [];
        const asked = new Set<number>();
        const done = async (group: readonly Due[]): Promise<QuestionEnd> => {
          if (now >= lastStart) faults.push('a call after the end');
          if (group.length > 1) batchesRunning += 1;
          else singles += 1;
          if (10 * batchesRunning + singles > 10) faults.push('too many calls at a time');
          const end = ends[call++ % ends.length]!;
          for (let turn = 0; turn < call % 4; turn++) await Promise.resolve();
          now += 1;
          if (group.length > 1) batchesRunning -= 1;
          else singles -= 1;
          if (group.length === 1 || end === 'answered') for (const { analysis } of group) asked.add(analysis.id);
          if (end instanceof Error && group.length === 1) throw end;
          return end instanceof Error ? 'unanswerable' : end;
        };
        const calls: LaneCalls = {
          ask: (due) => done([due]),
          async askBatch(batch) {
            const end = await done(batch);
            return { end, again: end === 'answered' ? [] : batch };
          },
          isBatchable: ({ analysis }) => batches && analysis.queryNumber !== '',
        };
        const { rest, isStopped, skipped } = await runLane(
          plan,
          calls,
          analyses,
          () => true,
          () => now < lastStart,
        );
        expect(faults).toEqual([]);
        const isLeft = (at: number) => rest.some(({ from, to }) => at >= from && at < to);
        expect(pending.filter(({ id, createdAt }) => !asked.has(id) && !isLeft(createdAt))).toEqual([]);
        if (isStopped && now < lastStart) expect(asked.size + skipped).toBe(count);
      },
    ),
    { numRuns: RUNS },
  );
});
