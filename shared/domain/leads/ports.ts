import type { Answer, Claim, IdempotentResult } from '../values/idempotency.ts';
import type { LeadId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Unopened } from '../values/unopened.ts';
import type { Lead, LeadDraft } from './lead.ts';

export type { Lead } from './lead.ts';

export interface Leads {
  /**
   * The lead with the draft's CPF: made where there is none, else filled with what it lacks. `answer` gives what a
   * replay of the claim will repeat; it is kept in the same transaction as the lead.
   */
  createOrReuse(
    tenancy: Tenancy,
    draft: LeadDraft,
    answer: (leadId: LeadId, reused: boolean) => Answer,
    claim?: Claim,
  ): Promise<IdempotentResult<Answer>>;
  /** Reads a lead and opens nothing of it. */
  find(tenancy: Tenancy, id: LeadId): Promise<Unopened<Lead> | undefined>;
  get(tenancy: Tenancy, id: LeadId): Promise<Lead | undefined>;
  /** Reads, changes and writes a lead until no one else has written between; `change` returns what to write or undefined. */
  change<T>(
    tenancy: Tenancy,
    id: LeadId,
    change: (lead: Lead) => { write: Lead | undefined; result: T },
  ): Promise<T | undefined>;
}
