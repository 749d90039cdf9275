import { type AttemptResult, GONE } from './delivery.ts';

/** What is kept of a webhook endpoint's attempts since it last took one. */
export interface EndpointHealth {
  /** Failed attempts since then, of all the partner's deliveries. */
  readonly failures: number;
  /** When the first of them failed, in milliseconds since 1970; undefined where none did. */
  readonly failingSince: number | undefined;
}

const DAY = 86_400_000;

/**
 * An endpoint disables itself when both hold. Source: shared/contract/README.md#delivery, rule 7 (after Svix's rule). A
 * success of a healthy endpoint writes nothing, so the five days without a success are counted from the first failure
 * after a success. The twelve hours between first and last failure, which partners are told of, lie within the five
 * days.
 */
export const DISABLING = { failures: 12, failingFor: 5 * DAY } as const;

/** Why an endpoint disables itself: the receiver answered 410, or nothing has arrived for too long. */
export type DisablingCause = 'gone' | 'failing';

/**
 * Whether the failed attempt just made disables the endpoint, and why; undefined where it stays enabled. `health`
 * already counts the attempt. No outage shorter than five days disables an endpoint that worked before it.
 */
export function disablingCause(health: EndpointHealth, result: AttemptResult, now: number): DisablingCause | undefined {
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
  /** Until when it signs beside the current one, in milliseconds since 1970. */
  readonly previousUntil: number | undefined;
  /** When the manager last set, enabled or disabled it: attempts begun before say nothing of what it is since; milliseconds since 1970. */
  readonly changedAt: number;
  readonly health: EndpointHealth;
  /** Why it is disabled; undefined while it is enabled. */
  readonly disabledBecause: DisabledBecause | undefined;
  /** When it was disabled, in milliseconds since 1970. */
  readonly disabledAt?: number | undefined;
  /** Set for some time after it was enabled: what was kept for it may still be on its way. */
  readonly enabledLately?: true | undefined;
}

/** How long both secrets sign after a rotation, in milliseconds. Source: shared/contract/README.md#signatures, rule 5. */
export const ROTATION_OVERLAP = 24 * 3_600_000;

/** What becomes of the secret that signs now, and of one that an earlier rotation has promised to keep. */
export interface Rotation {
  /** Milliseconds for which the secret that signs now goes on signing beside the new one; with 0 it is forgotten at once. */
  readonly overlap: number;
  /** Whether an overlap that still runs may be ended by this rotation: a row holds two secrets. */
  readonly dropPrevious: boolean;
  /** Whoever repeats a rotation with the same token is given the same secret: the answer to the first may have been lost. */
  readonly token?: string | undefined;
}

/** A secret that was made to sign, and until when (milliseconds since 1970) the one before it signs too. */
export interface Rotated {
  readonly secret: string;
  readonly previousUntil: number | undefined;
}

/** What may be shown of an endpoint. */
export type EndpointView = Omit<WebhookEndpoint, 'secret' | 'previousSecret'>;

export type DisabledBecause = DisablingCause | 'manager';
