import { type AdministrationRoute, PARTNER_CARE, READERS } from '../route.ts';

/** Deliveries of events, and sending them again. */
export const DELIVERY_ROUTES = [
  {
    operation: 'list-deliveries',
    noun: 'deliveries',
    method: 'GET',
    path: '/v1/deliveries',
    duties: READERS,
    audited: false,
    paged: true,
  },
  {
    operation: 'show-delivery',
    noun: 'deliveries',
    method: 'GET',
    path: '/v1/deliveries/{event_id}',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'replay-deliveries',
    noun: 'deliveries',
    method: 'POST',
    path: '/v1/deliveries/replay',
    duties: PARTNER_CARE,
    audited: true,
    dryRun: true,
    paged: true,
  },
] as const satisfies readonly AdministrationRoute[];
