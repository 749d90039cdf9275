import { type AdministrationRoute, SECURITY, SECURITY_READERS } from '../route.ts';

/** Keys that seal rows. */
export const SEALING_ROUTES = [
  {
    operation: 'show-sealing-keys',
    noun: 'sealing',
    method: 'GET',
    path: '/v1/sealing-keys',
    duties: SECURITY_READERS,
    audited: false,
  },
  {
    operation: 'count-sealed-rows',
    noun: 'sealing',
    method: 'GET',
    path: '/v1/sealing-keys/rows',
    duties: SECURITY_READERS,
    audited: false,
    paged: true,
  },
  {
    operation: 'init-service-keys',
    noun: 'sealing',
    method: 'POST',
    path: '/v1/sealing-keys/init',
    duties: SECURITY,
    audited: true,
  },
  {
    operation: 'rotate-sealing-key',
    noun: 'sealing',
    method: 'POST',
    path: '/v1/sealing-keys/rotate',
    duties: SECURITY,
    audited: true,
    confirm: { fields: ['current'] },
  },
  {
    operation: 'reencrypt-rows',
    noun: 'sealing',
    method: 'POST',
    path: '/v1/sealing-keys/reencrypt',
    duties: SECURITY,
    audited: true,
    paged: true,
  },
  {
    operation: 'retire-sealing-key',
    noun: 'sealing',
    method: 'POST',
    path: '/v1/sealing-keys/retire',
    duties: SECURITY,
    audited: true,
    confirm: { fields: ['version'] },
    paged: true,
  },
] as const satisfies readonly AdministrationRoute[];
