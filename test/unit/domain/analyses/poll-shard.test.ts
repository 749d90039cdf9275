import { describe, expect, it } from 'vitest';
import { seededRandom } from '#infra/local/aws/aws-like/settings.ts';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { pollShard } from '#shared/domain/analyses/poll-shard.ts';
import type { OperatorApi, OperatorStatus } from '#shared/domain/analyses/ports.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { type AnalysisId, drawId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { PollWorld, SILENT } from '#test/makers/poll-world.ts';
import { virtualClock } from '#test/makers/virtual-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 29_700_000 * MINUTE;
const DEAD: OperatorStatus = { kind: 'failed' };
const ABSENT: OperatorStatus = { kind: 'absent' };
const same = ({ queryNumber, rawStatus }: Analysis): OperatorStatus => ({ kind: 'known', queryNumber, rawStatus });

const random = seededRandom(11);
const drawn = new Set<number>();
/** Draws an id that no other analysis of this file has. Of many ids of one millisecond, some are drawn twice. */
function freshId(createdAt: number): AnalysisId {
  const id = drawId(createdAt, (below) => Math.floor(random() * below)) as AnalysisId;
  return drawn.size < drawn.add(id).size ? id : freshId(createdAt);
}

function pending(count: number, overrides: (index: number) => Partial<Analysis>): Analysis[] {
  return Array.from({ length: count }, (_, index) => {
    const createdAt = overrides(index).createdAt ?? NOW - 5 * MINUTE - index;
    return makeAnalysis({ id: freshId(createdAt), createdAt, ...overrides(index) });
  });
}

interface Answers {
  readonly status?: (analysis: Analysis) => OperatorStatus;
  /** The answer to a batch. Undefined if the operator has no batches. */
  readonly batch?: (analyses: readonly Analysis[]) => Awaited<ReturnType<NonNullable<OperatorApi['queryBatch']>>>;
  readonly ms?: (analysis: Analysis) => number;
}

/** A poller over some pending analyses, its clock and its operator. */
function poller(analyses: readonly Analysis[], { status = same, batch, ms = () => 0 }: Answers = {}) {
  const world = new PollWorld();
  for (const one of analyses) world.add(one);
  const clock = virtualClock(NOW);
  const asked: { id: number; at: number }[] = [];
  const note = (of: readonly Analysis[]) => {
    for (const { id } of of) asked.push({ id, at: clock.now() });
  };
  const submitted: number[] = [];
  const operatorOf = (): OperatorApi => ({
    openFor: () => undefined,
    async submit({ id }) {
      submitted.push(id);
      return { kind: 'accepted', queryNumber: 'N-1', rawStatus: 'Em análise' };
    },
    async query(analysis) {
      note([analysis]);
      await clock.sleep(ms(analysis));
      return status(analysis);
    },
    ...(batch && {
      async queryBatch(of: readonly Analysis[]) {
        note(of);
        await clock.sleep(ms(of[0]!));
        return batch(of);
      },
    }),
  });
  const lags: (readonly number[])[] = [];
  const observer = { ...SILENT, ended: (of: readonly number[]) => void lags.push(of) };
  const deps = world.deps(clock.now, operatorOf);
  /** Makes one run, which may start calls for this time. */
  async function run(milliseconds = 40_000, { shard = 0, shards = 1 } = {}) {
    const before = asked.length;
    const counts = await clock.play(pollShard({ shard, shards }, clock.now() + milliseconds, deps, observer));
    return { counts, asked: asked.slice(before).map(({ id }) => id) };
  }
  /** Sets the clock to the beginning of the next minute. */
  const tick = () => clock.advanceTo((Math.floor(clock.now() / MINUTE) + 1) * MINUTE);
  /** Makes `count` runs, one in each minute from now on. Returns the ids that each run asked about. */
  async function runs(count: number, ...how: Parameters<typeof run>) {
    const ids: number[][] = [];
    for (let minute = 0; minute < count; minute++) {
      ids.push((await run(...how)).asked);
      tick();
    }
    return ids;
  }
  return { world, asked, submitted, lags, clock, run, tick, runs };
}

const ofAge = (age: number) => (index: number) => ({ createdAt: NOW - age - index });
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);
const idsOf = (of: readonly { readonly id: number }[]) => sorted(of.map(({ id }) => id));
const without = (all: readonly Analysis[], ids: readonly number[]) => {
  const known = new Set(ids);
  return all.filter(({ id }) => !known.has(id));
};

