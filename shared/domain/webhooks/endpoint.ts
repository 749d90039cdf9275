import type { PartnerId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, seconds } from '../values/time.ts';
import { type AttemptResult, GONE } from './delivery.ts';

export interface EndpointOwner {
  readonly partnerId: PartnerId;
  readonly environment: Environment;
}

export interface EndpointHealth {
  /** Over all deliveries of the partner in the environment. */
  readonly failures: number;
  readonly failingSince: Instant | undefined;
}

/**
 * Source: shared/contract/README.md#delivery, rule 7 (after Svix's rule). The success of a healthy endpoint writes
 * nothing. Therefore the days without a success are counted from the first failure after a success.
 */
export const DISABLING: { readonly failures: number; readonly failingFor: Milliseconds } = {
  failures: 12,
  failingFor: days(5),
};

/** After this time an event has failed five times, and is retried for two days and a half more (RETRY_WAITS). */
export const FAILING_LONG: Milliseconds = hours(6);

export type ListedEndpoint = EndpointOwner & Pick<EndpointView, 'url' | 'enabled' | 'disabledBecause' | 'health'>;

export const TEST_PAUSE: Milliseconds = seconds(15);

export type DisablingCause = 'gone' | 'failing';

/** `health` already counts the attempt. */
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

export interface WebhookEndpoint {
  readonly url: string;
  readonly enabled: boolean;
  readonly secret: string;
  /** Set if the last rotation had an overlap. */
  readonly previousSecret: string | undefined;
  readonly previousUntil: Instant | undefined;
  /** An attempt that began before says nothing about the present endpoint. */
  readonly changedAt: Instant;
  /** Undefined if the call that set the address had no token. */
  readonly setBy?: string | undefined;
  readonly health: EndpointHealth;
  readonly disabledBecause: DisabledBecause | undefined;
  readonly disabledAt?: Instant | undefined;
  /** Set while suspended events of the endpoint may still have to be sent. */
  readonly enabledLately?: true | undefined;
}

/** Source: shared/contract/README.md#signatures, rule 5. */
export const ROTATION_OVERLAP: Milliseconds = hours(24);

export interface Rotation {
  /** If 0, the present secret is forgotten at once. */
  readonly overlap: Milliseconds;
  /** Whether the overlap of an earlier rotation may end, since a row holds only two secrets. */
  readonly dropPrevious: boolean;
  /** A repeated rotation with the same token returns the same secret: the first answer may have been lost. */
  readonly token?: string | undefined;
}

export interface Rotated {
  readonly secret: string;
  readonly previousUntil: Instant | undefined;
}

export type EndpointView = Omit<WebhookEndpoint, 'secret' | 'previousSecret'>;

export type DisabledBecause = DisablingCause | 'manager';
