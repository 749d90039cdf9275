import { type AdministrationRoute, SECURITY, SECURITY_READERS } from '../route.ts';

/** Keys under which people are found. */
export const INDEXING_ROUTES = [
  {
    operation: 'count-older-rows',
    noun: 'indexing',
    method: 'GET',
    path: '/v1/index-keys/rows',
    duties: SECURITY_READERS,
    audited: false,
    paged: true,
  },
  {
    operation: 'rotate-index-key',
    noun: 'indexing',
    method: 'POST',
    path: '/v1/index-keys/rotate',
    duties: SECURITY,
    audited: true,
    confirm: { fields: ['name'] },
  },
  {
    operation: 'reindex-rows',
    noun: 'indexing',
    method: 'POST',
    path: '/v1/index-keys/reindex',
    duties: SECURITY,
    audited: true,
    paged: true,
  },
  {
    operation: 'retire-index-key',
    noun: 'indexing',
    method: 'POST',
    path: '/v1/index-keys/retire',
    duties: SECURITY,
    audited: true,
    confirm: { fields: ['name'] },
    paged: true,
  },
] as const satisfies readonly AdministrationRoute[];
