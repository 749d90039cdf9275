import * as z from 'zod/mini';
import {
  APPROVAL_LIFETIME,
  APPROVAL_STATES,
  type Approval,
  type Approvals,
  type Wish,
} from '#shared/domain/audit/approvals.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { getRow, type Item, putRow, queryPartition, winRow } from '../rows/client.ts';
import { APPROVALS, approvalKey } from '../rows/keys.ts';
import { expiryAt, lastOver, numberOf, UNEXPIRED, unexpired } from '../rows/row-format.ts';

const rowFormat = z.object({
  sk: z.string(),
  operation: z.string(),
  about: z.union([z.literal('service'), numberOf<PartnerId>()]),
  target: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  reason: z.string(),
  askedBy: z.string(),
  person: z.string(),
  state: z.enum(APPROVAL_STATES),
  askedAt: z.number(),
  decidedBy: z.optional(z.string()),
});

function readApproval(item: Item): Approval {
  const { sk: id, ...row } = rowFormat.parse(item);
  return { id, ...row };
}

const STATE = { '#state': 'state' };

/** Changes that wait for another person: one row for each call that asked for approval. */
export class TableApprovals implements Approvals {
  readonly required: () => boolean;

  /** `required` returns whether the stage wants another person's approval. */
  constructor(required: () => boolean) {
    this.required = required;
  }

  async useOrAsk(id: string, wish: Wish, now: Instant): Promise<Approval> {
    const used = await winRow({
      Key: approvalKey(id),
      UpdateExpression: 'SET #state = :used',
      ConditionExpression: `#state = :approved AND ${UNEXPIRED}`,
      ExpressionAttributeNames: STATE,
      ExpressionAttributeValues: { ':used': 'used', ':approved': 'approved', ':at': lastOver(now) },
    });
    if ('written' in used) return readApproval(used.written);
    const asked = { ...wish, state: 'asked', askedAt: now } as const;
    const put = await putRow({
      Item: { ...approvalKey(id), ...asked, expiresAt: expiryAt(now + APPROVAL_LIFETIME) },
      ConditionExpression: `attribute_not_exists(pk) OR #state IN (:used, :refused) OR NOT ${UNEXPIRED}`,
      ExpressionAttributeNames: STATE,
      ExpressionAttributeValues: { ':used': 'used', ':refused': 'refused', ':at': lastOver(now) },
    });
    return put === 'written' ? { id, ...asked } : readApproval(put.refused);
  }

  async get(id: string, now: Instant): Promise<Approval | undefined> {
    const row = unexpired(await getRow(approvalKey(id)), now);
    return row && readApproval(row);
  }

  async decide(id: string, to: 'approved' | 'refused', by: string, now: Instant): Promise<Approval | undefined> {
    const undecided = to === 'approved' ? '#state = :asked' : '#state IN (:asked, :approved)';
    const decided = await winRow({
      Key: approvalKey(id),
      UpdateExpression: 'SET #state = :to, decidedBy = :by',
      ConditionExpression: `${undecided} AND ${UNEXPIRED}`,
      ExpressionAttributeNames: STATE,
      ExpressionAttributeValues: {
        ':to': to,
        ':by': by,
        ':asked': 'asked',
        ':approved': to === 'refused' ? 'approved' : undefined,
        ':at': lastOver(now),
      },
    });
    return 'written' in decided ? readApproval(decided.written) : undefined;
  }

  async list(now: Instant): Promise<readonly Approval[]> {
    const rows = await queryPartition(APPROVALS);
    const kept = rows.filter((row) => unexpired(row, now)).map(readApproval);
    return kept.sort((a, b) => b.askedAt - a.askedAt);
  }
}
