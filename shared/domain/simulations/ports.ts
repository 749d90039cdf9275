import type { Lead } from '../leads/ports.ts';
import type { Answer, Claim, IdempotencyRecord, IdempotentResult, Unopened } from '../values/idempotency.ts';
import type { LeadId, OpportunityId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import type { Opportunity } from './simulation.ts';

export type { Opportunity } from './simulation.ts';

export interface Simulations {
  /** The lead that a simulation is for, and what an earlier call with the same key left: one round trip. */
  prepare(
    tenancy: Tenancy,
    leadId: LeadId,
    claim?: Claim,
  ): Promise<{ lead: Lead | undefined; earlier: IdempotencyRecord | undefined }>;
  /**
   * Keeps the opportunity, and the answer for replays, in one transaction. An id already taken is drawn again.
   * `lead_gone` where there is no such lead any more.
   */
  save(
    tenancy: Tenancy,
    make: (now: Instant) => { opportunity: Opportunity; answer: Answer },
    claim?: Claim,
  ): Promise<IdempotentResult<Answer> | 'lead_gone'>;
  /** Reads an opportunity and opens nothing of it. */
  find(tenancy: Tenancy, id: OpportunityId): Promise<Unopened<Opportunity> | undefined>;
  get(tenancy: Tenancy, id: OpportunityId): Promise<Opportunity | undefined>;
}
