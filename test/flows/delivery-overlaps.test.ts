import { describe, expect } from 'vitest';
import { failed, gone, success } from '../makers/delivery.ts';
import { interleave, type Schedule, type Stepped, sweep } from '../makers/interleaved.ts';
import { LEASE_OVER, OverlappingDelivery } from '../makers/overlapping-delivery.ts';
import { usePeers } from '../makers/peers.ts';
import { SKEWS } from '../makers/skews.ts';

usePeers();

/** Milliseconds by which a run is held up while the other goes on. */
const HELD_UP = [0, LEASE_OVER];

type Run = (stepped: Stepped) => Promise<unknown>;

type Runs = (story: OverlappingDelivery, other: OverlappingDelivery) => readonly Run[];

/** Of which the second run is in a container of its own: played by clocks that disagree, too. */
const APART: Readonly<Record<string, Runs>> = {
  'two workers with copies of one message': ({ worker }, other) => [worker(success), other.worker(success)],
  'two workers of whom one fails': ({ worker }, other) => [worker(failed), other.worker(success)],
  'a worker that fails and a resend': ({ worker }, { resending }) => [worker(failed), resending],
  'a worker that fails, the sweeper and a resend': ({ worker, resending }, { sweeper }) => [
    worker(failed),
    resending,
    sweeper,
  ],
  'a worker and the sweeper': ({ worker }, { sweeper }) => [worker(failed), sweeper],
  'two workers and the sweeper': ({ worker }, other) => [worker(failed), other.worker(success), other.sweeper],
};
const OVERLAPS: Readonly<Record<string, Runs>> = {
  ...APART,
  'a worker and who disables the endpoint': ({ worker, disabling }) => [worker(failed), disabling],
  'a worker that succeeds and who disables the endpoint': ({ worker, disabling }) => [worker(success), disabling],
  'a worker whose receiver is gone and who enables the endpoint': ({ worker, enabling }) => [worker(gone), enabling],
  'a worker and a replay': ({ worker, replaying }) => [worker(success), replaying],
  'a worker that fails and a replay': ({ worker, replaying }) => [worker(failed), replaying],
  'two replays': ({ replaying }) => [replaying, replaying],
  'a worker, a replay and who disables the endpoint': ({ worker, replaying, disabling }) => [
    worker(failed),
    replaying,
    disabling,
  ],
};

function describeStory(runs: Runs, skew = 0): void {
  async function play({ choose, heldUp, where }: Schedule): Promise<readonly number[]> {
    const story = await OverlappingDelivery.begin();
    const { results, calls } = await interleave<unknown>(runs(story, story.skewed(skew)), choose, () => {
      story.story.now += heldUp;
    });
    expect([where, results.filter(({ status }) => status === 'rejected')]).toEqual([where, []]);
    // A worker that is held up beyond its lease, or so by the other's clock, is taken for dead: its attempt may be made twice.
    const { sent, sentBeforeResend } = story.story;
    if (heldUp === 0 && skew === 0) expect([where, new Set(sent).size]).toEqual([where, sent.length]);

    if (sentBeforeResend !== undefined) expect([where, await story.isResent()]).toEqual([where, true]);

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

  sweep('leave one end and lose nothing', play, HELD_UP, skew === 0 ? 1 : 3);
}

// More of the schedules with SOAK=1.
describe.each(Object.entries(OVERLAPS))('%s', (_, runs) => describeStory(runs));
describe.each(SKEWS)('containers whose clocks are %i ms apart', (skew) => {
  describe.each(Object.entries(APART))('%s', (_, runs) => describeStory(runs, skew));
});
