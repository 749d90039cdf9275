import { randomUUID } from 'node:crypto';
import { AdministrationFailure } from '#shared/administration/failures.ts';
import type { Operation } from '#shared/administration/operation.ts';
import {
  APPROVAL_LIFETIME,
  type Approval,
  type ApprovalField,
  type Approvals,
  type ApprovalValue,
  callId,
  REPEATED_WITHIN,
  tokenMark,
} from '#shared/domain/audit/approvals.ts';
import type { AuditEntry, Ticket, Tickets } from '#shared/domain/audit/ports.ts';
import { type Clock, timestamp } from '#shared/domain/values/clock.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { logError } from '#shared/runtime/log.ts';
import type { AdministrationCaller } from './caller.ts';

interface ApprovalDetail {
  readonly value?: ApprovalValue | undefined;
  readonly name?: string | undefined;
  readonly replaces?: ApprovalField['replaces'];
}

/** Details by field. A name that is no field of the call names a fact. */
export type ApprovalDetails = Readonly<Record<string, ApprovalDetail>>;

interface WishedCall {
  readonly operation: Operation;
  readonly entry: AuditEntry;
  readonly caller: AdministrationCaller;
  readonly params: object;
  readonly body: object;
  readonly details: ApprovalDetails;
  readonly isMade: boolean;
  readonly seenAt: Instant | undefined;
}

/**
 * Fields that say nothing about what is done. The plan shows the keyed hash of `cpf`, and the present value of
 * `replaces`.
 */
const NOT_APPROVED: ReadonlySet<string> = new Set(['token', 'cursor', 'cpf', 'replaces']);

/** A list is one text, and a list without entries counts as left out. */
export function approvalFields(call: object, details: ApprovalDetails): readonly ApprovalField[] {
  const sent = Object.entries(call).flatMap(([name, value]) => (NOT_APPROVED.has(name) ? [] : partsOf(name, value)));
  const names = new Set(sent.map(([field]) => field));
  const facts = Object.entries(details).filter(([field]) => !names.has(field));
  return sent
    .concat(facts.map(([field, { value = null }]) => [field, value] as const))
    .map(([field, value]) => ({ field, value, name: details[field]?.name, replaces: details[field]?.replaces }));
}

const isPlain = (value: unknown): value is ApprovalValue =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function partsOf(field: string, value: unknown): (readonly [field: string, value: ApprovalValue])[] {
  if (value === undefined) return [];
  if (isPlain(value)) return [[field, value]];
  // Today's lists have only words of closed sets, without a comma.
  if (Array.isArray(value) && value.every(isPlain)) return value.length === 0 ? [] : [[field, value.join(', ')]];
  if (typeof value !== 'object' || value === null)
    throw new TypeError(`the field ${field} has a value that nobody can be shown`);
  return Object.entries(value).flatMap(([part, inner]) => partsOf(`${field}.${part}`, inner));
}

interface ApprovalPorts {
  readonly approvals: Approvals;
  readonly clock: Clock;
  readonly tickets: Tickets;
}

interface ApprovedCall {
  readonly entry: AuditEntry;
  /**
   * Undefined if there is no approval, or if the call has a token: a repetition with this token may use the approval
   * anyway.
   */
  readonly giveBack?: (() => Promise<void>) | undefined;
}

/**
 * Throws 409 `approval_needed`, which names what another person must approve, or 409 `approval_used` if another call
 * has just used the approval.
 */
export async function useApproval(
  { operation: { operation }, entry, caller, params, body, details, isMade, seenAt }: WishedCall,
  { approvals, clock, tickets }: ApprovalPorts,
): Promise<ApprovedCall> {
  if (!approvals.required()) return { entry };
  const { about, target, reason, who } = entry;
  const fields = approvalFields({ ...params, ...body }, details);
  const wish = { operation, about, target, fields, reason, askedBy: who, person: caller.person };
  const token = 'token' in body && typeof body.token === 'string' ? body.token : undefined;
  const mark = token === undefined ? randomUUID() : tokenMark(callId(wish), token);
  const { outcome, approval, isNew } = await approvals.useOrAsk(wish, { mark, isMade, seenAt }, clock());
  const { id, decidedBy = '', askedAt, usedAt = 0, usedBy = '' } = approval;
  if (outcome === 'granted') {
    const facts = { ...target, approval: id, approved_by: decidedBy };
    const giveBack = token === undefined ? () => approvals.giveBack(wish, mark) : undefined;
    return { entry: { ...entry, target: facts, reason: approval.reason }, giveBack };
  }
  if (outcome === 'spent')
    throw new AdministrationFailure('approval_used', {
      text: `Nothing was done: ${usedBy} has used ${id} at ${timestamp(usedAt)}, and the audit says how that call ended. Repeat it with its token, or ask again after ${timestamp(usedAt + REPEATED_WITHIN)}.`,
    });
  const until = timestamp(askedAt + APPROVAL_LIFETIME);
  // The request is stored. If the ticket cannot be sent, the panel still counts the request.
  if (isNew)
    await tickets.send(ticketFor(approval, until)).catch((error: unknown) => logError('ticket_not_sent', error));
  throw new AdministrationFailure('approval_needed', {
    text: `Nothing was done: another person who may do it has to approve ${id} by ${until}; then make the same call again.`,
  });
}

/** The ticket names only our ids: a reason or a name could be personal, and e-mail and chat keep every message. */
function ticketFor({ id, operation, about }: Approval, until: string): Ticket {
  const subject = about === 'service' ? 'the service' : `partner ${about}`;
  return {
    subject: 'an approval is asked for',
    text: `${operation} about ${subject} waits for another person until ${until}. Approve or refuse ${id} in the panel (Aprovações), or by the command line: approvals list. Without a decision, nothing is done.`,
  };
}
