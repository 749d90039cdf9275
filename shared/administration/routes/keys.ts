import { type AdministrationRoute, KEY_READERS, MANAGER } from '../route.ts';

/** API keys. */
export const KEY_ROUTES = [
  { operation: 'list-keys', noun: 'keys', method: 'GET', path: '/v1/keys', duties: KEY_READERS, audited: false },
  { operation: 'create-key', noun: 'keys', method: 'POST', path: '/v1/keys', duties: MANAGER, audited: true },
  {
    operation: 'rotate-key',
    noun: 'keys',
    method: 'POST',
    path: '/v1/keys/{key_id}/rotate',
    duties: MANAGER,
    audited: true,
    confirm: { fields: ['key_id'] },
  },
  {
    operation: 'revoke-key',
    noun: 'keys',
    method: 'POST',
    path: '/v1/keys/{key_id}/revoke',
    duties: ['manager', 'security'],
    audited: true,
    confirm: { fields: ['key_id'] },
  },
] as const satisfies readonly AdministrationRoute[];