it('a run asks about everything that is due, and writes only its cursor if there is no news', async () => {
  const all = pending(300, (index) => ({ bank: BANKS[index % BANKS.length]! }));
  const { run, world } = poller(all);
  const { counts, asked } = await run();
  expect(sorted(asked)).toEqual(idsOf(all));
  expect(counts).toEqual({ answered: 300, failed: 0, unanswerable: 0, skipped: 0, cut: 0 });
  expect(world.writes).toEqual([]);
  const through = NOW / MINUTE;
  expect(world.cursors.get('poll-bank-outcomes/0-of-1')).toEqual({ since: through, through, cut: [] });
});

it('a run that is cut off keeps where each lane was, until a run has gone through the lane', async () => {
  const { run, world } = poller(
    pending(30, () => ({})),
    { ms: () => 30_000 },
  );
  expect((await run(1)).counts.cut).toBe(1);
  const [cursor] = [...world.cursors.values()];
  expect(cursor?.cut).toMatchObject([{ bank: 'itau', age: 'young', begun: NOW / MINUTE }]);
  await run(600_000);
  expect([...world.cursors.values()]).toMatchObject([{ cut: [] }]);
});

it('the old analyses of a bank do not delay its young ones, nor the young the old', async () => {
  const [young, old] = [HOUR, 30 * HOUR].map((age) => pending(60, (index) => ({ createdAt: NOW - age - index })));
  const { asked } = await poller([...young!, ...old!], { ms: () => 9_000 }).run();
  expect(without(young!, asked)).toHaveLength(10);
  expect(without(old!, asked)).toHaveLength(10);
});

describe('a slow or failing bank', () => {
  it('a slow bank takes nothing from the other banks, nor production from the sandbox', async () => {
    const slow = ['itau', 'inter'];
    const all = pending(1_200, (index) => {
      return { bank: BANKS[index % BANKS.length]!, environment: index % 2 === 0 ? 'producao' : 'sandbox' };
    });
    const isSlow = ({ bank, environment }: Analysis) => slow.includes(bank) && environment === 'producao';
    const { asked } = await poller(all, { ms: (one) => (isSlow(one) ? 9_000 : 50) }).run();
    const healthy = all.filter((one) => !isSlow(one));
    expect(without(healthy, asked)).toEqual([]);
  });

  it('a dead bank is skipped, is no delay of the poller, and each run begins where the last one stopped', async () => {
    const all = pending(100, () => ({}));
    const { run, tick, world, lags } = poller(all, { status: () => DEAD });
    const firsts: number[] = [];
    for (let minute = 0; minute < 8; minute++) {
      const { asked, counts } = await run();
      expect(counts.cut).toBe(0);
      expect(counts.failed).toBe(11);
      expect(counts.skipped).toBe(89);
      firsts.push(asked[0]!);
      tick();
    }
    expect(new Set(firsts).size).toBe(8);
    expect([...world.cursors.values()][0]!.cut).toHaveLength(1);
    expect(lags.flat()).toEqual([]);
  });

  it('a dead bank is no delay of the poller either if a run asks about so few that it need not stop', async () => {
    const { runs, lags } = poller(pending(14, ofAge(30 * HOUR)), { status: () => DEAD });
    expect((await runs(3)).map((ids) => ids.length)).toEqual([11, 3, 0]);
    expect(lags.flat()).toEqual([]);
  });

  const young = (count: number, from = 0) =>
    pending(count, (index) => ({ createdAt: NOW - 2 * MINUTE + from + index }));
  const old = pending(50, (index) => ({ createdAt: NOW - 3 * HOUR - index * 1_000 }));
  it.each([
    ['a bank whose first hundred analyses always fail', 12, young(100), young(30, 100)],
    ['a bank whose young analyses always fail', 10, pending(17, () => ({})), old],
  ])('%s does not keep its other analyses from being asked about', async (_, minutes, failing, others) => {
    const { runs } = poller([...failing, ...others], { status: (one) => (failing.includes(one) ? DEAD : same(one)) });
    expect(without(others, (await runs(minutes)).flat())).toEqual([]);
  });

  it('old analyses that always fail keep no other old analysis from its later turns', async () => {
    const [failing, others] = [pending(180, ofAge(20 * HOUR)), pending(50, ofAge(15 * HOUR))];
    const { runs } = poller([...failing, ...others], { status: (one) => (failing.includes(one) ? DEAD : same(one)) });
    await runs(60);
    expect(without(others, (await runs(60)).flat())).toEqual([]);
  });
});

