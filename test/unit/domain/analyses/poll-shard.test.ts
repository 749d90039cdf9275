import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../infra/local/seeded-random.ts';
import { type Analysis, PENDING_LIMIT, SUBMIT_LIMIT } from '../../../../shared/domain/analyses/analysis.ts';
import { owedOf } from '../../../../shared/domain/analyses/poll-cursor.ts';
import { type PollCounts, pollShard } from '../../../../shared/domain/analyses/poll-shard.ts';
import type { BatchStatus, OperatorApi, OperatorStatus } from '../../../../shared/domain/analyses/ports.ts';
import { BANKS, type Bank } from '../../../../shared/domain/values/bank.ts';
import { type AnalysisId, drawId } from '../../../../shared/domain/values/ids.ts';
import type { Environment } from '../../../../shared/domain/values/tenancy.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';
import { PollWorld, SILENT } from '../../../makers/poll-world.ts';
import { type VirtualClock, virtualClock } from '../../../makers/virtual-clock.ts';

const MINUTE = 60_000;
const NOW = 29_700_000 * MINUTE;
const DEAD: OperatorStatus = { kind: 'unavailable', fault: 'bank' };
const ODD: OperatorStatus = { kind: 'unavailable', fault: 'analysis' };
const same = ({ queryNumber, rawStatus }: Analysis): OperatorStatus => ({ kind: 'known', queryNumber, rawStatus });

const random = seededRandom(11);
const drawn = new Set<number>();
/** An id that no analysis of this file has: of many that are drawn for one millisecond some come twice. */
function freshId(createdAt: number): AnalysisId {
  for (;;) {
    const id = drawId(createdAt, (below) => Math.floor(random() * below)) as AnalysisId;
    if (!drawn.has(id)) {
      drawn.add(id);
      return id;
    }
  }
}

function pending(count: number, overrides: (index: number) => Partial<Analysis>): Analysis[] {
  return Array.from({ length: count }, (_, index) => {
    const createdAt = overrides(index).createdAt ?? NOW - 5 * MINUTE - index;
    return makeAnalysis({ id: freshId(createdAt), createdAt, ...overrides(index) });
  });
}

interface Answers {
  readonly status?: (analysis: Analysis) => OperatorStatus;
  /** What a batch is answered where the operator has them. */
  readonly batch?: (analyses: readonly Analysis[]) => BatchStatus;
  readonly ms?: (analysis: Analysis) => number;
}

/** A poller over some pending analyses, its clock and its operator. */
function poller(analyses: readonly Analysis[], { status = same, batch, ms = () => 0 }: Answers = {}) {
  const world = new PollWorld();
  for (const one of analyses) world.add(one);
  const clock: VirtualClock = virtualClock(NOW);
  const asked: { id: number; bank: Bank; environment: Environment; at: number; batch: number }[] = [];
  const note = (environment: Environment, of: readonly Analysis[]) => {
    for (const { id, bank } of of) asked.push({ id, bank, environment, at: clock.now(), batch: of.length });
  };
  const submitted: number[] = [];
  const operatorOf = (environment: Environment): OperatorApi => ({
    openFor: () => undefined,
    async submit({ id }) {
      submitted.push(id);
      return { kind: 'accepted', queryNumber: 'N-1', rawStatus: 'Em análise' };
    },
    async query(analysis) {
      note(environment, [analysis]);
      await clock.sleep(ms(analysis));
      return status(analysis);
    },
    ...(batch && {
      async queryBatch(of: readonly Analysis[]) {
        note(environment, of);
        await clock.sleep(ms(of[0]!));
        return batch(of);
      },
    }),
  });
  const lags: (readonly number[])[] = [];
  const told: string[] = [];
  const tell =
    (what: string) =>
    ({ id }: Analysis) =>
      void told.push(`${what} ${id}`);
  const observer = {
    ...SILENT,
    met: tell('met'),
    asked: tell('asked'),
    gaveUp: tell('gave up'),
    ended: (of: readonly number[]) => void lags.push(of),
  };
  const deps = world.deps(clock.now, operatorOf, (raw) => ({
    situation: raw === 'Aprovado' ? 'aprovado' : 'em_analise',
    known: true,
  }));
  return {
    world,
    asked,
    submitted,
    lags,
    told,
    clock,
    /** One run that may begin questions for so many milliseconds; what it asked about. */
    async run(milliseconds = 40_000, shard = { shard: 0, shards: 1 }, { concluding = 0 } = {}) {
      const before = asked.length;
      const { conclude } = deps.analyses;
      const slowly: typeof conclude = async (change) => {
        await clock.sleep(concluding);
        return conclude(change);
      };
      const slow = concluding > 0 ? { ...deps, analyses: { ...deps.analyses, conclude: slowly } } : deps;
      const counts: PollCounts = await clock.play(pollShard(shard, clock.now() + milliseconds, slow, observer));
      return { counts, asked: asked.slice(before) };
    },
    /** The next minute of the clock begins. */
    tick: () => clock.advanceTo((Math.floor(clock.now() / MINUTE) + 1) * MINUTE),
  };
}

