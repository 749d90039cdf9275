import { describe, expect } from 'vitest';
import { deliver } from '#shared/domain/webhooks/deliver.ts';
import {
  type AttemptResult,
  type Delivery,
  type DueDelivery,
  isWithoutTexts,
} from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { sweep as sweepDeliveries } from '#shared/domain/webhooks/sweep.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { deleteReceiverTexts } from '#shared/table/webhooks/receiver-texts.ts';
import { replay } from '#shared/table/webhooks/replays.ts';
import { TableUnitDeliveries } from '#shared/table/webhooks/unit-deliveries.ts';
import { disableWebhook, enableWebhook, TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, firstMessage, makeWebhookPartner } from '../makers/booked.ts';
import { type AnalysisDelivery, failed, gone, success } from '../makers/delivery.ts';
import { FakeDeliveryQueue } from '../makers/delivery-queue.ts';
import { interleave, type Schedule, type Stepped, testSchedules } from '../makers/interleaved.ts';
import { usePeers } from '../makers/peers.ts';
import { SKEWS } from '../makers/skews.ts';

usePeers();

const START = 1_767_571_200_000;
/**
 * Milliseconds after which the worker that claimed an attempt has lost it, so that another worker may make the attempt.
 */
const LEASE_OVER = 60_001;
const DAY = 86_400_000;
/** Milliseconds for which a run is paused while another run continues. */
const HELD_UP = [0, LEASE_OVER];
const ENDPOINTS = new TableWebhookEndpoints();

/** The state that the containers of a story share. Its event has a partner that no other story uses. */
interface Story {
  readonly booked: AnalysisDelivery;
  /** The time of the story, in milliseconds since 1970. */
  now: number;
  /** Numbers of the attempts whose request was sent. */
  readonly sent: number[];
  /** Number of requests that had been sent when the event was resent. Undefined if it was not resent. */
  sentBeforeResend?: number;
  /** Whether the event's person was erased. */
  isErased?: true;
}

type Container = ReturnType<typeof container>;

/**
 * Returns the runs that may handle the event at the same time, in a container whose clock is `ahead` milliseconds fast.
 */
