import * as z from 'zod/mini';
import {
  APPROVAL_LIFETIME,
  APPROVAL_STATES,
  type Approval,
  type ApprovalField,
  type Approvals,
  type ApprovalUse,
  approvalId,
  auditOfAsking,
  callId,
  REPEATED_WITHIN,
  type Repetition,
  shownHash,
  type Wish,
} from '#shared/domain/audit/approvals.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { type Item, queryPartition, transactNamed, updateRow, winRow } from '../rows/client.ts';
import { decrypt, encrypt } from '../rows/encryption.ts';
import { APPROVALS, approvalKey } from '../rows/keys.ts';
import { expiryAt, type FieldsOf, lastOver, numberOf, UNEXPIRED, unexpired } from '../rows/row-format.ts';
import { updateOf } from '../rows/update.ts';
import { doneAudit } from './audit.ts';

const rowFormat = z.object({
  sk: z.string(),
  approvalId: z.optional(z.string()),
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
  usedBy: z.optional(z.string()),
});
const fact = z.union([z.string(), z.number(), z.boolean()]);
/** The fields may name a consultant of the partner, and an address may hold a secret, so the fields are sealed. */
const sealedFormat = z.object({
  fields: z.array(
    z.object({
      field: z.string(),
      value: z.nullable(fact),
      name: z.optional(z.string()),
      replaces: z.optional(fact),
    } satisfies FieldsOf<ApprovalField>),
  ),
});
const comparedFormat = z.object({
  shownHash: z.optional(z.string()),
  usedMark: z.optional(z.string()),
  usedState: z.optional(z.number()),
});

async function readApproval(item: Item): Promise<Approval> {
  const { sk, approvalId: id = sk, ...row } = rowFormat.parse(item);
  const sealed = item['sealed'];
  if (sealed === undefined) return { id, ...row };
  const { fields } = await decrypt(approvalKey(sk), sealed, sealedFormat);
  return { id, fields, ...row };
}

/** Undefined if the call has to ask for approval. */
async function earlierUse(
  item: Item,
  { fields }: Wish,
  { mark, isMade, seenAt }: Repetition,
  now: Instant,
): Promise<ApprovalUse | undefined> {
  if (!('pk' in item) || !unexpired(item, now)) return undefined;
  const approval = await readApproval(item);
  const kept = comparedFormat.parse(item);
  const { state, usedAt = 0 } = approval;
  const isShown = kept.shownHash === shownHash(fields);
  if (state === 'refused') return undefined;
  if (state !== 'used') return isShown ? { outcome: 'asked', approval } : undefined;
  if (kept.usedMark === mark)
    return isMade || (isShown && kept.usedState === seenAt) ? { outcome: 'granted', approval } : undefined;
  return now - usedAt < REPEATED_WITHIN ? { outcome: 'spent', approval } : undefined;
}

/** The use of an approval has another mark, because the first person may use it between two tries of the decision. */
const DECISION_MARK = 'decisionMark';
const STATE = { '#state': 'state' };
const DRAWS = 4;

/** If another call has stored an equal request meanwhile, returns that request. */
async function ask(wish: Wish, now: Instant): Promise<ApprovalUse> {
  const { fields, ...stored } = wish;
  const key = approvalKey(callId(wish));
  const asked = { ...stored, state: 'asked', askedAt: now } as const;
  const id = approvalId(wish);
  const compared = { approvalId: id, shownHash: shownHash(fields) };
  const sealed = await encrypt(key, { fields });
  const request = {
    Put: {
      Item: { ...key, ...asked, ...compared, sealed, expiresAt: expiryAt(now + APPROVAL_LIFETIME) },
      ConditionExpression: `attribute_not_exists(pk) OR #state IN (:used, :refused) OR shownHash <> :shownHash OR NOT ${UNEXPIRED}`,
      ExpressionAttributeNames: STATE,
      ExpressionAttributeValues: {
        ':used': 'used',
        ':refused': 'refused',
        ':shownHash': compared.shownHash,
        ':at': lastOver(now),
      },
    },
  };
  for (let draw = 0; draw < DRAWS; draw++) {
    const outcome = await transactNamed({ request, audit: doneAudit(auditOfAsking(wish), now) });
    if (outcome === 'written') return { outcome: 'asked', approval: { id, fields, ...asked }, isNew: true };
    if (outcome.request) return { outcome: 'asked', approval: await readApproval(outcome.request.row ?? {}) };
  }
  throw new Error('the audit drew the same id four times');
}

export class TableApprovals implements Approvals {
  readonly required: () => boolean;

  constructor(required: () => boolean) {
    this.required = required;
  }

  async useOrAsk(wish: Wish, repetition: Repetition, now: Instant): Promise<ApprovalUse> {
    const { mark, seenAt } = repetition;
    const used = await winRow(
      updateOf(approvalKey(callId(wish)), {
        set: { state: 'used', usedAt: now, usedBy: wish.askedBy, usedMark: mark, usedState: seenAt },
        condition: `#state = :approved AND shownHash = :shownHash AND ${UNEXPIRED}`,
        values: { ':approved': 'approved', ':shownHash': shownHash(wish.fields), ':at': lastOver(now) },
      }),
    );
    if ('written' in used) return { outcome: 'granted', approval: await readApproval(used.written) };
    const earlier = await earlierUse(used.refused, wish, repetition, now);
    return earlier ?? ask(wish, now);
  }

  async giveBack(wish: Wish, mark: string): Promise<void> {
    await updateRow(
      updateOf(approvalKey(callId(wish)), {
        set: { state: 'approved' },
        remove: ['usedAt', 'usedBy', 'usedMark', 'usedState'],
        condition: '#state = :used AND usedMark = :mark',
        values: { ':used': 'used', ':mark': mark },
      }),
    );
  }

  async get(id: string, now: Instant): Promise<Approval | undefined> {
    return (await this.list(now)).find((approval) => approval.id === id);
  }

  async decide(seen: Approval, to: 'approved' | 'refused', by: string, now: Instant): Promise<Approval | undefined> {
    const { id, fields, askedAt } = seen;
    if (!fields) return undefined;
    const undecided = to === 'approved' ? '#state = :asked' : '#state IN (:asked, :approved)';
    const update = {
      Key: approvalKey(callId({ ...seen, fields })),
      UpdateExpression: 'SET #state = :to, decidedBy = :by',
      ConditionExpression: `${undecided} AND approvalId = :id AND askedAt = :askedAt AND ${UNEXPIRED}`,
      ExpressionAttributeNames: STATE,
      ExpressionAttributeValues: {
        ':to': to,
        ':by': by,
        ':asked': 'asked',
        ':approved': to === 'refused' ? 'approved' : undefined,
        ':id': id,
        ':askedAt': askedAt,
        ':at': lastOver(now),
      },
    };
    const decided = await winRow(update, DECISION_MARK);
    return 'written' in decided ? readApproval(decided.written) : undefined;
  }

  async list(now: Instant): Promise<readonly Approval[]> {
    const rows = await queryPartition(APPROVALS);
    const kept = await Promise.all(rows.filter((row) => unexpired(row, now)).map(readApproval));
    return kept.sort((a, b) => b.askedAt - a.askedAt);
  }
}