const idsOf = (of: readonly { readonly id: number }[]) => of.map(({ id }) => id).sort((a, b) => a - b);

describe('a run of one shard', () => {
  it('asks about all that is due, and writes its cursor alone where there is no news', async () => {
    const all = pending(300, (index) => ({ bank: BANKS[index % BANKS.length]! }));
    const { run, world } = poller(all);
    const { counts, asked } = await run();
    expect(idsOf(asked)).toEqual(idsOf(all));
    expect(counts).toEqual({ answered: 300, failed: 0, unanswerable: 0, skipped: 0, owed: 0 });
    expect(world.writes).toEqual([]);
    expect(world.cursors.get('poll-bank-outcomes/0-of-1')).toEqual({ through: NOW / MINUTE, owed: [], begin: [] });
  });

  it('asks each bank in batches where the operator answers them, at most one call for 100', async () => {
    const all = pending(1_000, (index) => ({ bank: BANKS[index % BANKS.length]! }));
    const { run, asked } = poller(all, { batch: (of) => of.map(same) });
    await run();
    expect(idsOf(asked)).toEqual(idsOf(all));
    const calls = asked.reduce((sum, { batch }) => sum + 1 / batch, 0);
    expect(calls).toBeCloseTo(BANKS.length * Math.ceil(1_000 / BANKS.length / 100));
  });

  it('books what a batch brings: outcomes and new texts, each by one write', async () => {
    const all = pending(90, () => ({}));
    const { run, world } = poller(all, {
      batch: (of) =>
        of.map(
          (one, index) =>
            (index === 3
              ? { ...same(one), rawStatus: 'Aprovado' }
              : index === 4
                ? { ...same(one), rawStatus: 'Em fila' }
                : same(one)) as OperatorStatus,
        ),
    });
    const { counts } = await run();
    expect(counts.answered).toBe(90);
    expect(world.writes.map((write) => write.split(' ')[0]).sort()).toEqual(['conclude', 'note']);
    expect(world.concluded[0]).toMatchObject({ situation: 'aprovado', sequence: 1 });
  });

  it('tells of each analysis that it met, asked about or gave up', async () => {
    const [young] = pending(1, () => ({}));
    const [old] = pending(1, () => ({ createdAt: NOW - PENDING_LIMIT + 30_000 }));
    const { run, tick, told } = poller([young!, old!]);
    await run();
    expect(told.toSorted()).toEqual([old!, young!].flatMap(({ id }) => [`asked ${id}`, `met ${id}`]).toSorted());
    // An hour goes by, in which each minute's run sees what is due; the old one is given up when its turn comes.
    for (let minute = 0; minute < 60; minute++) {
      tick();
      await run();
    }
    expect(told.filter((line) => line === `gave up ${old!.id}`)).toHaveLength(1);
    expect(told.filter((line) => line === `asked ${old!.id}`)).toHaveLength(1);
  });

  it('keeps where a lane that was left alone begins until a run has come through it', async () => {
    const all = pending(3, () => ({}));
    const { run, world } = poller(all, { ms: () => 30_000 });
    const begin = [{ environment: all[0]!.environment, bank: all[0]!.bank, bucket: 59, at: NOW - MINUTE }];
    const job = 'poll-bank-outcomes/0-of-1';
    world.cursors.set(job, { through: NOW / MINUTE - 60, owed: [], begin });
    await run(0);
    expect(world.cursors.get(job)).toMatchObject({ begin });
    await run(600_000);
    expect(world.cursors.get(job)).toMatchObject({ begin: [] });
  });

  it('measures how long each partition waited: what it asked in a batch until then, what it left until the end', async () => {
    const at = NOW - 5 * MINUTE;
    const [one, ...others] = pending(3, () => ({ createdAt: at }));
    const batches = poller([one!, ...others], { batch: (of) => of.map(same) });
    await batches.run();
    batches.tick();
    batches.clock.advanceTo(batches.clock.now() + 7_000);
    await batches.run();
    expect(new Set(batches.lags[1])).toEqual(new Set([7_000]));
    const slow = poller([one!], { ms: () => 30_000 });
    await slow.run();
    slow.tick();
    await slow.run(0);
    expect(slow.lags[1]!.length).toBeGreaterThan(0);
  });

  it.each([0, 61])('is refused where there are %i shards', async (shards) => {
    await expect(poller([]).run(1, { shard: 0, shards })).rejects.toThrow('the poller runs in 1 to 60 shards');
  });
});

