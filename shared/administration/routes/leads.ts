import { type AdministrationRoute, PRIVACY } from '../route.ts';

/** A person's rights: to be found, given what is held, and erased. */
export const LEAD_ROUTES = [
  {
    operation: 'find-leads',
    noun: 'leads',
    method: 'POST',
    path: '/v1/leads/find',
    duties: PRIVACY,
    audited: true,
    reads: true,
    paged: true,
  },
  {
    operation: 'export-lead',
    noun: 'leads',
    method: 'POST',
    path: '/v1/leads/export',
    duties: PRIVACY,
    audited: true,
    reads: true,
  },
  {
    operation: 'erase-lead',
    noun: 'leads',
    method: 'POST',
    path: '/v1/leads/erase',
    duties: PRIVACY,
    audited: true,
    confirm: { fields: ['lead_id'] },
    dryRun: true,
  },
  {
    operation: 'apply-erasure-ledger',
    noun: 'leads',
    method: 'POST',
    path: '/v1/leads/apply-ledger',
    duties: PRIVACY,
    audited: true,
    confirm: { fields: [], otherwise: 'ledger' },
    paged: true,
  },
] as const satisfies readonly AdministrationRoute[];
