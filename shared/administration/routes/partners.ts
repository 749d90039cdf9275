import { type AdministrationRoute, EVERYONE, MANAGER, READERS } from '../route.ts';

/** Partners, and how far each is on its way to production. */
export const PARTNER_ROUTES = [
  {
    operation: 'list-partners',
    noun: 'partners',
    method: 'GET',
    path: '/v1/partners',
    duties: EVERYONE,
    audited: false,
    paged: true,
  },
  {
    operation: 'create-partner',
    noun: 'partners',
    method: 'POST',
    path: '/v1/partners',
    duties: MANAGER,
    audited: true,
  },
  {
    operation: 'show-partner',
    noun: 'partners',
    method: 'GET',
    path: '/v1/partners/{partner_id}',
    duties: EVERYONE,
    audited: false,
  },
  {
    operation: 'show-sandbox-checklist',
    noun: 'partners',
    method: 'GET',
    path: '/v1/sandbox-checklists/{partner_id}',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'validate-partner',
    noun: 'partners',
    method: 'POST',
    path: '/v1/partners/{partner_id}/validate',
    duties: MANAGER,
    audited: true,
  },
] as const satisfies readonly AdministrationRoute[];
