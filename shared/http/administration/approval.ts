import { AdministrationFailure } from '#shared/administration/failures.ts';
import type { Operation } from '#shared/administration/operation.ts';
import {
  APPROVAL_LIFETIME,
  type Approvals,
  approvalId,
  REPEATED_WITHIN,
  repetitionMark,
} from '#shared/domain/audit/approvals.ts';
import type { AuditEntry, AuditFacts } from '#shared/domain/audit/ports.ts';
import { type Clock, timestamp } from '#shared/domain/values/clock.ts';
import type { AdministrationCaller } from './caller.ts';

/** The call that another person must approve. */
interface Wish {
  readonly operation: Operation;
  readonly entry: AuditEntry;
  readonly caller: AdministrationCaller;
  readonly params: object;
  readonly body: object;
}

/**
 * Uses the approval of this call, and returns its facts for the audit. Returns no facts if the stage asks for no
 * approval. Throws 409 `approval_needed`, which names what another person must approve, or 409 `changed_meanwhile` if
 * another call has just used the approval. Two calls are the same if all their fields are equal, except reason,
 * confirmation, token and CPF. The target has the keyed hash of the CPF instead.
 */
export async function useApproval(
  { operation: { operation, body: schema }, entry: { about, target, reason, who }, caller, params, body }: Wish,
  { approvals, clock }: { readonly approvals: Approvals; readonly clock: Clock },
): Promise<AuditFacts> {
  if (!approvals.required()) return {};
  const wish = { operation, about, target, reason, askedBy: who, person: caller.person };
  const id = approvalId(wish, { ...params, ...body, token: undefined, cpf: undefined });
  const token = 'token' in body && typeof body.token === 'string' ? body.token : undefined;
  const repetition = repetitionMark(id, schema !== undefined && 'token' in schema.shape, token);
  const { outcome, approval } = await approvals.useOrAsk(id, wish, repetition, clock());
  const { decidedBy = '', askedAt, usedAt = 0 } = approval;
  if (outcome === 'granted') return { approval: id, approved_by: decidedBy };
  if (outcome === 'spent')
    throw new AdministrationFailure('changed_meanwhile', {
      text: `Nothing was done: another call has used ${id}. Repeat that call with its token, or ask again after ${timestamp(usedAt + REPEATED_WITHIN)}.`,
    });
  const until = timestamp(askedAt + APPROVAL_LIFETIME);
  throw new AdministrationFailure('approval_needed', {
    text: `Nothing was done: another person who may do it has to approve ${id} by ${until}; then make the same call again.`,
  });
}
