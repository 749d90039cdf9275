import { type AdministrationRoute, EVERYONE, SECURITY_READERS } from '../route.ts';

/** What was changed, by whom and why. */
export const AUDIT_ROUTES = [
  {
    operation: 'list-audit',
    noun: 'audit',
    method: 'GET',
    path: '/v1/audit',
    duties: EVERYONE,
    audited: false,
    paged: true,
  },
  {
    operation: 'export-audit',
    noun: 'audit',
    method: 'GET',
    path: '/v1/audit/export',
    duties: SECURITY_READERS,
    audited: false,
    paged: true,
  },
] as const satisfies readonly AdministrationRoute[];
