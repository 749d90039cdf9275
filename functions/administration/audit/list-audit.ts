import * as z from 'zod/mini';
import { auditBody, listAudit } from '#shared/administration/audit.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listAudit, { audit: wiring.auditTrail }).handler(
  async ({ query: { partner_id, service = false, since, until, limit, cursor } }, { audit }) => {
    if ((partner_id === undefined) !== service) throw invalidField('service', 'name a partner_id, or service=true');
    if (since !== undefined && until !== undefined && since >= until)
      throw invalidField('until', 'must be after since');
    const period = { from: since, to: until };
    const { items, next } = await audit.newest(partner_id ?? 'service', limit, placeIn(z.string(), cursor), period);
    return { entries: items.map(auditBody), next_cursor: cursorOf(next) };
  },
);