describe('a slow or failing bank', () => {
  it('takes nothing from the others, nor does production from the sandbox', async () => {
    const slow = ['itau', 'inter'];
    const all = pending(1_200, (index) => ({
      bank: BANKS[index % BANKS.length]!,
      environment: index % 2 === 0 ? 'producao' : 'sandbox',
    }));
    const { run } = poller(all, {
      ms: ({ bank, environment }) => (slow.includes(bank) && environment === 'producao' ? 9_000 : 50),
    });
    const { asked } = await run();
    const healthy = all.filter(({ bank, environment }) => !(slow.includes(bank) && environment === 'producao'));
    const seen = new Set(asked.map(({ id }) => id as number));
    expect(healthy.filter(({ id }) => !seen.has(id))).toEqual([]);
  });

  it('that is dead is left alone for the run and owes nothing; each run begins behind where the last stopped', async () => {
    const all = pending(100, () => ({}));
    const { run, tick, world } = poller(all, { status: () => DEAD });
    const firsts: number[] = [];
    for (let minute = 0; minute < 8; minute++) {
      const { asked, counts } = await run();
      expect(counts.owed).toBe(0);
      expect(counts.failed + counts.skipped).toBe(100);
      firsts.push(asked[0]!.id);
      tick();
    }
    expect(new Set(firsts).size).toBe(8);
    expect([...world.cursors.values()][0]!.begin).toHaveLength(1);
  });

  it('that answers nothing within ten seconds is found out, with batches too', async () => {
    for (const batch of [undefined, () => 'unavailable' as const]) {
      const { run } = poller(
        pending(1_000, () => ({})),
        { status: () => DEAD, ms: () => 10_000, ...(batch && { batch }) },
      );
      expect((await run()).counts).toMatchObject({ owed: 0 });
    }
  });

  it('whose first hundred fail each time does not keep the rest from being asked', async () => {
    const all = pending(130, (index) => ({ createdAt: NOW - 2 * MINUTE + index }));
    const poisoned = new Set(all.slice(0, 100).map(({ id }) => id));
    const { run, tick } = poller(all, { status: (one) => (poisoned.has(one.id) ? DEAD : same(one)) });
    const seen = new Set<number>();
    for (let minute = 0; minute < 12; minute++) {
      for (const { id } of (await run()).asked) seen.add(id);
      tick();
    }
    expect(all.filter(({ id }) => !poisoned.has(id) && !seen.has(id))).toEqual([]);
  });

  it('whose young fail each time does not keep its old ones from being asked', async () => {
    // A run asks six before the bank is left alone: their place in ten minutes is never the same.
    const young = pending(17, () => ({}));
    const old = pending(50, (index) => ({ createdAt: NOW - 3 * 3_600_000 - index * 1_000 }));
    const failing = new Set(young.map(({ id }) => id));
    const { run, tick } = poller([...young, ...old], { status: (one) => (failing.has(one.id) ? DEAD : same(one)) });
    const seen = new Set<number>();
    for (let minute = 0; minute < 120; minute++) {
      for (const { id } of (await run()).asked) seen.add(id);
      tick();
    }
    expect(old.filter(({ id }) => !seen.has(id))).toEqual([]);
  });

  it('expires what is too old all the same', async () => {
    const all = [...pending(30, () => ({})), ...pending(5, () => ({ createdAt: NOW - PENDING_LIMIT - MINUTE }))];
    const { run, tick, world } = poller(all, { status: () => DEAD });
    await run();
    for (let minute = 0; minute < 61; minute++) {
      tick();
      await run();
    }
    expect(world.concluded.map(({ situation }) => situation)).toEqual(Array(5).fill('cancelado'));
  });
});

