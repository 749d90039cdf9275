import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { AUDIT_OUTCOMES, type AuditRecord } from '../domain/audit/ports.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import { answered, cursor, type Exchange, flagText, id, idText, moment, nextCursor, pageSize } from './fields.ts';

const entry = described(
  z.object({
    at: moment('When it began.'),
    partner_id: described(z.nullable(id<PartnerId>('The partner that it is about.')), 'null: the service as a whole.'),
    action: described(z.string(), 'The operation.'),
    outcome: described(
      z.enum(AUDIT_OUTCOMES),
      'started: running, cut off, answered outcome_unknown, or in part broken off as its answer said: it may have happened. failed: nothing was changed.',
    ),
    who: described(z.string(), 'The identity that AWS knows the caller by: an ARN with role and session name.'),
    target: described(
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      'What it was about; people by ids and keyed hashes alone.',
    ),
    reason: described(z.string(), 'Why.'),
  }),
  { id: 'AuditEntry' },
);

export const listAudit = {
  query: z.strictObject({
    partner_id: z.optional(idText<PartnerId>('About a partner.')),
    service: z.optional(flagText('true: about the service as a whole. Exactly one of the two.')),
    limit: pageSize(200, 50),
    cursor: z.optional(cursor()),
  }),
  answer: answered({ entries: described(z.array(entry), 'Newest first.'), next_cursor: nextCursor() }),
} satisfies Exchange;

export const exportAudit = {
  query: z.strictObject({
    month: described(
      z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month: 2026-11')),
      'Which month, in UTC.',
    ),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    month: z.string(),
    rows: described(z.int(), 'Of this page: how many.'),
    lines: described(
      z.string(),
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
