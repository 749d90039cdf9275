import type { EventId } from '../values/ids.ts';
import type { Delivery, DueDelivery } from './delivery.ts';
import type { DeliveryOwner, UnitDeliveries } from './ports.ts';

/** For how long an event that was resent is not resent again by its partner, in milliseconds. */
export const RESEND_PAUSE = 60_000;

/** What became of a partner's wish to have an event once more. */
export type Resend =
  /** Due now: to be sent to the queue. `endpoint`: whether an address is set at all. */
  | { readonly kind: 'due'; readonly delivery: Delivery; readonly due: DueDelivery; readonly endpoint: boolean }
  /** Kept until the endpoint, which is disabled, is enabled again. */
  | { readonly kind: 'kept'; readonly delivery: Delivery }
  /** It was resent less than RESEND_PAUSE before, at this moment in milliseconds. */
  | { readonly kind: 'too_soon'; readonly resentAt: number }
  | { readonly kind: 'absent' };

/**
 * Gives an event of the owner's one manual attempt at `now` (milliseconds), with the same id and bytes, whatever its
 * state: one that waits for its next attempt has it now, one whose attempt is under way and fails has another right after.
 * If it fails, what remains of the schedule follows. Cut off before the queue is told, the sweeper sends it.
 */
export async function resend(
  deliveries: UnitDeliveries,
  owner: DeliveryOwner,
  eventId: EventId,
  now: number,
): Promise<Resend> {
  const found = await deliveries.look(owner, eventId);
  if (!found) return { kind: 'absent' };
  const { delivery, endpoint } = found;
  if (endpoint && !endpoint.enabled) {
    const kept = await deliveries.keep(owner, delivery, now);
    // Enabled since it was looked at, it takes the event as any other does.
    if (kept !== 'enabled') return kept;
  }
  const made = await deliveries.makeDue(owner, eventId, now);
  return made.kind === 'due' ? { ...made, endpoint: endpoint !== undefined } : made;
}
