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
import type { Tables } from './pricing/tables/in-force.ts';
import type { RatePublication } from './pricing/tables/publications.ts';
import type { Instalment, Offer, Opportunity } from './simulation.ts';

export type { Opportunity } from './simulation.ts';

export interface Simulations {
  /** `lead` and `earlier` are undefined if the lead's person is being erased. `key` is undefined without a claim. */
  prepare(
    tenancy: Tenancy,
    leadId: LeadId,
    claim?: Claim,
  ): Promise<{
    readonly lead: Lead | undefined;
    readonly earlier: IdempotencyRecord | undefined;
    readonly key: ClaimedKey | undefined;
  }>;
  /** `lead_gone`: the lead does not exist any more, or its person is being erased. */
  save(
    tenancy: Tenancy,
    make: (now: Instant) => { opportunity: Opportunity; answer: Answer },
    key?: ClaimedKey,
  ): Promise<IdempotentResult<Answer> | 'lead_gone'>;
  find(tenancy: Tenancy, id: OpportunityId): Promise<Unopened<Opportunity> | undefined>;
  get(tenancy: Tenancy, id: OpportunityId): Promise<Opportunity | undefined>;
}

export interface PublishedRates {
  /** 0 if nothing was ever published. */
  readonly version: number;
  readonly publications: readonly RatePublication[];
  /** Stored publications that this release cannot read. A write keeps them for the release that can. */
  readonly unknown: readonly unknown[];
}

export interface BankRates {
  /**
   * Returns the tables with the published rates, at most two minutes old. Throws `servico_indisponivel` if the rates
   * could not be read for longer.
   */
  tables(): Promise<Tables>;
  read(): Promise<PublishedRates>;
  /** Writes the publications if `read` is still the newest version. Returns whether it was. */
  write(read: PublishedRates, publications: readonly RatePublication[]): Promise<boolean>;
}

export interface PresentedOffer {
  readonly opportunity: Opportunity;
  readonly offer: Offer;
  readonly schedule: readonly Instalment[];
  /** Undefined if the document names nobody. */
  readonly agent?: Agent | undefined;
}

/** The same offer gives the same bytes. */
export type SimulationPdf = (presented: PresentedOffer) => Promise<Uint8Array>;

/** The same opportunity gives the same bytes. Throws a RangeError if no bank has made an offer. */
export type ComparisonPdf = (presented: Pick<PresentedOffer, 'opportunity' | 'agent'>) => Promise<Uint8Array>;
