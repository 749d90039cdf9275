import { describe, expect } from 'vitest';
import { failed, gone, success } from '../makers/delivery.ts';
import { interleave, type Schedule, type Stepped, sweep } from '../makers/interleaved.ts';
import { LEASE_OVER, OverlappingDelivery } from '../makers/overlapping-delivery.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

/** Milliseconds by which a run is held up while the other goes on. */
const HELD_UP = [0, LEASE_OVER];

type Run = (stepped: Stepped) => Promise<unknown>;

const OVERLAPS: Readonly<Record<string, (story: OverlappingDelivery) => readonly Run[]>> = {
  'two workers with copies of one message': ({ worker }) => [worker(success), worker(success)],
  'two workers of whom one fails': ({ worker }) => [worker(failed), worker(success)],
  'a worker and who disables the endpoint': ({ worker, disabling }) => [worker(failed), disabling],
  'a worker that succeeds and who disables the endpoint': ({ worker, disabling }) => [worker(success), disabling],
  'a worker whose receiver is gone and who enables the endpoint': ({ worker, enabling }) => [worker(gone), enabling],
  'a worker and a replay': ({ worker, replaying }) => [worker(success), replaying],
  'a worker that fails and a replay': ({ worker, replaying }) => [worker(failed), replaying],
  'a worker that fails and a resend': ({ worker, resending }) => [worker(failed), resending],
  'a worker that fails, the sweeper and a resend': ({ worker, resending, sweeper }) => [
    worker(failed),
    resending,
    sweeper,
  ],
  'two replays': ({ replaying }) => [replaying, replaying],
  'a worker and the sweeper': ({ worker, sweeper }) => [worker(failed), sweeper],
  'two workers and the sweeper': ({ worker, sweeper }) => [worker(failed), worker(success), sweeper],
  'a worker, a replay and who disables the endpoint': ({ worker, replaying, disabling }) => [
    worker(failed),
    replaying,
    disabling,
  ],
};

// More of the schedules with SOAK=1.
describe.each(Object.entries(OVERLAPS))('%s', (_, runs) => {
  async function play({ choose, heldUp, where }: Schedule): Promise<readonly number[]> {
    const story = await OverlappingDelivery.begin();
    const { results, calls } = await interleave<unknown>(runs(story), choose, () => {
      story.now += heldUp;
    });
    expect([where, results.filter(({ status }) => status === 'rejected')]).toEqual([where, []]);
    // A worker that is held up beyond its lease is taken for dead: its attempt may be made twice.
    if (heldUp === 0) expect([where, new Set(story.sent).size]).toEqual([where, story.sent.length]);

    if (story.sentBeforeResend !== undefined) expect([where, await story.isResent()]).toEqual([where, true]);

    const row = await story.later();
    const numbers = row.history.map(({ number }) => number);
    expect([where, numbers]).toEqual([where, numbers.map((_number, index) => index + 1)]);
    const successes = row.history.filter(({ result }) => result.delivered).length;
    const replayed = results.filter(
      (one) => one.status === 'fulfilled' && (one.value as { due?: object } | undefined)?.due,
    ).length;
    expect([where, successes >= 1 && successes <= 1 + replayed]).toEqual([where, true]);
    return calls;
  }

  sweep('leave one end and lose nothing', play, HELD_UP);
});
