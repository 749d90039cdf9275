import * as z from 'zod/mini';
import {
  APPROVAL_LIFETIME,
  APPROVAL_STATES,
  type Approval,
  type Approvals,
  type ApprovalUse,
  REPEATED_WITHIN,
  SAME_FIELDS,
  type Wish,
} from '#shared/domain/audit/approvals.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { getRow, type Item, putRow, queryPartition, winRow } from '../rows/client.ts';
import { APPROVALS, approvalKey } from '../rows/keys.ts';
import { expiryAt, lastOver, numberOf, UNEXPIRED, unexpired } from '../rows/row-format.ts';
import { updateOf } from '../rows/update.ts';

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
  usedAt: z.optional(z.number()),
});
const repetitionFormat = z.object({ repetition: z.optional(z.string()) });

function readApproval(item: Item): Approval {
  const { sk: id, ...row } = rowFormat.parse(item);
  return { id, ...row };
}

/**
 * Returns what the row of an earlier equal call means for a call. Undefined if the call has to ask for approval: there
 * is no row, it has ended, its request was refused, or it was used some time ago.
 */
function earlierUse(item: Item, repetition: string | undefined, now: Instant): ApprovalUse | undefined {
  if (!('pk' in item) || !unexpired(item, now)) return undefined;
  const approval = readApproval(item);
  const { state, usedAt = 0 } = approval;
  if (state === 'asked' || state === 'approved') return { outcome: 'asked', approval };
  if (state === 'refused') return undefined;
  const isRecent = now - usedAt < REPEATED_WITHIN;
  const isSame = repetition !== undefined && repetitionFormat.parse(item).repetition === repetition;
  if (isSame && (isRecent || repetition !== SAME_FIELDS)) return { outcome: 'granted', approval };
  return isRecent ? { outcome: 'spent', approval } : undefined;
}

/**
 * Attribute with the mark of the last decision (`winRow`). The use of an approval has another one: the first person may
 * use it between two tries of the decision.
 */
const DECISION_MARK = 'decisionMark';
const STATE = { '#state': 'state' };

/** Changes that wait for another person: one row for each call that asked for approval. */
export class TableApprovals implements Approvals {
  readonly required: () => boolean;

  /** `required` returns whether the stage wants another person's approval. */
  constructor(required: () => boolean) {
    this.required = required;
  }

  async useOrAsk(id: string, wish: Wish, repetition: string | undefined, now: Instant): Promise<ApprovalUse> {
    const used = await winRow(
      updateOf(approvalKey(id), {
        set: { state: 'used', usedAt: now, repetition },
        condition: `#state = :approved AND ${UNEXPIRED}`,
        values: { ':approved': 'approved', ':at': lastOver(now) },
      }),
    );
    if ('written' in used) return { outcome: 'granted', approval: readApproval(used.written) };
    const earlier = earlierUse(used.refused, repetition, now);
    if (earlier) return earlier;
    const asked = { ...wish, state: 'asked', askedAt: now } as const;
    const put = await putRow({
      Item: { ...approvalKey(id), ...asked, expiresAt: expiryAt(now + APPROVAL_LIFETIME) },
      ConditionExpression: `attribute_not_exists(pk) OR #state IN (:used, :refused) OR NOT ${UNEXPIRED}`,
      ExpressionAttributeNames: STATE,
      ExpressionAttributeValues: { ':used': 'used', ':refused': 'refused', ':at': lastOver(now) },
    });
    return { outcome: 'asked', approval: put === 'written' ? { id, ...asked } : readApproval(put.refused) };
  }

  async get(id: string, now: Instant): Promise<Approval | undefined> {
    const row = unexpired(await getRow(approvalKey(id)), now);
    return row && readApproval(row);
  }

  async decide(
    id: string,
    to: 'approved' | 'refused',
    by: string,
    now: Instant,
    askedAt?: Instant,
  ): Promise<Approval | undefined> {
    const asSeen = askedAt === undefined ? '' : ' AND askedAt = :askedAt';
    const undecided = to === 'approved' ? '#state = :asked' : '#state IN (:asked, :approved)';
    const update = {
      Key: approvalKey(id),
      UpdateExpression: 'SET #state = :to, decidedBy = :by',
      ConditionExpression: `${undecided}${asSeen} AND ${UNEXPIRED}`,
      ExpressionAttributeNames: STATE,
      ExpressionAttributeValues: {
        ':to': to,
        ':by': by,
        ':asked': 'asked',
        ':approved': to === 'refused' ? 'approved' : undefined,
        ':askedAt': askedAt,
        ':at': lastOver(now),
      },
    };
    const decided = await winRow(update, DECISION_MARK);
    return 'written' in decided ? readApproval(decided.written) : undefined;
  }

  async list(now: Instant): Promise<readonly Approval[]> {
    const rows = await queryPartition(APPROVALS);
    const kept = rows.filter((row) => unexpired(row, now)).map(readApproval);
    return kept.sort((a, b) => b.askedAt - a.askedAt);
  }
}
