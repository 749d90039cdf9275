/**
 * Keys of the main table. Every key string is made here, and nowhere else.
 *
 * | row            | pk                               | sk             | byList (listPk / listSk)           | byDue (duePk / dueSk)                |
 * |----------------|----------------------------------|----------------|------------------------------------|--------------------------------------|
 * | auth           | AUTH#partner                     | AUTH           |                                    |                                      |
 * | partner        | PARTNER#partner                  | PROFILE        |                                    |                                      |
 * | listed partner | PARTNERS#all                     | partner        |                                    |                                      |
 * | unit           | PARTNER#partner                  | UNIT#unit      |                                    |                                      |
 * |   its number   | UNIT#unit                        | UNIT           |                                    |                                      |
 * | key            | PARTNER#partner                  | KEY#key        |                                    |                                      |
 * | steps made     | PARTNER#partner                  | CHECKLIST      |                                    |                                      |
 * | webhook        | PARTNER#partner                  | WEBHOOK#env    |                                    |                                      |
 * |   failing      |                                  |                | FAILING / since#partner#env        |                                      |
 * |   enabled      |                                  |                |                                    | DUE#release / enabled#partner#env    |
 * |   disabled     |                                  |                |                                    | DISABLED / cause#partner#env         |
 * | lead           | LEAD#unit#env#lead               | LEAD           |                                    |                                      |
 * |   its end      |                                  |                |                                    | DUE#retention#bucket / look#unit#env#lead |
 * |   its analyses | LEAD#unit#env#lead               | ANALYSES#subm. |                                    |                                      |
 * |   simulated    | LEAD#unit#env#lead               | OPPORTUNITY#id |                                    |                                      |
 * |   erasure      | LEAD#unit#env#lead               | LEAD#ERASURE   |                                    | DUE#erasure / look#unit#env#lead     |
 * | sandbox lead   | LEADS#unit#sandbox               | lead           |                                    |                                      |
 * | lead by CPF    | CPF#unit#env#hash                | CPF            |                                    |                                      |
 * | consent cutoff | CUTOFF#unit#env                  | hash of CPF    |                                    |                                      |
 * | idempotency    | IDEMPOTENCY#unit#env#route#hash  | IDEMPOTENCY    | RECORDS#unit#env#lead / its key    |                                      |
 * | simulations    | OPPORTUNITY#unit#env#opportunity | OPPORTUNITY    |                                    |                                      |
 * | form           | FORM#unit#env#submission         | FORM           |                                    |                                      |
 * |   without spouse |                                |                |                                    | DUE#erasure / look#unit#env#lead     |
 * | spouse by CPF  | SPOUSE#unit#env#hash             | submission     |                                    |                                      |
 * | analysis       | ANALYSIS#unit#env#analysis       | ANALYSIS       | OUTCOMES#unit#env / ended#analysis | PENDING#env#bank#bucket / created#id |
 * | consent        | CONSENT#unit#env#lead            | submission     |                                    |                                      |
 * | withdrawal     | CONSENT#unit#env#lead            | WITHDRAWAL#id  |                                    |                                      |
 * | delivery       | DELIVERY#event                   | DELIVERY       | DELIVERIES#partner / created#event | DUE#delivery#bucket / look#event     |
 * |   suspended    |                                  |                |                                    | SUSPENDED#partner#env / since#event  |
 * |   given up     |                                  |                |                                    | EXHAUSTED#env / given up#event       |
 * | refused call   | REFUSED#unit#env                 | time#id        |                                    |                                      |
 * | audit          | AUDIT#partner or AUDIT#service   | time#id        |                                    |                                      |
 * | approval       | APPROVAL#all                     | call_hash      |                                    |                                      |
 * | cursor         | CURSOR#job                       | CURSOR         |                                    |                                      |
 * | key's use      | ENCRYPTIONS#version              | ENCRYPTIONS    |                                    |                                      |
 * | index keys     | INDEXED#service                  | INDEXED        |                                    |                                      |
 * | bank rates     | RATES#all                        | RATES          |                                    |                                      |
 *
 * Tenancy is part of the key, so a row of another unit or environment cannot be addressed. Consent rows have
 * partitions of their own, on which the functions' roles are denied update and delete.
 */
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { type PollPartition, pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import type { OutcomePlace } from '#shared/domain/analyses/ports.ts';
import {
  type AnalysisId,
  type EventId,
  idOf,
  type KeyId,
  type LeadId,
  type OpportunityId,
  type PartnerId,
  type SubmissionId,
  type UnitId,
  type WithdrawalId,
} from '#shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { DUE_BUCKETS, dueBucket } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';

export interface RowKey {
  readonly pk: string;
  readonly sk: string;
}

const owned = (kind: string, { unitId, environment }: Tenancy, id: number | string) =>
  `${kind}#${unitId}#${environment}#${id}`;
/** 16 digits hold every safe integer. */
const sortable = (value: number) => String(value).padStart(16, '0');
export const numberIn = (sk: unknown): number => Number(String(sk).slice(-16));

export const authKey = (partnerId: PartnerId): RowKey => ({ pk: `AUTH#${partnerId}`, sk: 'AUTH' });

export const partnerPartition = (partnerId: PartnerId) => `PARTNER#${partnerId}`;
export const profileKey = (partnerId: PartnerId): RowKey => ({ pk: partnerPartition(partnerId), sk: 'PROFILE' });
/** The index may not show the newest partner, and a search for a person looks at every partner. */
export const PARTNERS = 'PARTNERS#all';
export const listedPartnerKey = (partnerId: PartnerId): RowKey => ({ pk: PARTNERS, sk: sortable(partnerId) });
export const UNITS = 'UNIT#';
export const unitKey = (partnerId: PartnerId, unitId: UnitId): RowKey => ({
  pk: partnerPartition(partnerId),
  sk: `${UNITS}${unitId}`,
});
/** Two units with one number would read each other's rows. */
export const unitNumberKey = (unitId: UnitId): RowKey => ({ pk: `UNIT#${unitId}`, sk: 'UNIT' });
export const API_KEYS = 'KEY#';
export const apiKeyKey = (partnerId: PartnerId, keyId: KeyId): RowKey => ({
  pk: partnerPartition(partnerId),
  sk: `${API_KEYS}${keyId}`,
});
export const checklistKey = (partnerId: PartnerId): RowKey => ({ pk: partnerPartition(partnerId), sk: 'CHECKLIST' });
export const webhookKey = ({ partnerId, environment }: EndpointOwner): RowKey => ({
  pk: partnerPartition(partnerId),
  sk: `WEBHOOK#${environment}`,
});

export const leadKey = (tenancy: Tenancy, leadId: LeadId): RowKey => ({
  pk: owned('LEAD', tenancy, leadId),
  sk: 'LEAD',
});
/** The reset finds the leads here, since the index may not show the newest. */
export const sandboxLeadPartition = (unitId: UnitId) => `LEADS#${unitId}#sandbox`;
export const sandboxLeadKey = ({ unitId }: Tenancy, leadId: LeadId): RowKey => ({
  pk: sandboxLeadPartition(unitId),
  sk: sortable(leadId),
});
/** Readers and writers of the lead need only the mark in the lead's row. */
export const erasureKey = (tenancy: Tenancy, leadId: LeadId): RowKey => ({
  pk: leadKey(tenancy, leadId).pk,
  sk: 'LEAD#ERASURE',
});
export const ERASURES_DUE = 'DUE#erasure';
export const erasureDue = ({ unitId, environment }: Tenancy, leadId: LeadId, nextCheckAt: Instant) => ({
  duePk: ERASURES_DUE,
  dueSk: `${sortable(nextCheckAt)}#${unitId}#${environment}#${leadId}`,
});
/** Each new lead is one write to these partitions, and one partition takes 1,000 writes a second. */
const RETENTION_BUCKETS = 4;
const retentionPartition = (bucket: number) => `DUE#retention#${bucket}`;
export const RETENTION_PARTITIONS = Array.from({ length: RETENTION_BUCKETS }, (_, bucket) =>
  retentionPartition(bucket),
);
export const retentionDue = (tenancy: Tenancy, leadId: LeadId, lookAt: Instant) => ({
  duePk: retentionPartition(leadId % RETENTION_BUCKETS),
  dueSk: erasureDue(tenancy, leadId, lookAt).dueSk,
});
export const CPFS = 'CPF#';
export const cpfKey = (tenancy: Tenancy, hash: string): RowKey => ({ pk: owned('CPF', tenancy, hash), sk: 'CPF' });

export const CUTOFFS = 'CUTOFF#';
/** One partition for each unit, so that the reset of a sandbox finds all its rows. */
export const cutoffPartition = ({ unitId, environment }: Tenancy) => `${CUTOFFS}${unitId}#${environment}`;
export const cutoffKey = (tenancy: Tenancy, hash: string): RowKey => ({ pk: cutoffPartition(tenancy), sk: hash });

export const SPOUSES = 'SPOUSE#';
/** `hash`: keyed hash of the spouse's CPF. */
export const spouseKey = (tenancy: Tenancy, hash: string, submissionId: SubmissionId): RowKey => ({
  pk: owned('SPOUSE', tenancy, hash),
  sk: sortable(submissionId),
});

export const IDEMPOTENCY_RECORDS = 'IDEMPOTENCY#';
/** `hash`: keyed hash of the caller's key, a text that may contain anything. */
export const idempotencyKey = (tenancy: Tenancy, operation: string, hash: string): RowKey => ({
  pk: owned('IDEMPOTENCY', tenancy, `${operation}#${hash}`),
  sk: 'IDEMPOTENCY',
});

/** An erasure reads this partition in its second pass, 15 minutes after the first, when the index is no longer late. */
export const recordList = (tenancy: Tenancy, leadId: LeadId) => ({ listPk: owned('RECORDS', tenancy, leadId) });

export const opportunityKey = (tenancy: Tenancy, opportunityId: OpportunityId): RowKey => ({
  pk: owned('OPPORTUNITY', tenancy, opportunityId),
  sk: 'OPPORTUNITY',
});
export const LEAD_OPPORTUNITIES = 'OPPORTUNITY#';
/** Next to the lead, so that all opportunities are found without an index, which may be late. */
export const leadOpportunityKey = (tenancy: Tenancy, leadId: LeadId, opportunityId: OpportunityId): RowKey => ({
  pk: leadKey(tenancy, leadId).pk,
  sk: `${LEAD_OPPORTUNITIES}${sortable(opportunityId)}`,
});

export const formKey = (tenancy: Tenancy, submissionId: SubmissionId): RowKey => ({
  pk: owned('FORM', tenancy, submissionId),
  sk: 'FORM',
});

export const analysisKey = (tenancy: Tenancy, analysisId: AnalysisId): RowKey => ({
  pk: owned('ANALYSIS', tenancy, analysisId),
  sk: 'ANALYSIS',
});
/**
 * Beginning of the sort keys of a lead's list of analyses. The list lies in the lead's partition and sorts before the
 * lead.
 */
export const ANALYSIS_LIST = 'ANALYSES#';
export const analysisListKey = (analysis: Tenancy & Pick<Analysis, 'leadId' | 'submissionId'>): RowKey => ({
  pk: leadKey(analysis, analysis.leadId).pk,
  sk: `${ANALYSIS_LIST}${sortable(analysis.submissionId)}`,
});
export const pendingPartition = ({ environment, bank, bucket }: PollPartition) =>
  `PENDING#${environment}#${bank}#${bucket}`;
/** Returns a sort key that lies before all analyses created at or after a moment. */
export const pendingFrom = (createdAt: Instant) =>
  sortable(Math.max(0, Math.ceil(Math.min(createdAt, Number.MAX_SAFE_INTEGER))));
export const pendingDue = (analysis: Pick<Analysis, 'id' | 'environment' | 'bank' | 'createdAt'>) => ({
  duePk: pendingPartition(pollPartition(analysis)),
  dueSk: `${sortable(analysis.createdAt)}#${analysis.id}`,
});
export const outcomePartition = ({ unitId, environment }: Tenancy) => `OUTCOMES#${unitId}#${environment}`;
export const outcomeEntry = (tenancy: Tenancy, { concludedAt, id }: OutcomePlace) => ({
  listPk: outcomePartition(tenancy),
  listSk: `${sortable(concludedAt)}#${id}`,
});
export function outcomePlaceIn(listSk: unknown): OutcomePlace {
  const [concludedAt, id] = String(listSk).split('#').map(Number);
  return { concludedAt: Number(concludedAt), id: idOf<AnalysisId>(Number(id)) };
}

export const consentPartition = (tenancy: Tenancy, leadId: LeadId) => owned('CONSENT', tenancy, leadId);
export const consentKey = (tenancy: Tenancy, leadId: LeadId, consent: number): RowKey => ({
  pk: consentPartition(tenancy, leadId),
  sk: sortable(consent),
});
/** Beginning of the sort keys of withdrawals. They sort after the consents of the same lead, whose keys are digits. */
export const WITHDRAWALS = 'WITHDRAWAL#';
export const withdrawalKey = (tenancy: Tenancy, leadId: LeadId, withdrawalId: WithdrawalId): RowKey => ({
  pk: consentPartition(tenancy, leadId),
  sk: `${WITHDRAWALS}${sortable(withdrawalId)}`,
});

export const deliveryKey = (eventId: EventId): RowKey => ({ pk: `DELIVERY#${eventId}`, sk: 'DELIVERY' });
export const deliveryListPartition = (partnerId: PartnerId) => `DELIVERIES#${partnerId}`;
export const deliveryList = (partnerId: PartnerId, createdAt: Instant, eventId: EventId) => ({
  listPk: deliveryListPartition(partnerId),
  listSk: `${sortable(createdAt)}#${eventId}`,
});
const duePartition = (bucket: number) => `DUE#delivery#${bucket}`;
export const DUE_PARTITIONS: readonly string[] = Array.from({ length: DUE_BUCKETS }, (_, bucket) =>
  duePartition(bucket),
);
export const dueFrom = (nextCheckAt: Instant) => sortable(Math.max(0, nextCheckAt));
export const dueQuery = (
  partition: string,
  { before, limit }: { readonly before?: Instant; readonly limit?: number } = {},
) => ({
  IndexName: 'byDue',
  KeyConditionExpression: before === undefined ? 'duePk = :pk' : 'duePk = :pk AND dueSk < :before',
  ExpressionAttributeValues: { ':pk': partition, ':before': before === undefined ? undefined : dueFrom(before) },
  Limit: limit,
});
/** Sorted by the moment at which the sweeper looks at the delivery (`lookAt`). */
export const deliveryDue = (lookMoment: Instant, eventId: EventId) => ({
  duePk: duePartition(dueBucket(eventId)),
  dueSk: `${sortable(Math.max(0, lookMoment))}#${eventId}`,
});
export const RELEASES_DUE = 'DUE#release';
/** The sweeper releases the deliveries that were kept while the endpoint was disabled. */
export const releaseDue = ({ partnerId, environment }: EndpointOwner, enabledAt: Instant) => ({
  duePk: RELEASES_DUE,
  dueSk: `${sortable(enabledAt)}#${partnerId}#${environment}`,
});
/** Sorted by the first failure since the last success. */
export const FAILING_PARTITION = 'FAILING';
export const endpointFailing = ({ partnerId, environment }: EndpointOwner, since: Instant) => ({
  listPk: FAILING_PARTITION,
  listSk: `${sortable(since)}#${partnerId}#${environment}`,
});
export const failingBefore = (moment: Instant) => sortable(Math.max(0, moment));
/** The sweeper counts these endpoints. */
export const DISABLED_PARTITION = 'DISABLED';
export const endpointDisabled = ({ partnerId, environment }: EndpointOwner, cause: string) => ({
  duePk: DISABLED_PARTITION,
  dueSk: `${cause}#${partnerId}#${environment}`,
});
/** A delivery leaves this partition when it is sent again or discarded. */
export const exhaustedPartition = (environment: Environment) => `EXHAUSTED#${environment}`;
export const deliveryExhausted = (environment: Environment, now: Instant, eventId: EventId) => ({
  duePk: exhaustedPartition(environment),
  dueSk: `${sortable(now)}#${eventId}`,
});
export const suspendedPartition = ({ partnerId, environment }: EndpointOwner) =>
  `SUSPENDED#${partnerId}#${environment}`;
export const deliverySuspended = (owner: EndpointOwner, agesSince: Instant, eventId: EventId) => ({
  duePk: suspendedPartition(owner),
  dueSk: `${sortable(agesSince)}#${eventId}`,
});

export const refusedCallPartition = ({ unitId, environment }: Tenancy) => `REFUSED#${unitId}#${environment}`;
export const refusedFrom = (at: Instant) => sortable(Math.max(0, at));
export const refusedCallKey = (tenancy: Tenancy, at: Instant, requestId: string): RowKey => ({
  pk: refusedCallPartition(tenancy),
  sk: `${sortable(at)}#${requestId}`,
});

export const auditPartition = (partner: PartnerId | 'service') => `AUDIT#${partner}`;
export const auditKey = (partner: PartnerId | 'service', at: Instant, id: number): RowKey => ({
  pk: auditPartition(partner),
  sk: `${sortable(at)}#${id}`,
});

export const APPROVALS = 'APPROVAL#all';
/** A person's call has one approval, whatever its reason (`callId`). */
export const approvalKey = (call: string): RowKey => ({ pk: APPROVALS, sk: call });

export const encryptionCountKey = (version: number): RowKey => ({ pk: `ENCRYPTIONS#${version}`, sk: 'ENCRYPTIONS' });

export const BANK_RATES: RowKey = { pk: 'RATES#all', sk: 'RATES' };

/** Row that names the index keys by which rows of this table are found. */
export const INDEXED_BY: RowKey = { pk: 'INDEXED#service', sk: 'INDEXED' };

export const auditFrom = (at: Instant) => sortable(at);

export const cursorKey = (job: string): RowKey => ({ pk: `CURSOR#${job}`, sk: 'CURSOR' });
