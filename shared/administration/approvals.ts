import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import {
  APPROVAL_LIFETIME,
  APPROVAL_STATES,
  type Approval,
  type Approvals,
  isSamePerson,
} from '../domain/audit/approvals.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import type { Instant } from '../domain/values/time.ts';
import { confirmBankRate, publishBankRate } from './bank-rates.ts';
import { AdministrationFailure, orNotFound } from './failures.ts';
import { answered, id, moment } from './fields.ts';
import { createKey, rotateKey } from './keys.ts';
import { exportLead } from './leads.ts';
import { EVERYONE, noun } from './operation.ts';
import { validatePartner } from './partners.ts';
import { presentUnit } from './units.ts';
import { enableWebhook, rotateWebhookSecret, setWebhook } from './webhooks.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('approvals');

/** The path of an approval names its operation, so that IAM decides who may approve it. */
export const APPROVABLE = [
  validatePartner,
  presentUnit,
  createKey,
  rotateKey,
  setWebhook,
  rotateWebhookSecret,
  enableWebhook,
  exportLead,
  publishBankRate,
  confirmBankRate,
] as const;
const NAMES = APPROVABLE.map(({ operation }) => operation);

const fact = () => z.nullable(z.union([z.string(), z.number(), z.boolean()]));
const approvedField = described(
  z.object({
    field: described(z.string(), 'Name of a field of the call, such as consultant.name, or of a fact.'),
    value: described(fact(), 'Its value; null for none.'),
    name: described(z.nullable(z.string()), 'What the value stands for: the name of the partner or of the unit.'),
    replaces: described(fact(), 'The value that the call replaces; null if it replaces none.'),
  }),
  { id: 'ApprovedField' },
);

const approvalView = described(
  z.object({
    approval_id: described(z.string(), 'Id of exactly this request: of its fields, its reason and its asker.'),
    operation: described(z.enum(NAMES), 'The operation that needs approval.'),
    partner_id: described(
      z.nullable(id<PartnerId>('The partner that the request is about.')),
      'null: the whole service.',
    ),
    fields: described(
      z.array(approvedField),
      'Everything that the call will do: its fields, and what the service found. approval_id is made from these fields and the reason, so it changes with each of them. token and cpf are left out; cpf is a keyed hash.',
    ),
    reason: described(z.string(), 'The reason that the asker gave. The audit row of the call will have it.'),
    state: described(
      z.enum(APPROVAL_STATES),
      'asked: waits for another person; approved: the asker may make the call once; used: the asker has made it.',
    ),
    asked_by: described(z.string(), 'Who asked: an ARN with role and session name.'),
    asked_by_you: described(z.boolean(), 'Whether the caller asked. Only another person may approve.'),
    asked_at: moment('When it was asked for.'),
    expires_at: moment('When the request ends, approved or not.'),
    decided_by: described(z.nullable(z.string()), 'Who approved or refused it.'),
  }),
  { id: 'Approval' },
);

const approvalParams = z.strictObject({
  operation: described(z.enum(NAMES), 'The operation that needs approval. A person who may call it may decide.'),
  approval_id: described(
    z.string().check(z.regex(/^apr_[0-9a-f]{32}$/, 'must be apr_ and 32 letters and digits')),
    'As list-approvals shows it.',
  ),
});

const DECIDERS = ['manager', 'support', 'privacy'] as const;
const decisionFacts = {
  duties: DECIDERS,
  permission: { table: ['Query'], reads: ['APPROVAL'], writes: ['APPROVAL'], approvals: 'decides', secrets: ['keys'] },
  params: approvalParams,
  body: z.strictObject({}),
  answer: answered({ approval: approvalView }),
} as const;

export const listApprovals = read('list-approvals', 'GET /v1/approvals', {
  english: 'requests that wait for another person, or did in the last 24 hours',
  portuguese: 'Ver aprovações',
  duties: EVERYONE,
  permission: { table: ['Query'], reads: ['APPROVAL'], writes: [], secrets: ['keys'] },
  answer: answered({ approvals: described(z.array(approvalView), 'Newest first.') }),
});

export const approveApproval = change('approve-approval', 'POST /v1/approvals/{operation}/{approval_id}/approve', {
  english: 'let another person make the call that they asked for, once',
  portuguese: 'Aprovar pedido',
  ...decisionFacts,
});

export const refuseApproval = change('refuse-approval', 'POST /v1/approvals/{operation}/{approval_id}/refuse', {
  english: 'refuse the request of another person, or take an approval back',
  portuguese: 'Recusar pedido',
  ...decisionFacts,
});

export const APPROVAL_OPERATIONS = [listApprovals, approveApproval, refuseApproval] as const;

/** A request of an earlier release shows the facts of its audit row. */
export const approvalBody = (
  { about, operation, target, ...approval }: Approval,
  caller: { readonly person: string },
) =>
  toWire(approvalView, {
    ...approval,
    askedByYou: isSamePerson(approval.person, caller.person),
    fields: approval.fields ?? Object.entries(target).map(([field, value]) => ({ field, value })),
    operation: operation as (typeof NAMES)[number],
    approvalId: approval.id,
    partnerId: about === 'service' ? undefined : about,
    expiresAt: approval.askedAt + APPROVAL_LIFETIME,
  });

interface DecisionCall {
  readonly params: z.output<typeof approvalParams>;
  readonly caller: { readonly arn: string; readonly person: string };
}

/**
 * The asker may refuse the request, but not approve it. Throws `not_found` if there is no such request, `refused` if
 * the asker approves. The change throws `changed_meanwhile` if the request is no longer open.
 */
export async function decision(
  to: 'approved' | 'refused',
  { params: { operation, approval_id }, caller }: DecisionCall,
  approvals: Approvals,
  now: Instant,
) {
  const found = await approvals.get(approval_id, now);
  const asked = orNotFound(found?.operation === operation ? found : undefined, `approval ${approval_id}`);
  if (to === 'approved' && isSamePerson(asked.person, caller.person))
    throw new AdministrationFailure('refused', { text: 'You asked for this call: another person must approve it.' });
  return {
    about: asked.about,
    target: { approval: approval_id, operation, asked_by: asked.askedBy },
    change: async () => {
      const decided = await approvals.decide(asked, to, caller.arn, now);
      if (!decided)
        throw new AdministrationFailure('changed_meanwhile', {
          text: 'The request was decided, used or asked for again meanwhile: list the approvals again.',
        });
      return { approval: approvalBody(decided, caller) };
    },
  };
}
