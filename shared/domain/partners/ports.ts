import type { UnitId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Agent, Caller, PartnerLabels } from './partner.ts';
import type { RefusedCall } from './refused-call.ts';

export type { Agent, Caller } from './partner.ts';

/** Keys and rates: one conditional write a call. */
export interface ApiKeyAuth {
  /**
   * Who the key belongs to, and one call counted. Throws `auth_invalid` or `rate_limited` (with retryAfter).
   * `meanwhile` is called while the question is under way, with whose data the key stood for when this container last
   * admitted it, if it has: for reads that may prove vain, never for a decision.
   */
  authenticate(key: string, meanwhile?: (lastKnown: Tenancy) => void): Promise<Caller>;
}

export interface Partners {
  /** Names behind a caller, for GET /v1/me. */
  labels(caller: Caller): Promise<PartnerLabels>;
  /** A unit as its clients' documents present it; undefined where the unit has not said it. */
  agent(unitId: UnitId): Promise<Agent | undefined>;
}

/** What a unit's sandbox calls were refused for in the last 24 hours. */
export interface RefusedCalls {
  /** Notes one: a write of one unit. */
  note(tenancy: Tenancy, call: RefusedCall): Promise<void>;
  /** The newest 100 of the last 24 hours at `now` (milliseconds), newest first. */
  newest(tenancy: Tenancy, now: number): Promise<readonly RefusedCall[]>;
}
