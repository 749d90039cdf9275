import { days, hours, type Instant, type Milliseconds } from '../values/time.ts';
import { type AttemptResult, GONE } from './delivery.ts';

/** What is kept of a webhook endpoint's attempts since it last took one. */
export interface EndpointHealth {
  /** Failed attempts since then, of all the partner's deliveries. */
  readonly failures: number;
  /** When the first of them failed; undefined where none did. */
  readonly failingSince: Instant | undefined;
}

/**
 * An endpoint disables itself when both hold. Source: shared/contract/README.md#delivery, rule 7 (after Svix's rule). A
 * success of a healthy endpoint writes nothing, so the five days without a success are counted from the first failure
 * after a success. The twelve hours between first and last failure, which partners are told of, lie within the five
 * days.
 */
export const DISABLING: { readonly failures: number; readonly failingFor: Milliseconds } = {
  failures: 12,
  failingFor: days(5),
};

/** Why an endpoint disables itself: the receiver answered 410, or nothing has arrived for too long. */
export type DisablingCause = 'gone' | 'failing';

/**
 * Whether the failed attempt just made disables the endpoint, and why; undefined where it stays enabled. `health`
 * already counts the attempt. No outage shorter than five days disables an endpoint that worked before it.
 */
export function disablingCause(
  health: EndpointHealth,
  result: AttemptResult,
  now: Instant,
): DisablingCause | undefined {
  if (result.delivered) return undefined;
  if (result.status === GONE) return 'gone';
  const failing = health.failures >= DISABLING.failures && now - (health.failingSince ?? now) >= DISABLING.failingFor;
  return failing ? 'failing' : undefined;
}

/** Where a partner's events go. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly enabled: boolean;
  readonly secret: string;
  /** The secret before the last rotation, while its overlap lasts. */
  readonly previousSecret: string | undefined;
  /** Until when it signs beside the current one. */
  readonly previousUntil: Instant | undefined;
  /** When the manager last set, enabled or disabled it: attempts begun before say nothing of what it is since. */
  readonly changedAt: Instant;
  readonly health: EndpointHealth;
  /** Why it is disabled; undefined while it is enabled. */
  readonly disabledBecause: DisabledBecause | undefined;
  /** When it was disabled. */
  readonly disabledAt?: Instant | undefined;
  /** Set for some time after it was enabled: what was kept for it may still be on its way. */
  readonly enabledLately?: true | undefined;
}

/** How long both secrets sign after a rotation. Source: shared/contract/README.md#signatures, rule 5. */
export const ROTATION_OVERLAP: Milliseconds = hours(24);

/** What becomes of the secret that signs now, and of one that an earlier rotation has promised to keep. */
export interface Rotation {
  /** For how long the secret that signs now goes on signing beside the new one; with 0 it is forgotten at once. */
  readonly overlap: Milliseconds;
  /** Whether an overlap that still runs may be ended by this rotation: a row holds two secrets. */
  readonly dropPrevious: boolean;
  /** Whoever repeats a rotation with the same token is given the same secret: the answer to the first may have been lost. */
  readonly token?: string | undefined;
}

/** A secret that was made to sign, and until when the one before it signs too. */
export interface Rotated {
  readonly secret: string;
  readonly previousUntil: Instant | undefined;
}

/** What may be shown of an endpoint. */
export type EndpointView = Omit<WebhookEndpoint, 'secret' | 'previousSecret'>;

export type DisabledBecause = DisablingCause | 'manager';
