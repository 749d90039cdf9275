import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Analysis, POLL_BUCKETS, pollBucket } from '../../../../shared/domain/analyses/analysis.ts';
import {
  bucketsOf,
  dueRanges,
  type PollDeps,
  type PollObserver,
  pollShard,
} from '../../../../shared/domain/analyses/poll-shard.ts';
import type { PollPosition } from '../../../../shared/domain/analyses/ports.ts';
import { BANKS, type Bank } from '../../../../shared/domain/values/bank.ts';
import type { AnalysisId } from '../../../../shared/domain/values/ids.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';
import { seededRandom } from '../../../makers/intercepted.ts';

const MINUTE = 60_000;
const NOW = 29_700_000 * MINUTE;
const SILENT: PollObserver = { met() {}, asked() {}, concluded() {}, gaveUp() {}, ended() {} };

/** Ids that fall into some buckets, of analyses a minute old and younger than the first pace. */
function pendingIn(
  buckets: readonly number[],
  count: number,
  seed: number,
  bankOf: (index: number) => Bank,
): Analysis[] {
  const random = seededRandom(seed);
  const found: Analysis[] = [];
  while (found.length < count) {
    const id = Math.floor(random() * Number.MAX_SAFE_INTEGER) as AnalysisId;
    if (!buckets.includes(pollBucket(id))) continue;
    const createdAt = NOW - MINUTE - Math.floor(random() * 5 * MINUTE);
    found.push(makeAnalysis({ id, createdAt, bank: bankOf(found.length) }));
  }
  return found.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id);
}

/** A poller of one shard over pending analyses that never change, whose clock each question moves on by `askMs`. */
function poller(pending: readonly Analysis[], askMs: (bank: Bank) => number) {
  const asked: AnalysisId[] = [];
  let position: PollPosition | undefined;
  let now = NOW;
  const ports: PollDeps = {
    analyses: {
      async pending(bucket: number, { from, to }: { from: number; to: number }, after?: string) {
        const due = pending.filter(
          ({ id, createdAt }) => pollBucket(id) === bucket && createdAt >= from && createdAt < to,
        );
        const start = Number(after ?? 0);
        const next = start + 10 < due.length ? String(start + 10) : undefined;
        return { items: due.slice(start, start + 10), next };
      },
    } as unknown as PollDeps['analyses'],
    operatorOf: () => ({
      openFor: () => undefined,
      async query({ id, bank, queryNumber, rawStatus }) {
        asked.push(id);
        // Once the question is under way, so that a run may be cut off with nothing in hand.
        await turn();
        now += askMs(bank);
        return { kind: 'known', queryNumber, rawStatus };
      },
      submit: () => Promise.reject(new Error('nothing is to be sent')),
    }),
    cursors: {
      read: async () => position,
      write: async (_, next) => {
        position = next;
      },
    },
    read: () => ({ situation: 'em_analise', known: true }),
    event: () => {
      throw new Error('nothing has ended');
    },
    notify: () => Promise.reject(new Error('nothing was booked')),
    clock: () => now,
  };
  /** One run that may begin questions for so many milliseconds; what it asked about. */
  return async (milliseconds: number, shard = { shard: 0, shards: 6 }): Promise<AnalysisId[]> => {
    const before = asked.length;
    await pollShard(shard, now + milliseconds, ports, SILENT);
    return asked.slice(before);
  };
}

describe('the buckets', () => {
  it('are shared out among the shards, each once', () => {
    const all = [0, 1, 2, 3].flatMap((shard) => bucketsOf(shard, 4));
    expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: POLL_BUCKETS }, (_, bucket) => bucket));
  });

  it('are read once round from where the run before was cut off', () => {
    const since = NOW - 2 * MINUTE;
    expect(dueRanges([1, 25, 49], { bucket: 25, since }, NOW)).toEqual(
      [
        { bucket: 25, from: since, to: NOW },
        { bucket: 49, from: 0, to: NOW },
        { bucket: 1, from: 0, to: NOW },
        { bucket: 25, from: 0, to: since },
      ]
        .map(({ bucket, from, to }) => ({ bucket, from: Math.max(from, dueFrom(bucket)), to }))
        .filter(({ from, to }) => from < to),
    );
    expect(dueRanges([1, 25], undefined, NOW).map(({ bucket }) => bucket)).toEqual([1, 25]);
    expect(dueRanges([1, 25], { bucket: 7, since }, NOW).map(({ bucket }) => bucket)).toEqual([1, 25]);
  });
});

/** From which creation time a bucket is due, told by a whole reading of it. */
const dueFrom = (bucket: number) => dueRanges([bucket], undefined, NOW)[0]!.from;

describe('runs that are cut off', () => {
  it('ask about everyone in turn, however much one bucket holds and however little a run can do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 120 }),
        fc.subarray([0, 6, 12], { minLength: 1 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer(),
        async (count, buckets, aRun, seed) => {
          const pending = pendingIn(buckets, count, seed, (index) => BANKS[index % BANKS.length]!);
          const run = poller(pending, () => 1_000);
          const seen = new Set<AnalysisId>();
          // Each run makes sure of one at least; reading ahead of the lanes makes it more.
          for (let runs = 0; runs <= count && seen.size < count; runs++)
            for (const id of await run(aRun * 1_000)) seen.add(id);
          expect(seen.size).toBe(count);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('of a bank that outlasts them go on with it where they stopped, while the others are asked each time', async () => {
    const slow = 'itau';
    const pending = pendingIn([0], 300, 7, (index) => (index % 2 === 0 ? slow : 'brb'));
    const run = poller(pending, (bank) => (bank === slow ? 1_000 : 0));
    const times = new Map<AnalysisId, number>();
    for (let runs = 0; runs < 30; runs++) {
      for (const id of await run(20_000)) times.set(id, (times.get(id) ?? 0) + 1);
    }
    for (const { id, bank } of pending) expect(times.get(id) ?? 0, bank).toBeGreaterThanOrEqual(2);
  });

  it('leave no mark where nothing was left over', async () => {
    const run = poller(
      pendingIn([0, 6], 40, 3, () => 'inter'),
      () => 0,
    );
    const first = await run(MINUTE);
    expect(first).toHaveLength(40);
    expect(await run(MINUTE)).toEqual(first);
  });
});
