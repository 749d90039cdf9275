import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { AUDIT_OUTCOMES, type AuditRecord } from '../domain/audit/ports.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import { answered, cursor, flagText, id, idText, moment, nextCursor, pageSize } from './fields.ts';
import { EVERYONE, noun, SECURITY_READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read } = noun('audit');

export const auditTarget = () =>
  described(
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    'What the change was about. People appear only as ids and keyed hashes.',
  );

const entry = described(
  z.object({
    at: moment('When it began.'),
    partner_id: described(
      z.nullable(id<PartnerId>('The partner that the entry is about.')),
      'null: the whole service.',
    ),
    action: described(z.string(), 'The operation.'),
    outcome: described(
      z.enum(AUDIT_OUTCOMES),
      'started: still running, cut off, answered outcome_unknown, or broken off in part, as its answer says. It may have been made. done: it was made. failed: nothing was changed.',
    ),
    who: described(
      z.string(),
      'The caller as AWS knows them: an ARN with role and session name. For people of the panel also pool, subject and e-mail.',
    ),
    target: auditTarget(),
    reason: described(z.string(), 'Why the change was made.'),
  }),
  { id: 'AuditEntry' },
);

export const listAudit = read('list-audit', 'GET /v1/audit', {
  english: 'the last changes, newest first',
  portuguese: 'Ver auditoria',
  duties: EVERYONE,
  permission: { table: ['Query'] },
  query: z.strictObject({
    partner_id: z.optional(idText<PartnerId>('Only changes about this partner.')),
    service: z.optional(flagText('true: only changes about the whole service. Name either partner_id or service.')),
    limit: pageSize(200, 50),
    cursor: z.optional(cursor()),
  }),
  answer: answered({ entries: described(z.array(entry), 'Newest first.'), next_cursor: nextCursor() }),
});

export const exportAudit = read('export-audit', 'GET /v1/audit/export', {
  english: 'every change of a month (UTC) as JSON Lines: the service first, then by partner, oldest first',
  portuguese: 'Exportar auditoria',
  duties: SECURITY_READERS,
  permission: { table: ['BatchGetItem', 'Query'], indexes: ['byList'] },
  query: z.strictObject({
    month: described(
      z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month: 2026-11')),
      'Which month, in UTC.',
    ),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    month: z.string(),
    rows: described(z.int(), 'Number of rows on this page.'),
    lines: described(
      z.string(),
      'The rows of this page as JSON Lines, each ending in a line feed: the service first, then by partner, oldest first.',
    ),
    next_cursor: nextCursor(),
  }),
});

/** The operations of this noun, in the document's order. */
export const AUDIT_OPERATIONS = [listAudit, exportAudit] as const;

export const auditBody = ({ about, ...row }: AuditRecord) =>
  toWire(entry, { ...row, partnerId: about === 'service' ? undefined : about });
