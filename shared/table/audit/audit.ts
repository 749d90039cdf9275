import { randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import {
  AUDIT_OUTCOMES,
  type AuditEntry,
  type AuditFacts,
  type AuditOutcome,
  type AuditRecord,
  type AuditSubject,
  type AuditTrail,
} from '#shared/domain/audit/ports.ts';
import type { Page } from '#shared/domain/values/tenancy.ts';
import { putRow, queryRows, updateRow } from '../rows/client.ts';
import { auditFrom, auditKey, auditPartition, type RowKey } from '../rows/keys.ts';

const rowFormat = z.object({
  at: z.number(),
  who: z.string(),
  action: z.string(),
  target: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  reason: z.string(),
  outcome: z.enum(AUDIT_OUTCOMES),
});

/** Rows that a page of an export reads. */
const PAGE = 500;
/** Ids of one moment before giving up. */
const DRAWS = 4;

/** Notes a change as started; gives its row for endAudit. */
async function beginAudit({ about, ...entry }: AuditEntry, now: number): Promise<RowKey> {
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

async function endAudit(key: RowKey, outcome: AuditOutcome, result: AuditFacts = {}): Promise<void> {
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

/** A page of the changes about a subject, by the key that the page before has ended with. */
async function auditPage(
  about: AuditSubject,
  input: Omit<Parameters<typeof queryRows>[0], 'ExclusiveStartKey'>,
  after: string | undefined,
): Promise<Page<AuditRecord>> {
  const output = await queryRows({
    ...input,
    ConsistentRead: true,
    ExclusiveStartKey: after === undefined ? undefined : { pk: auditPartition(about), sk: after },
  });
  return {
    items: (output.Items ?? []).map((item) => ({ about, ...rowFormat.parse(item) })),
    next: output.LastEvaluatedKey && String(output.LastEvaluatedKey['sk']),
  };
}

export function tableAuditTrail(): AuditTrail {
  return {
    async begin(entry, now) {
      const row = await beginAudit(entry, now);
      return { close: (outcome, result) => endAudit(row, outcome, result) };
    },

    newest(about, limit, after) {
      const ExpressionAttributeValues = { ':pk': auditPartition(about) };
      const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues };
      return auditPage(about, { ...query, ScanIndexForward: false, Limit: limit }, after);
    },

    between: (about, { from, to }, after) =>
      auditPage(
        about,
        {
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':pk': auditPartition(about), ':from': auditFrom(from), ':to': auditFrom(to) },
          Limit: PAGE,
        },
        after,
      ),
  };
}
