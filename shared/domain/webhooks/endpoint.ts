import type { PartnerId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, seconds } from '../values/time.ts';
import { type AttemptResult, GONE } from './delivery.ts';

/** A partner and the environment whose events go to the endpoint. A partner has one endpoint for each environment. */
export interface EndpointOwner {
  readonly partnerId: PartnerId;
  readonly environment: Environment;
}

/** Record of the failed attempts at an endpoint since its last success. */
export interface EndpointHealth {
  /** Number of failed attempts, over all deliveries of the partner in the environment. */
  readonly failures: number;
  /** When the first of these attempts failed. Undefined if none failed. */
  readonly failingSince: Instant | undefined;
}

/**
 * An endpoint disables itself when both limits are reached. Source: shared/contract/README.md#delivery, rule 7 (after
 * Svix's rule). The success of a healthy endpoint writes nothing. Therefore the days without a success are counted
 * from the first failure after a success.
 */
export const DISABLING: { readonly failures: number; readonly failingFor: Milliseconds } = {
  failures: 12,
  failingFor: days(5),
};

/**
 * Time for which an endpoint fails before we tell its partner. Its events have then failed five times, and are retried
 * for two days and a half more (RETRY_WAITS).
 */
export const FAILING_LONG: Milliseconds = hours(6);

/** An endpoint of a list over all partners, without its secrets. */
export type ListedEndpoint = EndpointOwner & Pick<EndpointView, 'url' | 'enabled' | 'disabledBecause' | 'health'>;

/** Least time between two tests that a partner sends to an endpoint: at most four a minute. */
export const TEST_PAUSE: Milliseconds = seconds(15);

/** Why an endpoint disables itself. `gone`: the receiver answered 410. `failing`: it took nothing for too long. */
export type DisablingCause = 'gone' | 'failing';

/**
 * Returns why the attempt just made disables the endpoint, or undefined if the endpoint stays enabled. `health` already
 * counts the attempt. If no 410 arrives, an outage shorter than five days never disables an endpoint that worked
 * before.
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

/** The webhook endpoint of a partner in one environment, to which the events of this environment go. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly enabled: boolean;
  readonly secret: string;
  /** The secret before the last rotation, if that rotation had an overlap. */
  readonly previousSecret: string | undefined;
  /** Until when the previous secret signs next to the current one. */
  readonly previousUntil: Instant | undefined;
  /**
   * When the manager last set, enabled or disabled the endpoint. The result of an attempt that began before says
   * nothing about the endpoint as it is now.
   */
  readonly changedAt: Instant;
  /** Hash of the token of the call that set the address. Undefined if that call had none. */
  readonly setBy?: string | undefined;
  readonly health: EndpointHealth;
  /** Why the endpoint is disabled. Undefined while it is enabled. */
  readonly disabledBecause: DisabledBecause | undefined;
  /** When the endpoint was disabled. Undefined while it is enabled. */
  readonly disabledAt?: Instant | undefined;
  /** True for some time after the endpoint was enabled: events that were kept for it may still be on their way. */
  readonly enabledLately?: true | undefined;
}

/** How long both secrets sign after a rotation. Source: shared/contract/README.md#signatures, rule 5. */
export const ROTATION_OVERLAP: Milliseconds = hours(24);

/** How to rotate an endpoint's secret. */
export interface Rotation {
  /**
   * Time for which today's secret keeps signing next to the new one. If it is 0, today's secret is forgotten at once.
   */
  readonly overlap: Milliseconds;
  /**
   * Whether a rotation with an overlap may end the overlap of an earlier rotation that still runs, since a row holds
   * only two secrets. A rotation without an overlap ends it in any case.
   */
  readonly dropPrevious: boolean;
  /** A rotation that is repeated with the same token returns the same secret: the first answer may have been lost. */
  readonly token?: string | undefined;
}

/** Result of a rotation: the secret that signs now, and until when the previous secret signs too. */
export interface Rotated {
  readonly secret: string;
  readonly previousUntil: Instant | undefined;
}

/** The part of an endpoint that may be shown: everything but the secrets. */
export type EndpointView = Omit<WebhookEndpoint, 'secret' | 'previousSecret'>;

export type DisabledBecause = DisablingCause | 'manager';
