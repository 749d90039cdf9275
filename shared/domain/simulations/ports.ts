import type { Lead } from '../leads/ports.ts';
import type { Agent } from '../partners/ports.ts';
import type {
  Answer,
  Claim,
  ClaimedKey,
  IdempotencyRecord,
  IdempotentResult,
  Unopened,
} from '../values/idempotency.ts';
import type { LeadId, OpportunityId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import type { Instalment, Offer, Opportunity } from './simulation.ts';

export type { Opportunity } from './simulation.ts';

export interface Simulations {
  /**
   * Returns the lead of a simulation, and the record of an earlier call with the same key, usually in one round trip.
   * `lead` is undefined if it does not exist. Both are undefined if the lead's person is being erased. `save` takes the
   * `key`, which is undefined without a claim.
   */
  prepare(
    tenancy: Tenancy,
    leadId: LeadId,
    claim?: Claim,
  ): Promise<{
    readonly lead: Lead | undefined;
    readonly earlier: IdempotencyRecord | undefined;
    readonly key: ClaimedKey | undefined;
  }>;
  /**
   * Writes the opportunity, and the answer for replays, in one transaction. If the id of the opportunity is taken,
   * draws another id. Returns `lead_gone` if the lead does not exist any more, or its person is being erased.
   */
  save(
    tenancy: Tenancy,
    make: (now: Instant) => { opportunity: Opportunity; answer: Answer },
    key?: ClaimedKey,
  ): Promise<IdempotentResult<Answer> | 'lead_gone'>;
  /** Reads an opportunity without decrypting it. Returns undefined if there is none. */
  find(tenancy: Tenancy, id: OpportunityId): Promise<Unopened<Opportunity> | undefined>;
  get(tenancy: Tenancy, id: OpportunityId): Promise<Opportunity | undefined>;
}

/** An offer as its document for the customer shows it. */
export interface PresentedOffer {
  readonly opportunity: Opportunity;
  readonly offer: Offer;
  /** All instalments of the offer, first to last. */
  readonly schedule: readonly Instalment[];
  /** The unit that made the simulation. Undefined if the document names nobody. */
  readonly agent?: Agent | undefined;
}

/** Draws the document of one offer, a PDF for the customer. The same offer gives the same bytes. */
export type SimulationPdf = (presented: PresentedOffer) => Promise<Uint8Array>;

/**
 * Draws the document that compares all offers of an opportunity, a PDF for the customer. The same opportunity gives the same
 * bytes. Throws a RangeError if no bank has made an offer.
 */
export type ComparisonPdf = (presented: Pick<PresentedOffer, 'opportunity' | 'agent'>) => Promise<Uint8Array>;
