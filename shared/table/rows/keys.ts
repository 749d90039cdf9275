/**
 * The one table: every key string is made here, and nowhere else.
 *
 * | row            | pk                               | sk             | byList (listPk / listSk)           | byDue (duePk / dueSk)                |
 * |----------------|----------------------------------|----------------|------------------------------------|--------------------------------------|
 * | auth           | AUTH#partner                     | AUTH           |                                    |                                      |
 * | partner        | PARTNER#partner                  | PROFILE        | PARTNERS / id                      |                                      |
 * | unit           | PARTNER#partner                  | UNIT#unit      |                                    |                                      |
 * |   its number   | UNIT#unit                        | UNIT           |                                    |                                      |
 * | key            | PARTNER#partner                  | KEY#key        |                                    |                                      |
 * | steps made     | PARTNER#partner                  | CHECKLIST      |                                    |                                      |
 * | webhook        | PARTNER#partner                  | WEBHOOK        |                                    |                                      |
 * |   enabled      |                                  |                |                                    | DUE#release / enabled#partner        |
 * |   disabled     |                                  |                |                                    | DISABLED / cause#partner             |
 * | lead           | LEAD#unit#env#lead               | LEAD           | LEADS#unit / id (sandbox alone)    |                                      |
 * |   its end      |                                  |                |                                    | DUE#retention#bucket / look#unit#env#lead |
 * |   its analyses | LEAD#unit#env#lead               | ANALYSES#subm. |                                    |                                      |
 * |   simulated    | LEAD#unit#env#lead               | OPPORTUNITY#id |                                    |                                      |
 * |   erasure      | LEAD#unit#env#lead               | LEAD#ERASURE   |                                    | DUE#erasure / look#unit#env#lead     |
 * | sandbox lead   | LEADS#unit#sandbox               | lead           |                                    |                                      |
 * | lead by CPF    | CPF#unit#env#hash                | CPF            |                                    |                                      |
 * | idempotency    | IDEMPOTENCY#unit#env#route#hash  | IDEMPOTENCY    | RECORDS#unit#env#lead / its key    |                                      |
 * | simulations    | OPPORTUNITY#unit#env#opportunity | OPPORTUNITY    |                                    |                                      |
 * | form           | FORM#unit#env#submission         | FORM           |                                    |                                      |
 * |   without spouse |                                |                |                                    | DUE#erasure / look#unit#env#lead     |
 * | spouse by CPF  | SPOUSE#unit#env#hash             | submission     |                                    |                                      |
 * | analysis       | ANALYSIS#unit#env#analysis       | ANALYSIS       |                                    | PENDING#env#bank#bucket / created#id |
 * | consent        | CONSENT#unit#env#lead            | submission     |                                    |                                      |
 * | delivery       | DELIVERY#event                   | DELIVERY       | DELIVERIES#partner / created#event | DUE#retryOwner#bucket / look#event   |
 * |   suspended    |                                  |                |                                    | SUSPENDED#partner / since#event      |
 * |   given up     |                                  |                |                                    | EXHAUSTED#env / given up#event       |
 * | refused call   | REFUSED#unit#env                 | time#id        |                                    |                                      |
 * | audit          | AUDIT#partner or AUDIT#service   | time#id        |                                    |                                      |
 * | approval       | APPROVAL#all                     | apr_hash       |                                    |                                      |
 * | cursor         | CURSOR#job                       | CURSOR         |                                    |                                      |
 * | key's use      | ENCRYPTIONS#version              | ENCRYPTIONS    |                                    |                                      |
 * | index keys     | INDEXED#service                  | INDEXED        |                                    |                                      |
 *
 * Tenancy is part of the key, so a row of another unit or environment cannot be addressed. Consent rows have
 * partitions of their own, on which the functions' roles are denied update and delete.
 */
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { type PollPartition, pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import type {
  AnalysisId,
  EventId,
  KeyId,
  LeadId,
  OpportunityId,
  PartnerId,
  SubmissionId,
  UnitId,
} from '#shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { DUE_BUCKETS, dueBucket, type RetryOwner } from '#shared/domain/webhooks/delivery.ts';

export interface RowKey {
  readonly pk: string;
  readonly sk: string;
}

const owned = (kind: string, { unitId, environment }: Tenancy, id: number | string) =>
  `${kind}#${unitId}#${environment}#${id}`;
/** Numbers as text that sorts like the number: 16 digits hold every safe integer. */
const sortable = (value: number) => String(value).padStart(16, '0');

export const authKey = (partnerId: PartnerId): RowKey => ({ pk: `AUTH#${partnerId}`, sk: 'AUTH' });

export const partnerPartition = (partnerId: PartnerId) => `PARTNER#${partnerId}`;
export const profileKey = (partnerId: PartnerId): RowKey => ({ pk: partnerPartition(partnerId), sk: 'PROFILE' });
export const PARTNER_LIST = 'PARTNERS';
export const partnerList = (partnerId: PartnerId) => ({ listPk: PARTNER_LIST, listSk: sortable(partnerId) });
export const UNITS = 'UNIT#';
export const unitKey = (partnerId: PartnerId, unitId: UnitId): RowKey => ({
  pk: partnerPartition(partnerId),
  sk: `${UNITS}${unitId}`,
});
/** Tells which partner a unit's number belongs to: two units with one number would be one tenant. */
export const unitNumberKey = (unitId: UnitId): RowKey => ({ pk: `UNIT#${unitId}`, sk: 'UNIT' });
export const API_KEYS = 'KEY#';
export const apiKeyKey = (partnerId: PartnerId, keyId: KeyId): RowKey => ({
  pk: partnerPartition(partnerId),
  sk: `${API_KEYS}${keyId}`,
});
/** What of the flow a partner's sandbox keys have been seen to do. */
export const checklistKey = (partnerId: PartnerId): RowKey => ({ pk: partnerPartition(partnerId), sk: 'CHECKLIST' });
export const webhookKey = (partnerId: PartnerId): RowKey => ({ pk: partnerPartition(partnerId), sk: 'WEBHOOK' });

export const leadKey = (tenancy: Tenancy, leadId: LeadId): RowKey => ({
  pk: owned('LEAD', tenancy, leadId),
  sk: 'LEAD',
});
/** Sandbox leads are listed, so that the manager sees what a partner has tried; those of production are found by id and CPF alone. */
export const sandboxLeadListPartition = (unitId: UnitId) => `LEADS#${unitId}`;
export const sandboxLeadList = ({ unitId, environment }: Tenancy, leadId: LeadId) =>
  environment === 'sandbox' ? { listPk: sandboxLeadListPartition(unitId), listSk: sortable(leadId) } : {};
/** The leads of a unit's sandbox in the table itself: the reset finds them here, because the index may not show the newest. */
export const sandboxLeadPartition = (unitId: UnitId) => `LEADS#${unitId}#sandbox`;
export const sandboxLeadKey = ({ unitId }: Tenancy, leadId: LeadId): RowKey => ({
  pk: sandboxLeadPartition(unitId),
  sk: sortable(leadId),
});
/** How far the erasure of a lead's person has come: beside the lead, whose own row every PATCH writes anew. */
export const erasureKey = (tenancy: Tenancy, leadId: LeadId): RowKey => ({
  pk: leadKey(tenancy, leadId).pk,
  sk: 'LEAD#ERASURE',
});
export const ERASURES_DUE = 'DUE#erasure';
/** `nextCheckAt`: when the sweeper has to continue the erasure. */
export const erasureDue = ({ unitId, environment }: Tenancy, leadId: LeadId, nextCheckAt: Instant) => ({
  duePk: ERASURES_DUE,
  dueSk: `${sortable(nextCheckAt)}#${unitId}#${environment}#${leadId}`,
});
/** As many as keep the creation of leads, a write each, far below the 1,000 a second of one partition. */
const RETENTION_BUCKETS = 4;
const retentionPartition = (bucket: number) => `DUE#retention#${bucket}`;
export const RETENTION_PARTITIONS = Array.from({ length: RETENTION_BUCKETS }, (_, bucket) =>
  retentionPartition(bucket),
);
/** `lookAt`: when the sweeper has to look whether the lead's data end. */
export const retentionDue = (tenancy: Tenancy, leadId: LeadId, lookAt: Instant) => ({
  duePk: retentionPartition(leadId % RETENTION_BUCKETS),
  dueSk: erasureDue(tenancy, leadId, lookAt).dueSk,
});
export const CPFS = 'CPF#';
export const cpfKey = (tenancy: Tenancy, hash: string): RowKey => ({ pk: owned('CPF', tenancy, hash), sk: 'CPF' });

export const SPOUSES = 'SPOUSE#';
/** A submission's row in the partition of the spouse whom it names: `hash` is the keyed hash of the spouse's CPF. */
export const spouseKey = (tenancy: Tenancy, hash: string, submissionId: SubmissionId): RowKey => ({
  pk: owned('SPOUSE', tenancy, hash),
  sk: sortable(submissionId),
});

export const IDEMPOTENCY_RECORDS = 'IDEMPOTENCY#';
/** `hash` is the keyed hash of the caller's key, which may say anything. */
export const idempotencyKey = (tenancy: Tenancy, operation: string, hash: string): RowKey => ({
  pk: owned('IDEMPOTENCY', tenancy, `${operation}#${hash}`),
  sk: 'IDEMPOTENCY',
});

/** The answers kept about a lead: an erasure looks for them long after any call, when the index is late no more. */
export const recordList = (tenancy: Tenancy, leadId: LeadId) => ({ listPk: owned('RECORDS', tenancy, leadId) });

export const opportunityKey = (tenancy: Tenancy, opportunityId: OpportunityId): RowKey => ({
  pk: owned('OPPORTUNITY', tenancy, opportunityId),
  sk: 'OPPORTUNITY',
});
export const LEAD_OPPORTUNITIES = 'OPPORTUNITY#';
/** Says that a lead has an opportunity: beside the lead, so that all of them are found without an index, which may lag. */
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
/** A lead's list of analyses lies beside the lead, before it in the order of sort keys. */
export const ANALYSIS_LIST = 'ANALYSES#';
export const analysisListKey = (analysis: Tenancy & Pick<Analysis, 'leadId' | 'submissionId'>): RowKey => ({
  pk: leadKey(analysis, analysis.leadId).pk,
  sk: `${ANALYSIS_LIST}${sortable(analysis.submissionId)}`,
});
export const pendingPartition = ({ environment, bank, bucket }: PollPartition) =>
  `PENDING#${environment}#${bank}#${bucket}`;
/** The first sort key of a creation time: rows of that millisecond come after it. */
export const pendingFrom = (createdAt: Instant) =>
  sortable(Math.max(0, Math.ceil(Math.min(createdAt, Number.MAX_SAFE_INTEGER))));
export const pendingDue = (analysis: Pick<Analysis, 'id' | 'environment' | 'bank' | 'createdAt'>) => ({
  duePk: pendingPartition(pollPartition(analysis)),
  dueSk: `${sortable(analysis.createdAt)}#${analysis.id}`,
});

export const consentPartition = (tenancy: Tenancy, leadId: LeadId) => owned('CONSENT', tenancy, leadId);
export const consentKey = (tenancy: Tenancy, leadId: LeadId, consent: number): RowKey => ({
  pk: consentPartition(tenancy, leadId),
  sk: sortable(consent),
});

export const deliveryKey = (eventId: EventId): RowKey => ({ pk: `DELIVERY#${eventId}`, sk: 'DELIVERY' });
export const deliveryListPartition = (partnerId: PartnerId) => `DELIVERIES#${partnerId}`;
export const deliveryList = (partnerId: PartnerId, createdAt: Instant, eventId: EventId) => ({
  listPk: deliveryListPartition(partnerId),
  listSk: `${sortable(createdAt)}#${eventId}`,
});
export const duePartition = (retryOwner: RetryOwner, eventId: EventId) =>
  `DUE#${retryOwner}#${dueBucket(retryOwner, eventId)}`;
export const duePartitions = (retryOwner: RetryOwner): readonly string[] =>
  Array.from({ length: DUE_BUCKETS[retryOwner] }, (_, bucket) => `DUE#${retryOwner}#${bucket}`);
export const dueFrom = (nextCheckAt: Instant) => sortable(Math.max(0, nextCheckAt));
/** Query of a partition of the due index. */
export const dueQuery = (
  partition: string,
  { before, limit }: { readonly before?: Instant; readonly limit?: number } = {},
) => ({
  IndexName: 'byDue',
  KeyConditionExpression: before === undefined ? 'duePk = :pk' : 'duePk = :pk AND dueSk < :before',
  ExpressionAttributeValues: { ':pk': partition, ':before': before === undefined ? undefined : dueFrom(before) },
  Limit: limit,
});
/** `nextCheckAt`: when the sweeper has to look at the delivery. */
export const deliveryDue = (retryOwner: RetryOwner, nextCheckAt: Instant, eventId: EventId) => ({
  duePk: duePartition(retryOwner, eventId),
  dueSk: `${sortable(nextCheckAt)}#${eventId}`,
});
export const RELEASES_DUE = 'DUE#release';
/** An endpoint that was enabled at a moment: the sweeper releases what was kept for it meanwhile. */
export const releaseDue = (partnerId: PartnerId, enabledAt: Instant) => ({
  duePk: RELEASES_DUE,
  dueSk: `${sortable(enabledAt)}#${partnerId}`,
});
/** Webhook endpoints that are disabled, for the sweeper to count. */
export const DISABLED_PARTITION = 'DISABLED';
export const endpointDisabled = (partnerId: PartnerId, cause: string) => ({
  duePk: DISABLED_PARTITION,
  dueSk: `${cause}#${partnerId}`,
});
/** Deliveries that were given up after their last attempt, until they are sent again; by the moment at which they were. */
export const exhaustedPartition = (environment: Environment) => `EXHAUSTED#${environment}`;
export const deliveryExhausted = (environment: Environment, now: Instant, eventId: EventId) => ({
  duePk: exhaustedPartition(environment),
  dueSk: `${sortable(now)}#${eventId}`,
});
export const suspendedPartition = (partnerId: PartnerId) => `SUSPENDED#${partnerId}`;
export const deliverySuspended = (partnerId: PartnerId, keptSince: Instant, eventId: EventId) => ({
  duePk: suspendedPartition(partnerId),
  dueSk: `${sortable(keptSince)}#${eventId}`,
});

export const refusedCallPartition = ({ unitId, environment }: Tenancy) => `REFUSED#${unitId}#${environment}`;
/** The first sort key of a moment: refusals of that millisecond come after it. */
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
export const approvalKey = (id: string): RowKey => ({ pk: APPROVALS, sk: id });

/** How often a sealing key has been used. */
export const encryptionCountKey = (version: number): RowKey => ({ pk: `ENCRYPTIONS#${version}`, sk: 'ENCRYPTIONS' });

/** Which index keys the rows of this table are found by. */
export const INDEXED_BY: RowKey = { pk: 'INDEXED#service', sk: 'INDEXED' };

/** The first sort key of a moment: changes that began then or later come after it. */
export const auditFrom = (at: Instant) => sortable(at);

export const cursorKey = (job: string): RowKey => ({ pk: `CURSOR#${job}`, sk: 'CURSOR' });
