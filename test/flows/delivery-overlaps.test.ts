import { describe, expect } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { deliver } from '#shared/domain/webhooks/deliver.ts';
import type { AttemptResult, Delivery, DueDelivery } from '#shared/domain/webhooks/delivery.ts';
import { sweep as sweepDeliveries } from '#shared/domain/webhooks/sweep.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { replay } from '#shared/table/webhooks/replays.ts';
import { TableUnitDeliveries } from '#shared/table/webhooks/unit-deliveries.ts';
import { disableWebhook, enableWebhook, TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookOne, firstMessage, makeWebhookPartner } from '../makers/booked.ts';
import { type AnalysisDelivery, failed, gone, success } from '../makers/delivery.ts';
import { FakeDeliveryQueue } from '../makers/delivery-queue.ts';
import { interleave, type Schedule, type Stepped, sweep } from '../makers/interleaved.ts';
import { usePeers } from '../makers/peers.ts';
import { SKEWS } from '../makers/skews.ts';

usePeers();

const START = 1_767_571_200_000;
/** Longer than an attempt is left to the worker that has claimed it, in milliseconds. */
const LEASE_OVER = 60_001;
const DAY = 86_400_000;
/** Milliseconds by which a run is held up while the other goes on. */
const HELD_UP = [0, LEASE_OVER];
const ENDPOINTS = new TableWebhookEndpoints();

/** One event of a partner of its own, as its containers share it. */
interface Story {
  readonly booked: AnalysisDelivery;
  /** In milliseconds since 1970. */
  now: number;
  /** Attempts whose request has left, by number. */
  readonly sent: number[];
  /** How many of them had left when the event was resent. */
  sentBeforeResend?: number;
}

type Container = ReturnType<typeof container>;

/** The runs that may meet over the event, in a container whose clock is so many milliseconds ahead. */
function container(story: Story, ahead: number) {
  const { booked, sent } = story;
  const { partnerId, eventId } = booked;
  const now = () => story.now + ahead;
  const deliveries = new TableDeliveries(now);
  const ports = (stepped: Stepped, result: AttemptResult) => {
    const send = async (_endpoint: unknown, _message: unknown, attempt: number) => {
      sent.push(attempt);
      return result;
    };
    return {
      ...{ deliveries: stepped(deliveries), endpoints: stepped(ENDPOINTS), sender: stepped({ send }) },
      ...{ queue: new FakeDeliveryQueue(now), clock: now, random: () => 0, observer: { attempted() {} } },
    };
  };
  /** A worker with the message of the first attempt, to which the receiver gives an answer. */
  const worker =
    (result: AttemptResult, message: DueDelivery = firstMessage(booked)) =>
    (stepped: Stepped) =>
      deliver(message, ports(stepped, result));

  return {
    worker,
    sweeper: (stepped: Stepped) => {
      const own = (one: { partnerId: PartnerId }) => one.partnerId === partnerId;
      // The index holds the endpoints of all stories before.
      const enabledLately = async () => (await ENDPOINTS.enabledLately()).filter(own);
      const endpoints = stepped(Object.assign(new TableWebhookEndpoints(), { enabledLately }));
      return sweepDeliveries({ ...ports(stepped, success), endpoints, now: now(), inTime: () => true });
    },
    disabling: (stepped: Stepped) => stepped({ disable: () => disableWebhook(partnerId, 'manager', now()) }).disable(),
    enabling: (stepped: Stepped) => stepped({ enable: () => enableWebhook(partnerId, now()) }).enable(),
    replaying: async (stepped: Stepped) => {
      const made = await stepped({ replay: () => replay(eventId, now()) }).replay();
      if (made.kind === 'due') await worker(success, made.due)(stepped);
      return made;
    },
    /** A partner's resend at a moment of its own, and the worker with its message. */
    resending: async (stepped: Stepped) => {
      const resend = async () => {
        story.now += 1;
        story.sentBeforeResend = sent.length;
        return new TableUnitDeliveries(now).makeDue(booked, eventId, now());
      };
      const made = await stepped({ resend }).resend();
      if (made.kind !== 'due') throw new Error(made.kind);
      await worker(success, made.due)(stepped);
    },
    /** Whether the event that was resent has left since, or leaves now. */
    isResent: async () => {
      const { state, dueAt } = (await deliveries.get(eventId))!;
      const hasLeft = sent.length > story.sentBeforeResend!;
      return hasLeft || state === 'entregue' || (state === 'pendente' && dueAt <= now());
    },
    /** What the queue and the sweeper would do later, with a receiver that is well; gives the delivery as it ends. */
    later: async (): Promise<Delivery> => {
      await enableWebhook(partnerId, now());
      for (let round = 0; round < 5; round++) {
        const row = (await deliveries.get(eventId))!;
        if (row.state === 'entregue') return row;
        const released = await deliveries.release(partnerId, now());
        const waiting = await Promise.all(
          (['queue', 'sweeper'] as const).map((owner) => deliveries.listDue(owner, now() + 2 * DAY)),
        );
        const due = [released, ...waiting].flatMap(({ items }) => items).find((item) => item.eventId === eventId);
        if (!due) throw new Error(`nobody looks after a delivery that is ${row.state}`);
        story.now = Math.max(now(), due.dueAt) + LEASE_OVER;
        await worker(success, due)((port) => port);
      }
      throw new Error('the delivery never comes to its end');
    },
  };
}

type Run = (stepped: Stepped) => Promise<unknown>;

type Runs = (one: Container, other: Container) => readonly Run[];

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
    const booked = await bookOne(await makeWebhookPartner(START), { dueAt: START, createdAt: START });
    const story: Story = { booked, now: START, sent: [] };
    const one = container(story, 0);
    const { results, calls } = await interleave<unknown>(runs(one, container(story, skew)), choose, () => {
      story.now += heldUp;
    });
    expect(
      results.filter(({ status }) => status === 'rejected'),
      where,
    ).toEqual([]);
    // A worker that is held up beyond its lease, or so by the other's clock, is taken for dead: its attempt may be made twice.
    if (heldUp === 0 && skew === 0) expect(new Set(story.sent).size, where).toBe(story.sent.length);
    if (story.sentBeforeResend !== undefined) expect(await one.isResent(), where).toBe(true);

    const row = await one.later();
    const numbers = row.history.map(({ number }) => number);
    expect(numbers, where).toEqual(numbers.map((_number, index) => index + 1));
    const successes = row.history.filter(({ result }) => result.delivered).length;
    const isReplayed = (result: PromiseSettledResult<unknown>) =>
      result.status === 'fulfilled' && (result.value as { due?: object } | undefined)?.due;
    const replayed = results.filter(isReplayed).length;
    expect(successes, where).toBeGreaterThanOrEqual(1);
    expect(successes, where).toBeLessThanOrEqual(1 + replayed);
    return calls;
  }

  sweep('leave one end and lose nothing', play, HELD_UP, skew === 0 ? 1 : 3);
}

// More of the schedules with SOAK=1.
describe.each(Object.entries(OVERLAPS))('%s', (_, runs) => describeStory(runs));
describe.each(SKEWS)('containers whose clocks are %i ms apart', (skew) => {
  describe.each(Object.entries(APART))('%s', (_, runs) => describeStory(runs, skew));
});
