import type { Clock } from '../values/clock.ts';
import type { EventId } from '../values/ids.ts';
import type { DueDelivery } from './delivery.ts';
import type { DeliveryQueue } from './ports.ts';

/** What became of one delivery that was to be sent again. */
export type Replay =
  /** Due now: to be sent to the queue. */
  | { readonly kind: 'due'; readonly due: DueDelivery }
  /** An attempt is coming anyway. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'absent' };

interface ReplayDeps {
  readonly replay: (eventId: EventId, now: number) => Promise<Replay>;
  readonly queue: Pick<DeliveryQueue, 'send'>;
  readonly clock: Clock;
  readonly done?: (count: number) => void;
}

/** Deliveries that are sent to the queue at once. */
const LOT = 10;

/** Sends events again in the order given, oldest first by custom; what is pending by then is skipped. */
export async function replayAll(
  eventIds: readonly EventId[],
  { replay, queue, clock, done }: ReplayDeps,
): Promise<{ sent: number; skipped: number }> {
  let sent = 0;
  for (let start = 0; start < eventIds.length; start += LOT) {
    const now = clock();
    const lot = await Promise.all(eventIds.slice(start, start + LOT).map((eventId) => replay(eventId, now)));
    const due = lot.flatMap((made) => (made.kind === 'due' ? [made.due] : []));
    await queue.send(due, now);
    sent += due.length;
    done?.(lot.length);
  }
  return { sent, skipped: eventIds.length - sent };
}
