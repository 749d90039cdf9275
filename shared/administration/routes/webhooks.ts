import { type AdministrationRoute, PARTNER_CARE, READERS } from '../route.ts';

/** A partner's webhook: address, secret, on and off. */
export const WEBHOOK_ROUTES = [
  {
    operation: 'show-webhook',
    noun: 'webhooks',
    method: 'GET',
    path: '/v1/webhooks/{partner_id}',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'set-webhook',
    noun: 'webhooks',
    method: 'PUT',
    path: '/v1/webhooks/{partner_id}',
    duties: PARTNER_CARE,
    audited: true,
    confirm: { fields: ['partner_id'], sometimes: true },
    dryRun: true,
  },
  {
    operation: 'rotate-webhook-secret',
    noun: 'webhooks',
    method: 'POST',
    path: '/v1/webhooks/{partner_id}/rotate',
    duties: PARTNER_CARE,
    audited: true,
    confirm: { fields: ['partner_id'] },
  },
  {
    operation: 'ping-webhook',
    noun: 'webhooks',
    method: 'POST',
    path: '/v1/webhooks/{partner_id}/ping',
    duties: PARTNER_CARE,
    audited: true,
  },
  {
    operation: 'enable-webhook',
    noun: 'webhooks',
    method: 'POST',
    path: '/v1/webhooks/{partner_id}/enable',
    duties: PARTNER_CARE,
    audited: true,
    paged: true,
  },
  {
    operation: 'disable-webhook',
    noun: 'webhooks',
    method: 'POST',
    path: '/v1/webhooks/{partner_id}/disable',
    duties: PARTNER_CARE,
    audited: true,
    confirm: { fields: ['partner_id'] },
  },
] as const satisfies readonly AdministrationRoute[];
