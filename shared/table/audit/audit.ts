import { randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import {
  AUDIT_OUTCOMES,
  type AuditEntry,
  type AuditFacts,
  type AuditOutcome,
  type AuditPeriod,
  type AuditRecord,
  type AuditSubject,
  type AuditTrail,
  type OpenAudit,
} from '#shared/domain/audit/ports.ts';
import type { Page } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { type Item, putRow, queryRows, type TransactItem, updateRow } from '../rows/client.ts';
import { auditFrom, auditKey, auditPartition, type RowKey } from '../rows/keys.ts';
import { updateOf } from '../rows/update.ts';

const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const rowFormat = z.object({
  at: z.number(),
  who: z.string(),
  action: z.string(),
  target: facts,
  reason: z.string(),
  outcome: z.enum(AUDIT_OUTCOMES),
  result: z.optional(facts),
});

const PAGE = 500;
const DRAWS = 4;

const drawnKey = (about: AuditSubject, now: Instant): RowKey => auditKey(about, now, randomInt(1_000_000_000));

async function beginAudit({ about, ...entry }: AuditEntry, now: Instant): Promise<RowKey> {
  for (let draw = 0; draw < DRAWS; draw++) {
    const key = drawnKey(about, now);
    const outcome = await putRow({
      Item: { ...key, ...entry, at: now, outcome: 'started' satisfies AuditOutcome },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    if (outcome === 'written') return key;
  }
  throw new Error('the audit drew the same id four times');
}

/** Refused if the row's id is taken. */
export function doneAudit({ about, ...entry }: AuditEntry, now: Instant): TransactItem {
  const Item = { ...drawnKey(about, now), ...entry, at: now, outcome: 'done' satisfies AuditOutcome };
  return { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
}

/** Writes only `outcome` and `result`: the function's role may change no other attribute. */
async function endAudit(key: RowKey, outcome: AuditOutcome, result?: AuditFacts): Promise<void> {
  const values = { ':started': 'started' satisfies AuditOutcome };
  await updateRow(updateOf(key, { set: { outcome, result }, condition: '#outcome = :started', values }));
}

function readRecord(about: AuditSubject, item: Item): AuditRecord {
  const { target, result, ...row } = rowFormat.parse(item);
  return { about, ...row, target: { ...target, ...result } };
}

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
    items: (output.Items ?? []).map((item) => readRecord(about, item)),
    next: output.LastEvaluatedKey && String(output.LastEvaluatedKey['sk']),
  };
}

/** Rows are only added. The only update notes how a change has ended. */
export class TableAuditTrail implements AuditTrail {
  async begin(entry: AuditEntry, now: Instant): Promise<OpenAudit> {
    const row = await beginAudit(entry, now);
    return { close: (outcome, result) => endAudit(row, outcome, result) };
  }

  newest(
    about: AuditSubject,
    limit: number,
    after?: string,
    { from = 0, to }: AuditPeriod = {},
  ): Promise<Page<AuditRecord>> {
    const query = {
      KeyConditionExpression: to === undefined ? 'pk = :pk AND sk >= :from' : 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': auditPartition(about),
        ':from': auditFrom(from),
        ':to': to === undefined ? undefined : auditFrom(to),
      },
      ScanIndexForward: false,
      Limit: limit,
    };
    return auditPage(about, query, after);
  }

  between(
    about: AuditSubject,
    { from, to }: { readonly from: Instant; readonly to: Instant },
    after?: string,
  ): Promise<Page<AuditRecord>> {
    const query = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': auditPartition(about), ':from': auditFrom(from), ':to': auditFrom(to) },
      Limit: PAGE,
    };
    return auditPage(about, query, after);
  }
}
