/**
 * The one table: every key string is made here, and nowhere else.
 *
 * | row         | pk                               | sk           | byList (listPk / listSk)              | byDue (duePk / dueSk)          |
 * |-------------|----------------------------------|--------------|---------------------------------------|--------------------------------|
 * | gate        | GATE#partner                     | GATE         |                                       |                                |
 * | partner     | PARTNER#partner                  | PROFILE      | PARTNERS / id                         |                                |
 * | unit        | PARTNER#partner                  | UNIT#unit    |                                       |                                |
 * | key         | PARTNER#partner                  | KEY#key      |                                       |                                |
 * | webhook     | PARTNER#partner                  | WEBHOOK      |                                       |                                |
 * | lead        | LEAD#unit#env#lead               | LEAD         | LEADS#unit / id (sandbox alone)       |                                |
 * | lead by CPF | CPF#unit#env#hash                | CPF          |                                       |                                |
 * | idempotency | IDEMPOTENCY#unit#env#route#hash  | IDEMPOTENCY  |                                       |                                |
 * | simulations | OPPORTUNITY#unit#env#opportunity | OPPORTUNITY  | OPPORTUNITIES#unit#env#lead / id      |                                |
 * | form        | FORM#unit#env#submission         | FORM         |                                       |                                |
 * | analysis    | ANALYSIS#unit#env#analysis       | ANALYSIS     | ANALYSES#unit#env#lead / id           | PENDING#slot / created#id      |
 * | consent     | CONSENT#unit#env#lead            | id           |                                       |                                |
 * | delivery    | DELIVERY#event                   | DELIVERY     | DELIVERIES#partner / created#event    | DUE#keeper / look#event        |
 * |   suspended |                                  |              |                                       | SUSPENDED#partner / created#ev |
 * | audit       | AUDIT#partner                    | time#id      |                                       |                                |
 * | cursor      | CURSOR#job                       | CURSOR       |                                       |                                |
 *
 * | who asks                              | how                                                          |
 * |---------------------------------------|--------------------------------------------------------------|
 * | every call: key and rate              | UpdateItem gate                                              |
 * | GET /v1/me                            | BatchGetItem partner, unit, key                              |
 * | lead by id; lead by CPF               | GetItem; a transaction's condition on the CPF row            |
 * | simulation or opportunity by id       | GetItem: a simulation's id carries its opportunity's         |
 * | analysis by id                        | GetItem                                                      |
 * | a lead's analyses, simulations        | Query byList                                                 |
 * | a lead's consents                     | Query CONSENT partition                                      |
 * | pending analyses of a slot, by age    | Query byDue                                                  |
 * | deliveries due                        | Query byDue                                                  |
 * | a partner's deliveries, newest first  | Query byList                                                 |
 * | a partner's suspended deliveries      | Query byDue                                                  |
 * | the manager: all partners             | Query byList, then BatchGetItem                              |
 * | the manager: a partner's units, keys  | Query PARTNER partition                                      |
 * | the manager: what was changed, by whom| Query AUDIT partition                                        |
 * | the manager: rows by their sealing key| Scan                                                         |
 * | the manager: what a partner has tried | Query byList: a unit's sandbox leads, then each lead's lists |
 *
 * Tenancy is part of the key, so a row of another unit or environment cannot be addressed. Consent rows have
 * partitions of their own, on which the functions' roles are denied update and delete.
 */
import type { Claim } from '../domain/idempotency.ts';
import type {
  AnalysisId,
  EventId,
  KeyId,
  LeadId,
  OpportunityId,
  PartnerId,
  SubmissionId,
  UnitId,
} from '../domain/ids.ts';
import type { Tenancy } from '../domain/partner.ts';
import type { Keeper } from '../domain/ports.ts';

export interface RowKey {
  readonly pk: string;
  readonly sk: string;
}

const owned = (kind: string, { unit, environment }: Tenancy, id: number | string) =>
  `${kind}#${unit}#${environment}#${id}`;
/** Numbers as text that sorts like the number: 16 digits hold every safe integer. */
const sortable = (value: number) => String(value).padStart(16, '0');

export const gateKey = (partner: PartnerId): RowKey => ({ pk: `GATE#${partner}`, sk: 'GATE' });

export const partnerPartition = (partner: PartnerId) => `PARTNER#${partner}`;
export const profileKey = (partner: PartnerId): RowKey => ({ pk: partnerPartition(partner), sk: 'PROFILE' });
export const PARTNER_LIST = 'PARTNERS';
export const partnerList = (partner: PartnerId) => ({ listPk: PARTNER_LIST, listSk: sortable(partner) });
export const UNITS = 'UNIT#';
export const unitKey = (partner: PartnerId, unit: UnitId): RowKey => ({
  pk: partnerPartition(partner),
  sk: `${UNITS}${unit}`,
});
export const PARTNER_KEYS = 'KEY#';
export const partnerKeyKey = (partner: PartnerId, key: KeyId): RowKey => ({
  pk: partnerPartition(partner),
  sk: `${PARTNER_KEYS}${key}`,
});
export const webhookKey = (partner: PartnerId): RowKey => ({ pk: partnerPartition(partner), sk: 'WEBHOOK' });

