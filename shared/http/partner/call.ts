import type { Route } from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Call } from '../request.ts';

export interface PartnerCall extends Call {
  readonly route: Route;
  /** Undefined until the key has been checked. */
  readonly caller?: Caller | undefined;
  /** Called while the key is checked, with the tenancy that it had last. Undefined if the call reads nothing ahead. */
  readonly meanwhile?: ((lastKnown: Tenancy) => void) | undefined;
  replayed?: boolean | undefined;
}
