import { AdministrationFailure } from '#shared/administration/failures.ts';
import { APPROVAL_LIFETIME, type Approvals, approvalId } from '#shared/domain/audit/approvals.ts';
import type { AuditEntry, AuditFacts } from '#shared/domain/audit/ports.ts';
import { type Clock, timestamp } from '#shared/domain/values/clock.ts';
import type { AdministrationCaller } from './caller.ts';

/** The call that another person must approve. */
interface Wish {
  readonly entry: AuditEntry;
  readonly caller: AdministrationCaller;
  readonly params: object;
  readonly body: object;
}

/**
 * Uses the approval of this call, and returns its facts for the audit. Returns no facts if the stage asks for no
 * approval. Throws 409 `approval_needed`, which names what another person must approve. Two calls are the same if all
 * their fields are equal, except reason, confirmation, token and CPF. The target has the keyed hash of the CPF instead.
 */
export async function useApproval(
  { entry: { action: operation, who: askedBy, ...entry }, caller: { person }, params, body }: Wish,
  { approvals, clock }: { readonly approvals: Approvals; readonly clock: Clock },
): Promise<AuditFacts> {
  if (!approvals.required()) return {};
  const wish = { operation, askedBy, person, ...entry };
  const id = approvalId(wish, { ...params, ...body, token: undefined, cpf: undefined });
  const { state, decidedBy = '', askedAt } = await approvals.useOrAsk(id, wish, clock());
  if (state === 'used') return { approval: id, approved_by: decidedBy };
  const until = timestamp(askedAt + APPROVAL_LIFETIME);
  throw new AdministrationFailure('approval_needed', {
    text: `Nothing was done: another person who may do it has to approve ${id} by ${until}; then make the same call again.`,
  });
}
