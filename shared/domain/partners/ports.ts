import type { Caller, PartnerLabels } from './partner.ts';

export type { Caller } from './partner.ts';

/** Keys and rates: one conditional write a call. */
export interface ApiKeyAuth {
  /** Who the key belongs to, and one call counted. Throws `auth_invalid` or `rate_limited` (with retryAfter). */
  authenticate(key: string): Promise<Caller>;
}

export interface Partners {
  /** Names behind a caller, for GET /v1/me. */
  labels(caller: Caller): Promise<PartnerLabels>;
}
