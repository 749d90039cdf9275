import * as z from 'zod/mini';
import { auditBody, listAudit } from '#shared/administration/audit.ts';
import { administrationRead } from '#shared/http/administration-endpoint.ts';
import { cursorOf, invalidField, placeIn } from '#shared/http/administration-parse.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(
  listAudit,
  { clock: wiring.clock, audit: wiring.auditTrail },
  async ({ query: { partner_id, service = false, limit, cursor } }, { audit }) => {
    if ((partner_id === undefined) !== service) throw invalidField('service', 'name a partner_id, or service=true');
    const { items, next } = await audit.newest(partner_id ?? 'service', limit, placeIn(z.string(), cursor));
    return { entries: items.map(auditBody), next_cursor: cursorOf(next) };
  },
);
