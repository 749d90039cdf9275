import type { EventId, UnitId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';
import { DELIVERY_STATES, type DeliveryState, type DueDelivery, type EventType } from './delivery.ts';

/** A delivery as lists show it. */
export interface ListedDelivery {
  readonly eventId: EventId;
  readonly unitId: UnitId;
  readonly environment: Environment;
  readonly type: EventType;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A delivery as lists show it, with why its last attempt failed where it did. */
export type ExplainedDelivery = ListedDelivery & { readonly cause: string | undefined };

/** Which deliveries are asked for; what is left out excludes none. */
export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[] | undefined;
  readonly unitId?: UnitId | undefined;
  readonly environment?: Environment | undefined;
  /** Booked then or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Booked before that, in milliseconds since 1970. */
  readonly until?: number | undefined;
}

/** States from which a delivery can be sent again: all but the one that has an attempt coming anyway. */
export const REPLAYABLE: readonly DeliveryState[] = DELIVERY_STATES.filter((state) => state !== 'pendente');

/** What became of one delivery that was to be sent again. */
export type Replay =
  /** Due now: to be sent to the queue. */
  | { readonly kind: 'due'; readonly due: DueDelivery }
  /** An attempt is coming anyway. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'absent' };