describe('an analysis that the operator cannot answer', () => {
  it('opens no breaker, gets one write, is asked at growing distances, and loses its mark with an answer', async () => {
    const all = pending(40, (index) => ({ createdAt: NOW - 30 * 3_600_000 - index }));
    const odd = new Set(all.slice(0, 15).map(({ id }) => id));
    const { run, tick, world, asked } = poller(all, { status: (one) => (odd.has(one.id) ? ODD : same(one)) });
    const { counts } = await run();
    expect(counts).toMatchObject({ answered: 25, unanswerable: 15, skipped: 0 });
    for (let minute = 0; minute < 600; minute++) {
      tick();
      await run();
    }
    expect(world.writes.sort()).toEqual([...odd].map((id) => `unanswerable ${id}`).sort());
    // Older than a day they are due once an hour, and so are their retries.
    for (const { id } of all) expect(asked.filter((one) => one.id === id).length).toBeGreaterThanOrEqual(10);
    odd.clear();
    for (let minute = 0; minute < 61; minute++) {
      tick();
      await run();
    }
    expect(world.writes.filter((write) => write.startsWith('answerable'))).toHaveLength(15);
  });

  it('costs fewer and fewer questions while it is young', async () => {
    const [one] = pending(1, () => ({ createdAt: NOW - 2 * MINUTE }));
    const { run, tick, asked } = poller([one!], { status: () => ODD });
    await run();
    for (let minute = 0; minute < 12; minute++) {
      tick();
      await run();
    }
    expect(asked.map(({ at }) => (at - NOW) / MINUTE)).toEqual([0, 1, 2, 4, 8]);
  });

  it.each<[string, (of: readonly Analysis[]) => BatchStatus]>([
    ['left out of a batch', (of) => of.map((one, index) => (index < 5 ? ODD : same(one)))],
    [
      'of which a batch says that it was never received',
      (of) => of.map((one, index) => (index < 5 ? { kind: 'absent' } : same(one))),
    ],
  ])('%s is one, and is never sent again', async (_, batch) => {
    const { run, world, submitted } = poller(
      pending(50, () => ({})),
      { batch },
    );
    expect((await run()).counts).toMatchObject({ answered: 45, unanswerable: 5 });
    expect(world.writes).toHaveLength(5);
    expect(submitted).toEqual([]);
  });
});

describe('a submission in doubt', () => {
  const lost = (age: number) => pending(1, () => ({ queryNumber: '', createdAt: NOW - age }));

  it('is sent where the operator has never received it, beside a batch of others', async () => {
    const all = [...pending(50, () => ({})), ...lost(2 * MINUTE)];
    const { run, submitted, world } = poller(all, {
      batch: (of) => of.map(same),
      status: () => ({ kind: 'absent' }),
    });
    await run();
    expect(submitted).toEqual([all.at(-1)!.id]);
    expect(world.writes).toEqual([`note ${all.at(-1)!.id}`]);
  });

  it('is sent within 48 hours only; then it ends as erro with its event', async () => {
    const { run, submitted, world } = poller([...lost(SUBMIT_LIMIT), ...lost(SUBMIT_LIMIT + 1)], {
      status: () => ({ kind: 'absent' }),
    });
    await run();
    expect(submitted).toHaveLength(1);
    expect(world.concluded).toMatchObject([{ situation: 'erro', sequence: 1, createdAt: NOW - SUBMIT_LIMIT - 1 }]);
  });

  it('waits while the operator does not answer, however old', async () => {
    const { run, world } = poller(lost(10 * SUBMIT_LIMIT), { status: () => DEAD });
    await run();
    expect(world.writes).toEqual([]);
  });
});

