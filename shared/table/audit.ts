import { randomInt } from 'node:crypto';
import * as z from 'zod';
import type { PartnerId } from '../domain/values/ids.ts';
import { putRow, queryRows, updateRow } from './client.ts';
import { auditKey, auditPartition, type RowKey } from './keys.ts';

/** Whom a change is about: a partner, or the service as a whole. */
export type Audited = PartnerId | 'service';

/** A change that someone asks for. None of it is personal data: people are named by ids and keyed hashes alone. */
export interface AuditEntry {
  readonly about: Audited;
  /** The identity that AWS knows the caller by. */
  readonly who: string;
  /** Noun and verb of the command: `keys rotate`. */
  readonly action: string;
  readonly target: Readonly<Record<string, string | number | boolean>>;
  readonly reason: string;
}

/** `started` stays where a change was cut off: it may have happened. */
export const AUDIT_OUTCOMES = ['started', 'done', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

const rowFormat = z.object({
  at: z.number(),
  who: z.string(),
  action: z.string(),
  target: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  reason: z.string(),
  outcome: z.enum(AUDIT_OUTCOMES),
});
export type AuditRow = z.infer<typeof rowFormat>;

/** Ids of one moment before giving up. */
const DRAWS = 4;

/** Notes a change before it is made, so that none can happen unnoted; gives the row for endAudit. `now` in milliseconds. */
export async function beginAudit({ about, ...entry }: AuditEntry, now: number): Promise<RowKey> {
  for (let draw = 0; draw < DRAWS; draw++) {
    const key = auditKey(about, now, randomInt(1_000_000_000));
    const outcome = await putRow({
      Item: { ...key, at: now, ...entry, outcome: 'started' satisfies AuditOutcome },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    if (outcome === 'written') return key;
  }
  throw new Error('the audit drew the same id four times');
}

/** Notes how a change ended, once; `result` adds what became known only by then, a new key's id for example. */
export async function endAudit(
  key: RowKey,
  outcome: Exclude<AuditOutcome, 'started'>,
  result: AuditEntry['target'] = {},
): Promise<void> {
  const names = Object.keys(result);
  await updateRow({
    Key: key,
    UpdateExpression: `SET outcome = :outcome${names.map((_, index) => `, target.#n${index} = :v${index}`).join('')}`,
    ConditionExpression: 'outcome = :started',
    ...(names.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#n${index}`, name])),
    }),
    ExpressionAttributeValues: {
      ':outcome': outcome,
      ':started': 'started',
      ...Object.fromEntries(names.map((name, index) => [`:v${index}`, result[name]])),
    },
  });
}

/** The last changes, newest first. */
export async function lastAudits(about: Audited, limit: number): Promise<AuditRow[]> {
  const output = await queryRows({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': auditPartition(about) },
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: limit,
  });
  return (output.Items ?? []).map((item) => rowFormat.parse(item));
}
