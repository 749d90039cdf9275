import * as z from 'zod';
import { AUDIT_OUTCOMES, type AuditRecord } from '../domain/audit/ports.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import { answered, cursor, type Exchange, flagText, id, idText, moment, nextCursor, pageSize } from './fields.ts';

const entry = z
  .object({
    at: moment('When it began.'),
    partner_id: id<PartnerId>('The partner that it is about.').nullable().describe('null: the service as a whole.'),
    action: z.string().describe('The operation.'),
    outcome: z
      .enum(AUDIT_OUTCOMES)
      .describe(
        'started: running, cut off, or answered outcome_unknown: it may have happened. failed: nothing was changed.',
      ),
    who: z.string().describe('The identity that AWS knows the caller by: an ARN with role and session name.'),
    target: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('What it was about; people by ids and keyed hashes alone.'),
    reason: z.string().describe('Why.'),
  })
  .meta({ id: 'AuditEntry' });

export const listAudit = {
  query: z.strictObject({
    partner_id: idText<PartnerId>('About a partner.').optional(),
    service: flagText('true: about the service as a whole. Exactly one of the two.').optional(),
    limit: pageSize(200, 50),
    cursor: cursor().optional(),
  }),
  answer: answered({ entries: z.array(entry).describe('Newest first.'), next_cursor: nextCursor() }),
} satisfies Exchange;

export const exportAudit = {
  query: z.strictObject({
    month: z
      .string()
      .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month: 2026-11')
      .describe('Which month, in UTC.'),
    cursor: cursor().optional(),
  }),
  answer: answered({
    month: z.string(),
    rows: z.int().describe('Of this page: how many.'),
    lines: z
      .string()
      .describe(
        'Of this page: JSON Lines, an entry each, ending in a line feed. About the service first, then by partner; oldest first.',
      ),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export function auditBody({ at, about, ...row }: AuditRecord): z.input<typeof entry> {
  return {
    at: timestamp(at),
    partner_id: about === 'service' ? null : about,
    action: row.action,
    outcome: row.outcome,
    who: row.who,
    target: { ...row.target },
    reason: row.reason,
  };
}