function container(story: Story, ahead: number) {
  const { booked, sent } = story;
  const { eventId } = booked;
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
  /** Returns a worker that has the message of the first attempt, and whose receiver answers with `result`. */
  const worker =
    (result: AttemptResult, message: DueDelivery = firstMessage(booked)) =>
    (stepped: Stepped) =>
      deliver(message, ports(stepped, result));

  return {
    worker,
    sweeper: (stepped: Stepped) => {
      const own = (one: EndpointOwner) => one.partnerId === booked.partnerId;
      // The index also holds the endpoints of earlier stories.
      const enabledLately = async () => (await ENDPOINTS.enabledLately()).filter(own);
      const endpoints = stepped(Object.assign(new TableWebhookEndpoints(), { enabledLately }));
      return sweepDeliveries({ ...ports(stepped, success), endpoints, now: now(), inTime: () => true });
    },
    disabling: (stepped: Stepped) => stepped({ disable: () => disableWebhook(booked, 'manager', now()) }).disable(),
    enabling: (stepped: Stepped) => stepped({ enable: () => enableWebhook(booked, now()) }).enable(),
    replaying: async (stepped: Stepped) => {
      const made = await stepped({ replay: () => replay(eventId, now()) }).replay();
      if (made.kind === 'due') await worker(success, made.due)(stepped);
      return made;
    },
    /** Resends the event for the partner, at a time that no other step has, and runs the worker with its message. */
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
    /** Deletes the receiver's texts as the erasure of the event's person does. */
    erasing: async (stepped: Stepped) => {
      story.isErased = true;
      await stepped({ erase: () => deleteReceiverTexts(booked, booked.analysisId!, now()) }).erase();
    },
    /** Whether the event was sent after the resend, has arrived, or is due now. */
    isResent: async () => {
      const { state, dueAt } = (await deliveries.get(eventId))!;
      const hasLeft = sent.length > story.sentBeforeResend!;
      return hasLeft || state === 'entregue' || (state === 'pendente' && dueAt <= now());
    },
    /**
     * Does what queue and sweeper would do later, with a receiver that accepts. Returns the delivery once it has
     * arrived.
     */
    later: async (): Promise<Delivery> => {
      await enableWebhook(booked, now());
      for (let round = 0; round < 5; round++) {
        const row = (await deliveries.get(eventId))!;
        if (row.state === 'entregue') return row;
        const released = await deliveries.release(booked, now());
        const waiting = await deliveries.listDue(now() + 2 * DAY);
        const due = released.items.concat(waiting.items).find((item) => item.eventId === eventId);
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

/** Overlaps with a run in another container. They are also played with clocks that disagree. */
const APART: Readonly<Record<string, Runs>> = {
  'two workers with copies of one message': ({ worker }, other) => [worker(success), other.worker(success)],
  'two workers, one of which fails': ({ worker }, other) => [worker(failed), other.worker(success)],
  'a worker that fails and a resend': ({ worker }, { resending }) => [worker(failed), resending],
  'a worker that fails, the sweeper and a resend': ({ worker, resending }, { sweeper }) => [
    worker(failed),
    resending,
    sweeper,
  ],
  'a worker and the sweeper': ({ worker }, { sweeper }) => [worker(failed), sweeper],
  'a worker that fails and the erasure of the person': ({ worker }, { erasing }) => [worker(failed), erasing],
  'two workers and the sweeper': ({ worker }, other) => [worker(failed), other.worker(success), other.sweeper],
};
const OVERLAPS: Readonly<Record<string, Runs>> = {
  ...APART,
  'a worker and somebody who disables the endpoint': ({ worker, disabling }) => [worker(failed), disabling],
  'a worker that succeeds and somebody who disables the endpoint': ({ worker, disabling }) => [
    worker(success),
    disabling,
  ],
  'a worker whose receiver is gone and somebody who enables the endpoint': ({ worker, enabling }) => [
    worker(gone),
    enabling,
  ],
  'a worker and a replay': ({ worker, replaying }) => [worker(success), replaying],
  'a worker that fails and a replay': ({ worker, replaying }) => [worker(failed), replaying],
  'a worker whose receiver is gone and the erasure of the person': ({ worker, erasing }) => [worker(gone), erasing],
  'a worker that fails, a resend and the erasure of the person': ({ worker, resending, erasing }) => [
    worker(failed),
    resending,
    erasing,
  ],
  'two workers and the erasure of the person': ({ worker, erasing }, other) => [
    worker(failed),
    other.worker(failed),
    erasing,
  ],
  'two replays': ({ replaying }) => [replaying, replaying],
  'a worker, a replay and somebody who disables the endpoint': ({ worker, replaying, disabling }) => [
    worker(failed),
    replaying,
    disabling,
  ],
};

function describeStory(runs: Runs, skew = 0): void {
  async function play({ choose, heldUp, where }: Schedule): Promise<readonly number[]> {
    const booked = await bookDelivery(await makeWebhookPartner(START), { dueAt: START, createdAt: START });
    const story: Story = { booked, now: START, sent: [] };
    const one = container(story, 0);
    const { results, calls } = await interleave<unknown>(runs(one, container(story, skew)), choose, () => {
      story.now += heldUp;
    });
    expect(
      results.filter(({ status }) => status === 'rejected'),
      where,
    ).toEqual([]);
    // If a worker is paused for longer than its lease, or seems so by the other container's clock, it counts as dead.
    // Its attempt may then be made twice.
    if (heldUp === 0 && skew === 0) expect(new Set(story.sent).size, where).toBe(story.sent.length);
    if (story.sentBeforeResend !== undefined) expect(await one.isResent(), where).toBe(true);

    const row = await one.later();
    if (story.isErased) expect(isWithoutTexts(row), where).toBe(true);
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

  testSchedules('overlapping runs deliver the event and lose no attempt', play, HELD_UP, skew === 0 ? 1 : 3);
}

// SOAK=1 plays more of the schedules.
describe.each(Object.entries(OVERLAPS))('%s', (_, runs) => describeStory(runs));
describe.each(SKEWS)('containers whose clocks are %i ms apart', (skew) => {
  describe.each(Object.entries(APART))('%s', (_, runs) => describeStory(runs, skew));
});