it.each([
  ['the bank answers single calls', same, { answered: 150, failed: 0, skipped: 0 }],
  ['the bank answers nothing', () => DEAD, { answered: 0, failed: 11, skipped: 139 }],
] as const)('a run counts each analysis once if its first batch fails and %s', async (_, status, counted) => {
  const { run } = poller(
    pending(150, () => ({})),
    { status, batch: () => 'failed' },
  );
  const { counts } = await run();
  expect(counts).toMatchObject(counted);
});

it('an analysis with a number that a batch calls never received is unanswerable, and not sent again', async () => {
  const all = pending(50, () => ({}));
  const batch = (of: readonly Analysis[]) => of.map((one, index) => (index < 5 ? ABSENT : same(one)));
  const { run, world, submitted } = poller(all, { status: () => ABSENT, batch });
  expect((await run()).counts).toMatchObject({ answered: 45, unanswerable: 5 });
  expect(world.writes).toHaveLength(5);
  expect(submitted).toEqual([]);
});

it('an analysis that the operator has never received is sent, next to a batch of others', async () => {
  const [lost] = pending(1, () => ({ queryNumber: '', createdAt: NOW - 2 * MINUTE }));
  const all = [...pending(50, () => ({})), lost!];
  const { run, runs, submitted, world } = poller(all, { batch: (of) => of.map(same), status: () => ABSENT });
  await runs(1);
  // The age comes from another machine's clock, so this container first watches the analysis for a minute.
  expect(submitted).toEqual([]);
  await run();
  expect(submitted).toEqual([lost!.id]);
  expect(world.writes).toEqual([`note ${lost!.id}`]);
});

it('runs that are cut off continue where they stopped, and report their lag', async () => {
  const all = pending(1_000, (index) => ({ createdAt: NOW - 10 * MINUTE - index }));
  const { runs, lags } = poller(all, { ms: () => 1_000 });
  // A run asks about a hundred, so after ten runs each has had one turn and none has had two.
  expect(sorted((await runs(10, 10_000)).flat())).toEqual(idsOf(all));
  for (const [minute, of] of lags.slice(0, -1).entries())
    expect(Math.max(...of)).toBeGreaterThanOrEqual(minute * MINUTE);
});

it('runs that are cut off ask about the young each minute, and about many old ones within an hour', async () => {
  const young = pending(20, (index) => ({ createdAt: NOW - index }));
  // Of the old analyses, 500 fall due at once every few minutes.
  const old = pending(5_000, (index) => ({ createdAt: NOW - 40 * HOUR - index * 1_000 }));
  const { runs, world } = poller([], { ms: () => 1_000 });
  await runs(1);
  for (const one of [...young, ...old]) world.add(one);
  const asked = await runs(75, 12_000);
  for (const ids of asked.slice(0, 14)) expect(without(young, ids)).toEqual([]);
  expect(without(old, asked.flat())).toEqual([]);
});

it.each([
  ['ten minutes', 10],
  ['two days', 2 * 24 * 60],
])('a cursor that was written by a clock %s ahead makes nobody wait', async (_, ahead) => {
  const all = pending(20, (index) => ({ createdAt: NOW - 20 * MINUTE - index }));
  const { run, runs, world } = poller(all);
  const job = 'poll-bank-outcomes/0-of-1';
  world.cursors.set(job, { since: 0, through: NOW / MINUTE + ahead, cut: [] });
  expect(sorted((await runs(1)).flat())).toEqual(idsOf(all));
  expect(Array.from(world.cursors.values())).toMatchObject([{ since: NOW / MINUTE, through: NOW / MINUTE }]);
  // A cursor of a clock that is only a minute ahead is used.
  world.cursors.set(job, { since: 0, through: NOW / MINUTE + 2, cut: [] });
  expect((await run()).asked).toEqual([]);
});

it('a run makes up for the runs before it that did not take place', async () => {
  const { run, clock, lags } = poller(pending(200, (index) => ({ createdAt: NOW - 40 * HOUR - index })));
  await run();
  clock.advanceTo(NOW + 59 * MINUTE);
  await run();
  expect((await run()).asked).toEqual([]);
  // The first hourly turn of a partition comes six minutes after the first run.
  expect(Math.max(...lags[1]!)).toBe(53 * MINUTE);
});

it('pollShard throws an error of our own after every lane has ended and the cursor is written', async () => {
  const all = pending(20, (index) => ({ bank: index < 10 ? 'itau' : 'brb' }));
  const status = (one: Analysis) => (one.bank === 'itau' ? expect.fail('ours') : same(one));
  const { run, world, asked } = poller(all, { status });
  await expect(run()).rejects.toThrow('ours');
  expect(asked).toHaveLength(20);
  expect(world.cursors.size).toBe(1);
});
