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
import { auditTarget } from './audit.ts';
import { AdministrationFailure, orNotFound } from './failures.ts';
import { answered, id, moment } from './fields.ts';
import { createKey, rotateKey } from './keys.ts';
import { exportLead } from './leads.ts';
import { EVERYONE, noun } from './operation.ts';
import { validatePartner } from './partners.ts';
import { rotateWebhookSecret, setWebhook } from './webhooks.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('approvals');

/**
 * Operations that may need another person's approval. The path of an approval names its operation, so that IAM decides
 * who may approve it.
 */
export const APPROVABLE = [validatePartner, createKey, rotateKey, setWebhook, rotateWebhookSecret, exportLead] as const;
const NAMES = APPROVABLE.map(({ operation }) => operation);

const approvalView = described(
  z.object({
    approval_id: described(z.string(), 'Id of the requested call: the same call of the same person has the same id.'),
    operation: described(z.enum(NAMES), 'The operation that needs approval.'),
    partner_id: described(
      z.nullable(id<PartnerId>('The partner that the request is about.')),
      'null: the whole service.',
    ),
    target: auditTarget(),
    reason: described(z.string(), 'The reason that the asker gave.'),
    state: described(
      z.enum(APPROVAL_STATES),
      'asked: waits for another person; approved: the asker may make the call once; used: the asker has made it.',
    ),
    asked_by: described(z.string(), 'Who asked: an ARN with role and session name.'),
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
  permission: { table: ['GetItem'] },
  params: approvalParams,
  body: z.strictObject({}),
  answer: answered({ approval: approvalView }),
} as const;

export const listApprovals = read('list-approvals', 'GET /v1/approvals', {
  english: 'requests that wait for another person, or did in the last 24 hours',
  portuguese: 'Ver aprovações',
  duties: EVERYONE,
  permission: { table: ['Query'] },
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

/** The operations of this noun, in the document's order. */
export const APPROVAL_OPERATIONS = [listApprovals, approveApproval, refuseApproval] as const;

export const approvalBody = ({ about, operation, ...approval }: Approval) =>
  toWire(approvalView, {
    ...approval,
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
 * Returns the plan of approving or refusing what a person asked for. The asker may refuse it, but not approve it.
 * Throws `not_found` if there is no such request, `refused` if the asker approves. The change throws
 * `changed_meanwhile` if the request is no longer open.
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
      const decided = await approvals.decide(approval_id, to, caller.arn, now, asked.askedAt);
      if (!decided)
        throw new AdministrationFailure('changed_meanwhile', {
          text: 'The request was decided, used or asked for again meanwhile: list the approvals again.',
        });
      return { approval: approvalBody(decided) };
    },
  };
}
