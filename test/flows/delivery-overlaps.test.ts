import { describe, expect, it } from 'vitest';
import type { EventId, PartnerId } from '../../shared/domain/values/ids.ts';
import { deliver } from '../../shared/domain/webhooks/deliver.ts';
import type { AttemptResult, Delivery, DueDelivery } from '../../shared/domain/webhooks/delivery.ts';
import { sweep } from '../../shared/domain/webhooks/sweep.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { replay } from '../../shared/table/replays.ts';
import { disableWebhook, enableWebhook, tableWebhookEndpoints } from '../../shared/table/webhook-endpoints.ts';
import { bookOne, firstMessage } from '../makers/booked.ts';
import { FakeDeliveryQueue } from '../makers/delivery-queue.ts';
import { makeWebhookPartner } from '../makers/endpoint.ts';
import {
  drawnSchedules,
  interleave,
  oneAfterTheOther,
  type Schedule,
  type Stepped,
  sweptSchedules,
  TABLE_SWEEP,
} from '../makers/interleaved.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const START = 1_767_571_200_000;
/** Longer than an attempt is left to the worker that has claimed it, in milliseconds. */
const LEASE_OVER = 60_001;
/** Milliseconds by which a run is held up while the other goes on. */
const HELD_UP = [0, LEASE_OVER];
const DAY = 86_400_000;

const success: AttemptResult = { delivered: true, status: 200, milliseconds: 10 };
const failed: AttemptResult = { delivered: false, failure: 'http_5xx', status: 500, milliseconds: 10, detail: 'no' };
const gone: AttemptResult = { ...failed, failure: 'http_4xx', status: 410 };

/** One event of a partner of its own, and the runs that may meet over it. */
class OverlappingDelivery {
  now = START;
  readonly partnerId: PartnerId;
  readonly booked: Delivery;
  /** Attempts whose request has left, by number. */
  readonly sent: number[] = [];
  readonly deliveries = tableDeliveries(() => this.now);

  constructor(partnerId: PartnerId, booked: Delivery) {
    this.partnerId = partnerId;
    this.booked = booked;
  }

  static async begin(): Promise<OverlappingDelivery> {
    const partnerId = await makeWebhookPartner(START);
    return new OverlappingDelivery(partnerId, await bookOne(partnerId, { dueAt: START, createdAt: START }));
  }

  #ports(stepped: Stepped, result: AttemptResult) {
    const send = async (_endpoint: unknown, _message: unknown, attempt: number) => {
      this.sent.push(attempt);
      return result;
    };
    return {
      deliveries: stepped(this.deliveries),
      endpoints: stepped(tableWebhookEndpoints()),
      queue: new FakeDeliveryQueue(() => this.now),
      sender: stepped({ send }),
      clock: () => this.now,
      random: () => 0,
      report() {},
    };
  }

  /** A worker with the message of the first attempt, to which the receiver gives an answer. */
  readonly worker =
    (result: AttemptResult, message: DueDelivery = firstMessage(this.booked)) =>
    (stepped: Stepped) =>
      deliver(message, this.#ports(stepped, result));

  readonly sweeper = (stepped: Stepped) => {
    const own = ({ partnerId }: { partnerId: PartnerId }) => partnerId === this.partnerId;
    const endpoints = tableWebhookEndpoints();
    return sweep({
      ...this.#ports(stepped, success),
      // The index holds the endpoints of all stories before.
      endpoints: stepped({ ...endpoints, enabledLately: async () => (await endpoints.enabledLately()).filter(own) }),
      now: this.now,
      inTime: () => true,
    });
  };

  readonly disabling = (stepped: Stepped) =>
    stepped({ disable: () => disableWebhook(this.partnerId, 'manager', this.now) }).disable();

  readonly enabling = (stepped: Stepped) => stepped({ enable: () => enableWebhook(this.partnerId, this.now) }).enable();

  readonly replaying = async (stepped: Stepped) => {
    const made = await stepped({ replay: (eventId: EventId) => replay(eventId, this.now) }).replay(this.booked.eventId);
    if (made.kind === 'due') await this.worker(success, made.due)(stepped);
    return made;
  };

  /** What the queue and the sweeper would do later, with a receiver that is well; gives the delivery as it ends. */
  async later(): Promise<Delivery> {
    await enableWebhook(this.partnerId, this.now);
    for (let round = 0; round < 5; round++) {
      const row = (await this.deliveries.get(this.booked.eventId))!;
      if (row.state === 'entregue') return row;
      const released = await this.deliveries.release(this.partnerId, this.now);
      const waiting = await Promise.all(
        (['queue', 'sweeper'] as const).map((owner) => this.deliveries.listDue(owner, this.now + DAY)),
      );
      const due = [released, ...waiting].flatMap(({ items }) => items).find(({ eventId }) => eventId === row.eventId);
      if (!due) throw new Error(`nobody looks after a delivery that is ${row.state}`);
      this.now = Math.max(this.now, due.dueAt) + LEASE_OVER;
      await this.worker(success, due)((port) => port);
    }
    throw new Error('the delivery never comes to its end');
  }
}

type Run = (stepped: Stepped) => Promise<unknown>;

const OVERLAPS: Readonly<Record<string, (story: OverlappingDelivery) => readonly [Run, Run]>> = {
  'two workers with copies of one message': ({ worker }) => [worker(success), worker(success)],
  'two workers of whom one fails': ({ worker }) => [worker(failed), worker(success)],
  'a worker and who disables the endpoint': ({ worker, disabling }) => [worker(failed), disabling],
  'a worker that succeeds and who disables the endpoint': ({ worker, disabling }) => [worker(success), disabling],
  'a worker whose receiver is gone and who enables the endpoint': ({ worker, enabling }) => [worker(gone), enabling],
  'a worker and a replay': ({ worker, replaying }) => [worker(success), replaying],
  'a worker that fails and a replay': ({ worker, replaying }) => [worker(failed), replaying],
  'two replays': ({ replaying }) => [replaying, replaying],
  'a worker and the sweeper': ({ worker, sweeper }) => [worker(failed), sweeper],
};

describe.each(Object.entries(OVERLAPS))('%s', (_, runs) => {
  async function play({ choose, heldUp, where }: Schedule): Promise<readonly number[]> {
    const story = await OverlappingDelivery.begin();
    const { results, calls } = await interleave<unknown>(runs(story), choose, () => {
      story.now += heldUp;
    });
    expect([where, results.filter(({ status }) => status === 'rejected')]).toEqual([where, []]);
    // A worker that is held up beyond its lease is taken for dead: its attempt may be made twice.
    if (heldUp === 0) expect([where, new Set(story.sent).size]).toEqual([where, story.sent.length]);

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

  it('leave one end and lose nothing, whoever goes on after whichever call, up to two switches', async () => {
    const calls = await play(oneAfterTheOther);
    for (const schedule of sweptSchedules(calls, HELD_UP, TABLE_SWEEP)) await play(schedule);
  });

  it.each(TABLE_SWEEP.seeds)('leave one end and lose nothing in any order (seed %i)', async (seed) => {
    for (const schedule of drawnSchedules(seed, HELD_UP)) await play(schedule);
  });
});
