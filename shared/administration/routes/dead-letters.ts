import { type AdministrationRoute, MANAGER, PARTNER_CARE, READERS } from '../route.ts';

/** Messages of deliveries that were given up. */
export const DEAD_LETTER_ROUTES = [
  {
    operation: 'list-dead-letters',
    noun: 'dead-letters',
    method: 'GET',
    path: '/v1/dead-letters',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'redrive-dead-letters',
    noun: 'dead-letters',
    method: 'POST',
    path: '/v1/dead-letters/redrive',
    duties: PARTNER_CARE,
    audited: true,
    dryRun: true,
    paged: true,
  },
  {
    operation: 'discard-dead-letters',
    noun: 'dead-letters',
    method: 'POST',
    path: '/v1/dead-letters/discard',
    duties: MANAGER,
    audited: true,
    confirm: { fields: ['event_id', 'partner_id'], otherwise: 'foreign' },
    dryRun: true,
    paged: true,
  },
] as const satisfies readonly AdministrationRoute[];
