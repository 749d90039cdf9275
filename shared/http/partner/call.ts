import type { Route } from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Call } from '../request.ts';

/** A partner's call as it comes in. */
export interface PartnerCall extends Call {
  readonly route: Route;
  /** Undefined until the key has been checked. */
  readonly caller?: Caller | undefined;
  /**
   * Called while the key is being checked, with the tenancy that the key had last time. Undefined if the call reads
   * nothing ahead.
   */
  readonly meanwhile?: ((lastKnown: Tenancy) => void) | undefined;
  /** Whether the answer is the stored answer of an earlier call. */
  replayed?: boolean | undefined;
}