export const leadKey = (tenancy: Tenancy, lead: LeadId): RowKey => ({ pk: owned('LEAD', tenancy, lead), sk: 'LEAD' });
/** Sandbox leads are listed, so that the manager sees what a partner has tried; those of production are found by id and CPF alone. */
export const rehearsalListPartition = (unit: UnitId) => `LEADS#${unit}`;
export const rehearsalList = ({ unit, environment }: Tenancy, lead: LeadId) =>
  environment === 'sandbox' ? { listPk: rehearsalListPartition(unit), listSk: sortable(lead) } : {};
export const cpfKey = (tenancy: Tenancy, hash: string): RowKey => ({ pk: owned('CPF', tenancy, hash), sk: 'CPF' });

/** `hash` is the keyed hash of the caller's key, which may say anything. */
export const idempotencyKey = (tenancy: Tenancy, claim: Pick<Claim, 'operation'>, hash: string): RowKey => ({
  pk: owned('IDEMPOTENCY', tenancy, `${claim.operation}#${hash}`),
  sk: 'IDEMPOTENCY',
});

export const opportunityKey = (tenancy: Tenancy, opportunity: OpportunityId): RowKey => ({
  pk: owned('OPPORTUNITY', tenancy, opportunity),
  sk: 'OPPORTUNITY',
});
export const opportunityListPartition = (tenancy: Tenancy, lead: LeadId) => owned('OPPORTUNITIES', tenancy, lead);
export const opportunityList = (tenancy: Tenancy, lead: LeadId, opportunity: OpportunityId) => ({
  listPk: opportunityListPartition(tenancy, lead),
  listSk: sortable(opportunity),
});

export const formKey = (tenancy: Tenancy, submission: SubmissionId): RowKey => ({
  pk: owned('FORM', tenancy, submission),
  sk: 'FORM',
});

export const analysisKey = (tenancy: Tenancy, analysis: AnalysisId): RowKey => ({
  pk: owned('ANALYSIS', tenancy, analysis),
  sk: 'ANALYSIS',
});
export const analysisListPartition = (tenancy: Tenancy, lead: LeadId) => owned('ANALYSES', tenancy, lead);
export const analysisList = (tenancy: Tenancy, lead: LeadId, analysis: AnalysisId) => ({
  listPk: analysisListPartition(tenancy, lead),
  listSk: sortable(analysis),
});
export const pendingPartition = (slot: number) => `PENDING#${slot}`;
/** The first sort key of a creation time: rows of that millisecond come after it. */
export const pendingFrom = (createdAt: number) =>
  sortable(Math.max(0, Math.ceil(Math.min(createdAt, Number.MAX_SAFE_INTEGER))));
export const pendingDue = (slot: number, createdAt: number, analysis: AnalysisId) => ({
  duePk: pendingPartition(slot),
  dueSk: `${sortable(createdAt)}#${analysis}`,
});

export const consentPartition = (tenancy: Tenancy, lead: LeadId) => owned('CONSENT', tenancy, lead);
export const consentKey = (tenancy: Tenancy, lead: LeadId, consent: number): RowKey => ({
  pk: consentPartition(tenancy, lead),
  sk: sortable(consent),
});

export const deliveryKey = (event: EventId): RowKey => ({ pk: `DELIVERY#${event}`, sk: 'DELIVERY' });
export const deliveryListPartition = (partner: PartnerId) => `DELIVERIES#${partner}`;
export const deliveryList = (partner: PartnerId, createdAt: number, event: EventId) => ({
  listPk: deliveryListPartition(partner),
  listSk: `${sortable(createdAt)}#${event}`,
});
export const duePartition = (keeper: Keeper) => `DUE#${keeper}`;
export const dueFrom = (lookAt: number) => sortable(Math.max(0, lookAt));
/** `lookAt`: when the sweeper has to look at the delivery. */
export const deliveryDue = (keeper: Keeper, lookAt: number, event: EventId) => ({
  duePk: duePartition(keeper),
  dueSk: `${sortable(lookAt)}#${event}`,
});
export const suspendedPartition = (partner: PartnerId) => `SUSPENDED#${partner}`;
export const deliverySuspended = (partner: PartnerId, createdAt: number, event: EventId) => ({
  duePk: suspendedPartition(partner),
  dueSk: `${sortable(createdAt)}#${event}`,
});

export const auditPartition = (partner: PartnerId | 'service') => `AUDIT#${partner}`;
export const auditKey = (partner: PartnerId | 'service', at: number, id: number): RowKey => ({
  pk: auditPartition(partner),
  sk: `${sortable(at)}#${id}`,
});

export const cursorKey = (job: string): RowKey => ({ pk: `CURSOR#${job}`, sk: 'CURSOR' });
