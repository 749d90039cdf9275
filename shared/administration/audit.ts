import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { AUDIT_OUTCOMES, type AuditRecord } from '../domain/audit/ports.ts';
import { timestampInSaoPaulo } from '../domain/values/clock.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import { callerName } from './caller-name.ts';
import { answered, cursor, flagText, id, idText, moment, momentMeant, nextCursor, ofPage, pageSize } from './fields.ts';
import { EVERYONE, noun, SECURITY_READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read } = noun('audit');

const auditTarget = () =>
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
    action: described(
      z.string(),
      'The operation. ask-approval: a request that another person approves target.operation.',
    ),
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
  permission: { table: ['Query'], reads: ['AUDIT'], writes: [] },
  query: z.strictObject({
    partner_id: z.optional(idText<PartnerId>('Only changes about this partner.')),
    service: z.optional(flagText('true: only changes about the whole service. Name either partner_id or service.')),
    since: z.optional(momentMeant('Only changes that began at this moment or later.')),
    until: z.optional(momentMeant('Only changes that began before this moment.')),
    limit: pageSize(200, 50),
    cursor: z.optional(cursor()),
  }),
  answer: answered({ entries: described(z.array(entry), 'Newest first.'), next_cursor: nextCursor() }),
});

export const exportAudit = read('export-audit', 'GET /v1/audit/export', {
  english: 'every change of a month as JSON Lines: the service first, then by partner, oldest first',
  portuguese: 'Exportar auditoria',
  duties: SECURITY_READERS,
  permission: {
    table: ['BatchGetItem', 'Query'],
    reads: ['AUDIT', 'PARTNER', 'PARTNERS'],
    writes: [],
  },
  query: z.strictObject({
    month: described(
      z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month: 2026-11')),
      "Which month, by São Paulo's time.",
    ),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    month: z.string(),
    rows: ofPage('Number of rows on this page.'),
    lines: described(z.string(), {
      description:
        "The rows of this page as JSON Lines, each ending in a line feed: the service first, then by partner, oldest first. A row's at is São Paulo's time, with the offset.",
      'x-of-page': true,
    }),
    next_cursor: nextCursor(),
  }),
});

export const AUDIT_OPERATIONS = [listAudit, exportAudit] as const;

export const auditBody = ({ about, ...row }: AuditRecord) =>
  toWire(entry, { ...row, partnerId: about === 'service' ? undefined : about });

/** The export's readers work in Brazil, so the moment is São Paulo's time with the offset. */
export const auditLine = (record: AuditRecord): string =>
  `${JSON.stringify({ ...auditBody(record), at: timestampInSaoPaulo(record.at) })}\n`;

export const auditRow = z.pick(entry, { who: true, action: true, target: true });

/** An undefined or empty field excludes no row. */
export interface AuditFilter {
  readonly who?: string | undefined;
  readonly operation?: string | undefined;
  /** Finds the rows that made, replaced or revoked the key. */
  readonly key?: string | undefined;
}

/**
 * Command line and panel filter by person, operation and key themselves, because no address may hold a person's e-mail.
 */
export function isWanted({ who, action, target }: z.output<typeof auditRow>, filter: AuditFilter): boolean {
  const person = callerName(who)?.person ?? who;
  if (filter.who && !person.toLowerCase().includes(filter.who.trim().toLowerCase())) return false;
  if (filter.operation && action !== filter.operation) return false;
  return !filter.key || target['key'] === filter.key || target['replaced'] === filter.key;
}
