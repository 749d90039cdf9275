import type { Clock } from '../../shared/domain/values/clock.ts';
import type { EventId, PartnerId } from '../../shared/domain/values/ids.ts';
import { deliver } from '../../shared/domain/webhooks/deliver.ts';
import type { AttemptResult, Delivery, DueDelivery } from '../../shared/domain/webhooks/delivery.ts';
import type { Replay } from '../../shared/domain/webhooks/delivery-list.ts';
import type { Deliveries, WebhookEndpoints } from '../../shared/domain/webhooks/ports.ts';
import { sweep } from '../../shared/domain/webhooks/sweep.ts';
import { firstMessage, newDelivery } from './booked.ts';
import { success } from './delivery.ts';
import { FakeDeliveryQueue } from './delivery-queue.ts';
import type { Stepped } from './interleaved.ts';

const START = 1_767_571_200_000;
/** Longer than an attempt is left to the worker that has claimed it, in milliseconds. */
export const LEASE_OVER = 60_001;
const DAY = 86_400_000;

/** Where a story's rows are kept, and what the manager does there. Moments in milliseconds since 1970. */
export interface WebhookStore {
  readonly deliveries: Deliveries;
  readonly endpoints: WebhookEndpoints;
  /** A partner of its own with an enabled endpoint. */
  makePartner(now: number): Promise<PartnerId>;
  book(delivery: Delivery): Promise<Delivery>;
  enable(partnerId: PartnerId, now: number): Promise<void>;
  disable(partnerId: PartnerId, now: number): Promise<void>;
  replay(eventId: EventId, now: number): Promise<Replay>;
  /** The partner has it sent again: gives the message for that. */
  resend(delivery: Delivery, now: number): Promise<DueDelivery>;
}

/** One event of a partner of its own, and the runs that may meet over it. */
export class OverlappingDelivery {
  readonly partnerId: PartnerId;
  readonly booked: Delivery;
  /** Attempts whose request has left, by number. */
  readonly sent: number[] = [];
  /** How many of them had left when the event was resent. */
  sentBeforeResend: number | undefined;
  readonly #store: WebhookStore;
  readonly #time: { now: number };

  private constructor(store: WebhookStore, time: { now: number }, partnerId: PartnerId, booked: Delivery) {
    this.#store = store;
    this.#time = time;
    this.partnerId = partnerId;
    this.booked = booked;
  }

  static async begin(storeOf: (clock: Clock) => WebhookStore): Promise<OverlappingDelivery> {
    const time = { now: START };
    const store = storeOf(() => time.now);
    const partnerId = await store.makePartner(START);
    const booked = await store.book(newDelivery(partnerId, { dueAt: START, createdAt: START }));
    return new OverlappingDelivery(store, time, partnerId, booked);
  }

  /** The story's time, in milliseconds since 1970. */
  get now(): number {
    return this.#time.now;
  }

  set now(moment: number) {
    this.#time.now = moment;
  }

  #ports(stepped: Stepped, result: AttemptResult) {
    const send = async (_endpoint: unknown, _message: unknown, attempt: number) => {
      this.sent.push(attempt);
      return result;
    };
    return {
      deliveries: stepped(this.#store.deliveries),
      endpoints: stepped(this.#store.endpoints),
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
    const { endpoints } = this.#store;
    return sweep({
      ...this.#ports(stepped, success),
      // The index holds the endpoints of all stories before.
      endpoints: stepped({ ...endpoints, enabledLately: async () => (await endpoints.enabledLately()).filter(own) }),
      now: this.now,
      inTime: () => true,
    });
  };

  readonly disabling = (stepped: Stepped) =>
    stepped({ disable: () => this.#store.disable(this.partnerId, this.now) }).disable();

  readonly enabling = (stepped: Stepped) =>
    stepped({ enable: () => this.#store.enable(this.partnerId, this.now) }).enable();

  readonly replaying = async (stepped: Stepped) => {
    const made = await stepped({ replay: () => this.#store.replay(this.booked.eventId, this.now) }).replay();
    if (made.kind === 'due') await this.worker(success, made.due)(stepped);
    return made;
  };

  /** A partner's resend at a moment of its own, and the worker with its message. */
  readonly resending = async (stepped: Stepped) => {
    const resend = async () => {
      this.now += 1;
      this.sentBeforeResend = this.sent.length;
      return this.#store.resend(this.booked, this.now);
    };
    await this.worker(success, await stepped({ resend }).resend())(stepped);
  };

  /** Whether the event that was resent has left since, or leaves now. */
  async isResent(): Promise<boolean> {
    const { state, dueAt } = (await this.#store.deliveries.get(this.booked.eventId))!;
    return (
      this.sent.length > this.sentBeforeResend! || state === 'entregue' || (state === 'pendente' && dueAt <= this.now)
    );
  }

  /** What the queue and the sweeper would do later, with a receiver that is well; gives the delivery as it ends. */
  async later(): Promise<Delivery> {
    await this.#store.enable(this.partnerId, this.now);
    for (let round = 0; round < 5; round++) {
      const row = (await this.#store.deliveries.get(this.booked.eventId))!;
      if (row.state === 'entregue') return row;
      const released = await this.#store.deliveries.release(this.partnerId, this.now);
      const waiting = await Promise.all(
        (['queue', 'sweeper'] as const).map((owner) => this.#store.deliveries.listDue(owner, this.now + DAY)),
      );
      const due = [released, ...waiting].flatMap(({ items }) => items).find(({ eventId }) => eventId === row.eventId);
      if (!due) throw new Error(`nobody looks after a delivery that is ${row.state}`);
      this.now = Math.max(this.now, due.dueAt) + LEASE_OVER;
      await this.worker(success, due)((port) => port);
    }
    throw new Error('the delivery never comes to its end');
  }
}
