import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { deliver } from '../../shared/domain/webhooks/deliver.ts';
import type { AttemptResult, Delivery, DueDelivery } from '../../shared/domain/webhooks/delivery.ts';
import { sweep } from '../../shared/domain/webhooks/sweep.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { replay } from '../../shared/table/replays.ts';
import { tableUnitDeliveries } from '../../shared/table/unit-deliveries.ts';
import { disableWebhook, enableWebhook, tableWebhookEndpoints } from '../../shared/table/webhook-endpoints.ts';
import { bookOne, firstMessage, makeWebhookPartner } from './booked.ts';
import { success } from './delivery.ts';
import { FakeDeliveryQueue } from './delivery-queue.ts';
import type { Stepped } from './interleaved.ts';

const START = 1_767_571_200_000;
/** Longer than an attempt is left to the worker that has claimed it, in milliseconds. */
export const LEASE_OVER = 60_001;
const DAY = 86_400_000;
const ENDPOINTS = tableWebhookEndpoints();

/** A story as its containers share it. */
interface Story {
  /** In milliseconds since 1970. */
  now: number;
  /** Attempts whose request has left, by number. */
  readonly sent: number[];
  /** How many of them had left when the event was resent. */
  sentBeforeResend?: number;
}

/** One event of a partner of its own, and the runs that may meet over it, in a container of which the clock is `ahead`. */
export class OverlappingDelivery {
  readonly partnerId: PartnerId;
  readonly booked: Delivery;
  readonly story: Story;
  readonly #ahead: number;
  readonly #deliveries = tableDeliveries(() => this.now);

  private constructor(booked: Delivery, story: Story, ahead: number) {
    this.partnerId = booked.partnerId;
    this.booked = booked;
    this.story = story;
    this.#ahead = ahead;
  }

  static async begin(): Promise<OverlappingDelivery> {
    const partnerId = await makeWebhookPartner(START);
    const booked = await bookOne(partnerId, { dueAt: START, createdAt: START });
    return new OverlappingDelivery(booked, { now: START, sent: [] }, 0);
  }

  /** The same story in a container whose clock is so many milliseconds ahead. */
  skewed(milliseconds: number): OverlappingDelivery {
    return new OverlappingDelivery(this.booked, this.story, milliseconds);
  }

  /** The container's time, in milliseconds since 1970. */
  get now(): number {
    return this.story.now + this.#ahead;
  }

  #ports(stepped: Stepped, result: AttemptResult) {
    const send = async (_endpoint: unknown, _message: unknown, attempt: number) => {
      this.story.sent.push(attempt);
      return result;
    };
    return {
      deliveries: stepped(this.#deliveries),
      endpoints: stepped(ENDPOINTS),
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
    return sweep({
      ...this.#ports(stepped, success),
      // The index holds the endpoints of all stories before.
      endpoints: stepped({ ...ENDPOINTS, enabledLately: async () => (await ENDPOINTS.enabledLately()).filter(own) }),
      now: this.now,
      inTime: () => true,
    });
  };

  readonly disabling = (stepped: Stepped) =>
    stepped({ disable: () => disableWebhook(this.partnerId, 'manager', this.now) }).disable();

  readonly enabling = (stepped: Stepped) => stepped({ enable: () => enableWebhook(this.partnerId, this.now) }).enable();

  readonly replaying = async (stepped: Stepped) => {
    const made = await stepped({ replay: () => replay(this.booked.eventId, this.now) }).replay();
    if (made.kind === 'due') await this.worker(success, made.due)(stepped);
    return made;
  };

  /** A partner's resend at a moment of its own, and the worker with its message. */
  readonly resending = async (stepped: Stepped) => {
    const resend = async () => {
      this.story.now += 1;
      this.story.sentBeforeResend = this.story.sent.length;
      return tableUnitDeliveries(() => this.now).makeDue(this.booked, this.booked.eventId, this.now);
    };
    const made = await stepped({ resend }).resend();
    if (made.kind !== 'due') throw new Error(made.kind);
    await this.worker(success, made.due)(stepped);
  };

  /** Whether the event that was resent has left since, or leaves now. */
  async isResent(): Promise<boolean> {
    const { state, dueAt } = (await this.#deliveries.get(this.booked.eventId))!;
    const { sent, sentBeforeResend } = this.story;
    return sent.length > sentBeforeResend! || state === 'entregue' || (state === 'pendente' && dueAt <= this.now);
  }

  /** What the queue and the sweeper would do later, with a receiver that is well; gives the delivery as it ends. */
  async later(): Promise<Delivery> {
    await enableWebhook(this.partnerId, this.now);
    for (let round = 0; round < 5; round++) {
      const row = (await this.#deliveries.get(this.booked.eventId))!;
      if (row.state === 'entregue') return row;
      const released = await this.#deliveries.release(this.partnerId, this.now);
      const waiting = await Promise.all(
        (['queue', 'sweeper'] as const).map((owner) => this.#deliveries.listDue(owner, this.now + 2 * DAY)),
      );
      const due = [released, ...waiting].flatMap(({ items }) => items).find(({ eventId }) => eventId === row.eventId);
      if (!due) throw new Error(`nobody looks after a delivery that is ${row.state}`);
      this.story.now = Math.max(this.now, due.dueAt) + LEASE_OVER;
      await this.worker(success, due)((port) => port);
    }
    throw new Error('the delivery never comes to its end');
  }
}
