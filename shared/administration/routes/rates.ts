import { type AdministrationRoute, MANAGER } from '../route.ts';

/** A partner's calls a minute. */
export const RATE_ROUTES = [
  {
    operation: 'set-rate',
    noun: 'rates',
    method: 'PUT',
    path: '/v1/rates/{partner_id}',
    duties: MANAGER,
    audited: true,
  },
] as const satisfies readonly AdministrationRoute[];
