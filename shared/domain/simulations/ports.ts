import type { Lead } from '../leads/ports.ts';
import type { Answer, Claim, IdempotencyRecord, IdempotentResult, Unopened } from '../values/idempotency.ts';
import type { LeadId, OpportunityId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import type { Opportunity } from './simulation.ts';

export type { Opportunity } from './simulation.ts';

export interface Simulations {
  /**
   * Returns the lead of a simulation, and the record of an earlier call with the same key, usually in one round trip.
   * `lead` is undefined if it does not exist. Both are undefined if the lead's person is being erased.
   */
  prepare(
    tenancy: Tenancy,
    leadId: LeadId,
    claim?: Claim,
  ): Promise<{ lead: Lead | undefined; earlier: IdempotencyRecord | undefined }>;
  /**
   * Writes the opportunity, and the answer for replays, in one transaction. If the id of the opportunity is taken,
   * draws another id. Returns `lead_gone` if the lead does not exist any more, or its person is being erased.
   */
  save(
    tenancy: Tenancy,
    make: (now: Instant) => { opportunity: Opportunity; answer: Answer },
    claim?: Claim,
  ): Promise<IdempotentResult<Answer> | 'lead_gone'>;
  /** Reads an opportunity without decrypting it. Returns undefined if there is none. */
  find(tenancy: Tenancy, id: OpportunityId): Promise<Unopened<Opportunity> | undefined>;
  get(tenancy: Tenancy, id: OpportunityId): Promise<Opportunity | undefined>;
}
