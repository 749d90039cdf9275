import type { EventId } from '#shared/domain/values/ids.ts';
import { type AttemptReport, deliver } from '#shared/domain/webhooks/deliver.ts';
import type { AttemptResult, Message } from '#shared/domain/webhooks/delivery.ts';
import type {
  Deliveries,
  DeliveryQueue,
  SendingEndpoint,
  WebhookEndpoints,
  WebhookSender,
} from '#shared/domain/webhooks/ports.ts';
import { type SweepReport, sweep } from '#shared/domain/webhooks/sweep.ts';
import { queryRows } from '#shared/table/rows/client.ts';
import { DUE_PARTITIONS, RELEASES_DUE } from '#shared/table/rows/keys.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { FakeDeliveryQueue } from './delivery-queue.ts';
import { openPort } from './intercepted.ts';
import { passPeersTime } from './test-clock.ts';

const MINUTE = 60_000;
/** Number of messages that the worker handles at the same time. */
const AT_ONCE = 50;

interface Send {
  readonly eventId: EventId;
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface WorldOptions {
  /** Returns the receiver's answer to an attempt. `endpoint` has the address and the secret of the attempt. */
  readonly answer: (message: Message, attempt: number, endpoint: SendingEndpoint) => AttemptResult;
  readonly start?: number;
  readonly random?: () => number;
}

/**
 * Webhook delivery with the real table, a fake queue and a clock that jumps to the next event. The worker takes visible
 * messages, and the sweeper runs at each full minute. The ports of both are open to interception.
 */
export class DeliveryWorld {
  now: number;
  readonly queue: FakeDeliveryQueue;
  readonly sends: Send[] = [];
  readonly reports: AttemptReport[] = [];
  readonly sweeps: SweepReport[] = [];
  private lastTick: number;
  private readonly ports: {
    deliveries: Deliveries;
    endpoints: WebhookEndpoints;
    queue: Omit<DeliveryQueue, 'read'>;
    sender: WebhookSender;
  };
  private readonly random: () => number;

  constructor(options: WorldOptions) {
    this.now = options.start ?? 1_767_571_200_000;
    this.lastTick = this.now - MINUTE;
    this.random = options.random ?? Math.random;
    this.queue = new FakeDeliveryQueue(() => this.now);
    const sender: WebhookSender = {
      send: async (endpoint, message, attempt, now) => {
        this.sends.push({ eventId: message.eventId, attempt, at: now });
        return options.answer(message, attempt, endpoint);
      },
    };
    this.ports = {
      deliveries: openPort('deliveries', new TableDeliveries()),
      endpoints: openPort('endpoints', new TableWebhookEndpoints()),
      queue: openPort('queue', this.queue),
      sender: openPort('sender', sender),
    };
  }

  /** Handles every message that is visible now. */
  async work(): Promise<void> {
    for (let messages = this.queue.receive(AT_ONCE); messages.length > 0; messages = this.queue.receive(AT_ONCE)) {
      await Promise.all(
        messages.map(async ({ receipt, message }) => {
          try {
            const outcome = await deliver(message, {
              ...this.ports,
              clock: () => this.now,
              random: this.random,
              observer: { attempted: (report) => this.reports.push(report) },
            });
            if (outcome.kind === 'done') this.queue.remove(receipt);
            else await this.ports.queue.hide(receipt, outcome.after);
          } catch {
            // As in the worker: the message comes back when its visibility timeout ends.
          }
        }),
      );
    }
  }

  /** Runs the sweeper once. If the run fails, the next minute repeats it. */
  async tick(): Promise<void> {
    this.lastTick = this.now;
    try {
      this.sweeps.push(await sweep({ ...this.ports, now: this.now, inTime: () => true }));
    } catch {
      // The next minute is the retry.
    }
  }

  /** Jumps to the next event and runs it. Returns false if nothing happens before `until`. */
  async step(until = Number.POSITIVE_INFINITY): Promise<boolean> {
    const tickAt = await this.nextTick();
    const next = Math.min(tickAt, this.queue.nextVisibleAt() ?? Number.POSITIVE_INFINITY);
    if (next === Number.POSITIVE_INFINITY || next > until) return false;
    this.now = Math.max(this.now, next);
    if (this.now >= tickAt) await this.tick();
    await this.work();
    return true;
  }

  /** Steps until nothing waits any more, or until a moment. Throws an Error if there is no end after 20,000 steps. */
  async run(until = Number.POSITIVE_INFINITY): Promise<void> {
    for (let steps = 0; await this.step(until); steps++) {
      if (steps === 20_000) throw new Error('the deliveries never come to rest');
    }
    if (until !== Number.POSITIVE_INFINITY) this.now = Math.max(this.now, until);
  }

  /** Returns the next full minute at which the sweeper has something to do. */
  private async nextTick(): Promise<number> {
    // The sweeper runs once a minute. By then the index shows everything that was written before.
    passPeersTime(MINUTE);
    const earliest = Math.min(...(await Promise.all(DUE_PARTITIONS.concat(RELEASES_DUE).map(firstDueAt))));
    if (earliest === Number.POSITIVE_INFINITY) return earliest;
    const after = Math.max(earliest, this.lastTick, this.now - MINUTE);
    return (Math.floor(after / MINUTE) + 1) * MINUTE;
  }
}

async function firstDueAt(partition: string): Promise<number> {
  const { Items = [] } = await queryRows({
    IndexName: 'byDue',
    KeyConditionExpression: 'duePk = :pk',
    ExpressionAttributeValues: { ':pk': partition },
    Limit: 1,
  });
  const first = Items[0]?.['dueSk'];
  return first === undefined ? Number.POSITIVE_INFINITY : Number(String(first).slice(0, 16));
}
