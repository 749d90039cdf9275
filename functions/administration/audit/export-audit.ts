import * as z from 'zod/mini';
import { auditLine, exportAudit } from '#shared/administration/audit.ts';
import { id } from '#shared/administration/fields.ts';
import { exportAudit as exportPage, monthRange } from '#shared/domain/audit/export-audit.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({
  about: z.union([z.literal('service'), id<PartnerId>('Whose rows the page begins with.')]),
  after: z.optional(z.string()),
});

export const handler = administrationRead(exportAudit, {
  audit: wiring.auditTrail,
  register: wiring.partnerRegister,
}).handler(async ({ query: { month, cursor }, inTime }, { audit, register }) => {
  const { items, next } = await exportPage(monthRange(month), placeIn(PLACE, cursor), { audit, register, inTime });
  return { month, rows: items.length, lines: items.map(auditLine).join(''), next_cursor: cursorOf(next) };
});