describe('runs that are cut off', () => {
  it('go on where they stopped, the longest owed first, and say how late they are', async () => {
    const all = pending(1_000, (index) => ({ createdAt: NOW - 40 * 3_600_000 - index * 1_000 }));
    const { run, tick, lags } = poller(all, { ms: () => 1_000 });
    const times = new Map<number, number>();
    let minute = 0;
    for (; times.size < all.length; minute++) {
      for (const { id } of (await run(10_000)).asked) times.set(id, (times.get(id) ?? 0) + 1);
      if (times.size < all.length) expect(Math.max(...lags.at(-1)!)).toBeGreaterThanOrEqual(minute * MINUTE);
      tick();
    }
    // A hundred a run: none has had a second turn before each had its first.
    expect(minute).toBe(10);
    expect(Math.max(...times.values())).toBe(1);
  });

  it('ask the young each minute where more old ones fall due than they come to, and these within their hour', async () => {
    const young = pending(20, (index) => ({ createdAt: NOW - index }));
    // Five hundred fall due at once, every few minutes.
    const old = pending(5_000, (index) => ({ createdAt: NOW - 40 * 3_600_000 - index * 1_000 }));
    const { run, tick, world } = poller([], { ms: () => 1_000 });
    await run();
    for (const one of [...young, ...old]) world.add(one);
    const seen = new Set<number>();
    for (let minute = 1; minute <= 75; minute++) {
      tick();
      const ids = (await run(12_000)).asked.map(({ id }) => id);
      for (const id of ids) seen.add(id);
      if (minute < 15) expect(young.filter(({ id }) => !ids.includes(id))).toEqual([]);
    }
    expect(old.filter(({ id }) => !seen.has(id))).toEqual([]);
  });

  it('are made up for where one never ran', async () => {
    const all = pending(200, (index) => ({ createdAt: NOW - 40 * 3_600_000 - index }));
    const { run, clock, lags } = poller(all);
    await run();
    clock.advanceTo(NOW + 59 * MINUTE);
    await run();
    const partOfTheHour = idsOf((await run()).asked);
    expect(partOfTheHour).toEqual([]);
    expect(Math.max(...lags[1]!)).toBe(58 * MINUTE);
  });

  it('leave what is shared by one millisecond to the next run, not lost', async () => {
    const all = pending(60, () => ({ createdAt: NOW - 3 * MINUTE }));
    const { run, tick } = poller(all, { ms: () => 10_000 });
    const seen = new Set<number>();
    for (let minute = 0; minute < 12; minute++) {
      for (const { id } of (await run(20_000)).asked) seen.add(id);
      tick();
    }
    expect(seen.size).toBe(60);
  });

  it('give up no more of what is too old once their time is over, and leave it to the next run', async () => {
    const old = pending(30, (index) => ({ createdAt: NOW - PENDING_LIMIT - MINUTE - index }));
    const { run, asked, world, tick } = poller([...old, ...pending(1, () => ({}))]);
    await run(0);
    tick();
    await run(10_000, undefined, { concluding: 3_000 });
    expect(world.concluded.length).toBe(4);
    for (let minute = 0; minute < 12; minute++) {
      tick();
      await run(10_000, undefined, { concluding: 3_000 });
    }
    expect(idsOf(world.concluded)).toEqual(idsOf(old));
    expect(asked.filter(({ id }) => old.some((one) => one.id === id))).toEqual([]);
  });

  it('ask about what is too old before it is given up, where it had no turn for a day', async () => {
    const old = pending(3, () => ({ createdAt: NOW - PENDING_LIMIT - MINUTE }));
    const { run, asked, world, tick, clock } = poller(old, {
      status: (one) => ({ ...same(one), rawStatus: 'Aprovado' }) as OperatorStatus,
    });
    // Nobody knows when they were asked about last.
    await run();
    expect(asked).toHaveLength(3);
    expect(world.concluded.map(({ situation }) => situation)).toEqual(Array(3).fill('aprovado'));

    const late = pending(1, () => ({ createdAt: NOW - PENDING_LIMIT - MINUTE }));
    world.add(late[0]!);
    const [job] = world.cursors.keys();
    const before = world.cursors.get(job!)!;
    const span = {
      partition: { environment: 'producao', bank: 'itau', bucket: 0 } as const,
      from: 0,
      to: NOW,
      dueAt: NOW,
    };
    tick();
    clock.advanceTo(NOW + 25 * 60 * MINUTE);
    world.cursors.set(job!, { ...before, owed: owedOf([span], NOW), through: NOW / MINUTE });
    await run();
    expect(asked).toHaveLength(4);
  });
});

describe('errors of our own', () => {
  it('are thrown once every lane has ended and the cursor is written', async () => {
    const all = pending(20, (index) => ({ bank: index < 10 ? 'itau' : 'brb' }));
    const { run, world, asked } = poller(all, {
      status: (one) => {
        if (one.bank === 'itau') throw new Error('ours');
        return same(one);
      },
    });
    await expect(run()).rejects.toThrow('ours');
    expect(asked).toHaveLength(20);
    expect(world.cursors.size).toBe(1);
  });
});
