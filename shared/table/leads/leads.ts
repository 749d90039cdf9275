import * as z from 'zod/mini';
import {
  type Lead,
  type LeadDraft,
  type LeadTrace,
  leadDraft,
  missingFrom,
  type RetentionNotice,
} from '#shared/domain/leads/lead.ts';
import type { Leads } from '#shared/domain/leads/ports.ts';
import { FIRST_LOOK_AFTER } from '#shared/domain/leads/retention.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Answer, Claim, Unopened } from '#shared/domain/values/idempotency.ts';
import { drawId, type LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { logError, SafeError } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import {
  beforeRetry,
  getRow,
  getRows,
  type Item,
  type TransactItem,
  transact,
  updateRow,
  winRow,
} from '../rows/client.ts';
import { decrypt, encrypt, primeEncryption, type SealedRow } from '../rows/encryption.ts';
import {
  type ClaimRecord,
  earlierRecord,
  findRecord,
  type KeptRecord,
  recordKeys,
  recordNotElsewhere,
  recordOf,
  recordOnce,
  releaseKey,
} from '../rows/idempotency.ts';
import { cpfPlaces } from '../rows/index-keys.ts';
import { leadKey, type RowKey, retentionDue, sandboxLeadKey, sandboxLeadList } from '../rows/keys.ts';
import { type FieldsOf, numberOf } from '../rows/row-format.ts';

/** What of a lead lies open in its row; the draft is sealed. */
export const openLead = z.object({
  id: numberOf<LeadId>(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  reusedAt: z.optional(z.number()),
  replayedAt: z.optional(z.number()),
  uses: z.optional(z.number()),
  notice: z.optional(z.object({ endsAt: z.number(), seen: z.string() } satisfies FieldsOf<RetentionNotice>)),
} satisfies FieldsOf<LeadTrace>);

/** Draws of an id before giving up: two of one millisecond collide 1 time in 4,096. */
const DRAWS = 4;
/** How much longer the pause gets each time that a change was overtaken by another, in milliseconds. */
const CHANGE_PAUSE = 40;

/** A lead from its row. */
export async function readLead(tenancy: Tenancy, item: Item): Promise<Lead> {
  const open = openLead.parse(item);
  return { ...(await decrypt(sealedRow(tenancy, open), item['sealed'], leadDraft)), ...open };
}

const sealedRow = (tenancy: Tenancy, { id, version }: Pick<Lead, 'id' | 'version'>): SealedRow => ({
  ...leadKey(tenancy, id),
  version,
});

const sealLead = (tenancy: Tenancy, lead: Lead) => encrypt(sealedRow(tenancy, lead), leadDraft.parse(lead));

/** The whole row of a new lead. */
async function leadRow(tenancy: Tenancy, lead: Lead): Promise<Item> {
  const { id, createdAt } = lead;
  const sealed = await sealLead(tenancy, lead);
  const places = { ...sandboxLeadList(tenancy, id), ...retentionDue(tenancy, id, createdAt + FIRST_LOOK_AFTER) };
  return { ...leadKey(tenancy, id), ...places, ...openLead.parse(lead), sealed };
}

/** The row of a lead that is there for partners: undefined where there is none, or its person is being erased. */
export const livingLead = (item: Item | undefined): Item | undefined =>
  item?.['erasingSince'] === undefined ? item : undefined;

/** What writes a lead over the version before it, and leaves what is noted beside it; refused from an erasure's mark on. */
async function overwriting(tenancy: Tenancy, lead: Lead) {
  const { version, updatedAt } = lead;
  return {
    Key: leadKey(tenancy, lead.id),
    UpdateExpression: 'SET sealed = :sealed, version = :version, updatedAt = :now',
    ConditionExpression: 'version = :before AND attribute_not_exists(erasingSince)',
    ExpressionAttributeValues: {
      ':sealed': await sealLead(tenancy, lead),
      ':version': version,
      ':now': updatedAt,
      ':before': version - 1,
    },
  };
}

/** The transaction's part that writes a lead over the version before it, under the conditions of `also`. */
export async function overwriteLead(
  tenancy: Tenancy,
  lead: Lead,
  also?: ReturnType<typeof unused>,
): Promise<TransactItem> {
  const { ConditionExpression, ExpressionAttributeValues, ...update } = await overwriting(tenancy, lead);
  return {
    Update: {
      ...update,
      ConditionExpression: [ConditionExpression, ...(also ? [also.ConditionExpression] : [])].join(' AND '),
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ...also?.ExpressionAttributeValues },
    },
  };
}

/** The condition that nothing was hung on a lead since its row was read. */
export function unused(item: Item | undefined) {
  const uses = item?.['uses'];
  return uses === undefined
    ? { ConditionExpression: 'attribute_not_exists(uses)', ExpressionAttributeValues: {} }
    : { ConditionExpression: 'uses = :uses', ExpressionAttributeValues: { ':uses': uses } };
}

/**
 * The transaction's parts that make a lead the one of a CPF, where that has none or the `erased`: its row, and while two
 * index keys are held that the other has none.
 */
export async function cpfParts(
  tenancy: Tenancy,
  cpf: Cpf,
  leadId: LeadId,
  erased: LeadId | undefined,
): Promise<TransactItem[]> {
  const { current, other } = await cpfPlaces(tenancy, cpf);
  const free =
    erased === undefined
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'attribute_not_exists(pk) OR leadId = :erased',
          ExpressionAttributeValues: { ':erased': erased },
        };
  return [
    { Put: { Item: { ...current.key, leadId, indexedBy: current.indexedBy }, ...free } },
    ...(other ? [{ ConditionCheck: { Key: other.key, ...free } }] : []),
  ];
}

/**
 * The transaction's part under which a row may be written that hangs on a lead (an analysis, a simulation): counts it on
 * the lead, so that an erasure that begins meanwhile notices. Fails where there is no such lead, where its person is
 * being erased, or where it is no longer the `version` given.
 */
export function useLead(tenancy: Tenancy, id: LeadId, version?: number): TransactItem {
  return {
    Update: {
      Key: leadKey(tenancy, id),
      UpdateExpression: 'ADD uses :one',
      ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(erasingSince)${version === undefined ? '' : ' AND version = :version'}`,
      ExpressionAttributeValues: { ':one': 1, ...(version !== undefined && { ':version': version }) },
    },
  };
}

/** Notes on a lead when its CPF was sent again, and once that a submission was replayed; gives its row, undefined where there is none. */
async function noteStep(key: RowKey, step: 'reusedAt' | 'replayedAt', now: number): Promise<Item | undefined> {
  const once = step === 'replayedAt' ? ' AND attribute_not_exists(#step)' : '';
  const outcome = await updateRow({
    Key: key,
    UpdateExpression: 'SET #step = :now',
    ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(erasingSince)${once}`,
    ExpressionAttributeNames: { '#step': step },
    ExpressionAttributeValues: { ':now': now },
  });
  if ('written' in outcome) return outcome.written;
  return 'pk' in outcome.refused ? livingLead(outcome.refused) : undefined;
}

/** Notes that a submission of a lead was replayed: one write in the sandbox, the first time, and none in production. */
export async function noteReplay(tenancy: Tenancy, lead: Lead, now: number): Promise<void> {
  if (tenancy.environment !== 'sandbox' || lead.replayedAt !== undefined) return;
  await noteStep(leadKey(tenancy, lead.id), 'replayedAt', now);
}

export function tableLeads(clock: Clock): Leads & Primable {
  return {
    prime: primeEncryption,
    find: findLead,
    get: getLead,

    async createOrReuse(tenancy, draft, answer, claim) {
      // A lead whose person was erased: a CPF's row that leads to it is the new lead's to take.
      let erased: LeadId | undefined;
      let corrected: LeadId | undefined;
      for (let draw = 0; draw < DRAWS; draw++) {
        const record = claim && (await recordOf(claim));
        const created = await create(tenancy, draft, answer, record, clock(), erased);
        if (created === 'id_taken') continue;
        const made =
          'knownAs' in created ? await reuse(tenancy, created.knownAs, draft, answer, record, clock) : created;
        if ('gone' in made) {
          erased = made.gone;
          continue;
        }
        if ('corrected' in made) {
          // A CPF that still leads there was not corrected between the two reads.
          if (corrected === made.corrected) throw cpfMismatch(tenancy, corrected);
          corrected = made.corrected;
          continue;
        }
        if ('done' in made) return made;
        const { leadId: named, sameContent } = made.earlier;
        if (!claim || named === undefined) return made;
        const row = await getRow(leadKey(tenancy, named));
        // With another body the key is only free if a reset of the sandbox has removed the lead.
        if (sameContent ? livingLead(row) : row) return made;
        await releaseKey(claim, named);
      }
      throw new Failure('servico_indisponivel');
    },

    async change(tenancy, id, change) {
      for (let attempt = 1; ; attempt++) {
        const lead = await getLead(tenancy, id);
        if (!lead) return undefined;
        const { write, result } = change(lead);
        if (!write) return result;
        const next = { ...write, version: lead.version + 1, updatedAt: clock() };
        if ('written' in (await winRow(await overwriting(tenancy, next)))) return result;
        await beforeRetry(CHANGE_PAUSE * attempt);
      }
    },
  };
}

/** A lead and what an earlier call with a claim's key left: one round trip. Nothing of either where its person is erased. */
export async function leadAndRecord(tenancy: Tenancy, leadId: LeadId, claim: Claim | undefined, now: number) {
  const record = claim && (await recordOf(claim));
  const [leadItem, ...recordItems] = await getRows([leadKey(tenancy, leadId), ...(record ? recordKeys(record) : [])]);
  const known = livingLead(leadItem);
  // Whatever the key has claimed before: an erased person's lead is an unknown one (shared/contract/README.md#erasure, rule 7).
  if (!known && leadItem) return { lead: undefined, earlier: undefined };
  const lead = known && (await readLead(tenancy, known));
  const earlier = record && (await findRecord(record, recordItems, now));
  const named = earlier?.leadId;
  if (!claim || named === undefined || (named === leadId && leadItem)) return { lead, earlier };
  // A record of another lead, or of this one while it has no row: a reset of the sandbox may have removed the lead.
  if (named !== leadId && (await getRow(leadKey(tenancy, named)))) return { lead, earlier };
  await releaseKey(claim, named);
  return { lead, earlier: undefined };
}

const getLead = async (tenancy: Tenancy, id: LeadId): Promise<Lead | undefined> =>
  (await findLead(tenancy, id))?.open();

async function findLead(tenancy: Tenancy, id: LeadId): Promise<Unopened<Lead> | undefined> {
  const item = livingLead(await getRow(leadKey(tenancy, id)));
  return item && { open: () => readLead(tenancy, item) };
}

type AnswerMaker = (leadId: LeadId, reused: Lead | undefined) => Answer;

type Made = { readonly done: Answer } | { readonly earlier: KeptRecord };

/**
 * Makes a lead with its CPF's row and the claim's answer, in one transaction. `knownAs` where the CPF has a lead other
 * than the `erased`.
 */
async function create(
  tenancy: Tenancy,
  draft: LeadDraft,
  answer: AnswerMaker,
  record: ClaimRecord | undefined,
  now: number,
  erased: LeadId | undefined,
): Promise<Made | { readonly knownAs: LeadId } | 'id_taken'> {
  const id = drawId<LeadId>(now);
  const lead: Lead = { ...draft, id, version: 1, createdAt: now, updatedAt: now };
  const created = answer(id, undefined);
  const ways = await cpfParts(tenancy, draft.cpf, id, erased);
  const rows: TransactItem[] = [
    ...ways,
    { Put: { Item: await leadRow(tenancy, lead), ConditionExpression: 'attribute_not_exists(pk)' } },
  ];
  if (tenancy.environment === 'sandbox') rows.push({ Put: { Item: sandboxLeadKey(tenancy, id) } });
  const recordParts = record
    ? [await recordOnce(record, id, { answer: created }, now), ...recordNotElsewhere(record, now)]
    : [];
  const outcome = await transact([...rows, ...recordParts]);
  if (outcome === 'written') return { done: created };
  const earlier = record && (await earlierRecord(record, outcome[rows.length], outcome, now));
  if (earlier) return { earlier };
  const known = outcome.slice(0, ways.length).find((part) => part.failed);
  return known ? { knownAs: Number(known.item?.['leadId']) as LeadId } : 'id_taken';
}

/**
 * Fills a known lead with what it lacks and keeps the claim's answer, in one transaction; again where another write of
 * the lead came between. `gone` where the lead is no more, `corrected` where it has another CPF.
 */
async function reuse(
  tenancy: Tenancy,
  id: LeadId,
  draft: LeadDraft,
  answer: AnswerMaker,
  record: ClaimRecord | undefined,
  clock: Clock,
): Promise<Made | { readonly gone: LeadId } | { readonly corrected: LeadId }> {
  for (let attempt = 1; ; attempt++) {
    const lead = await readReused(tenancy, id, clock());
    if (!lead) return { gone: id };
    if (lead.cpf !== draft.cpf) return { corrected: id };
    const reused = answer(id, lead);
    const missing = missingFrom(lead, draft, tenancy.environment);
    const filled = { ...lead, ...missing, version: lead.version + 1, updatedAt: clock() };
    const fills = Object.keys(missing).length > 0 ? [await overwriteLead(tenancy, filled)] : [];
    const now = clock();
    const parts = record
      ? [await recordOnce(record, id, { answer: reused }, now), ...fills, ...recordNotElsewhere(record, now)]
      : fills;
    const outcome = parts.length === 0 ? 'written' : await transact(parts);
    if (outcome === 'written') return { done: reused };
    const earlier = record && (await earlierRecord(record, outcome[0], outcome, now));
    if (earlier) return { earlier };
    await beforeRetry(CHANGE_PAUSE * attempt);
  }
}

/** A CPF's row leads to another person's lead, whom nothing of this one's call may reach: logged, counted, alarmed. */
function cpfMismatch({ unitId }: Tenancy, lead: LeadId): SafeError {
  const error = new SafeError('the row of a CPF leads to the lead of another person');
  emit({}, { CpfMismatches: 1 });
  logError('cpf_mismatch', error, { unit: unitId, lead });
  return error;
}

/** A lead that was found by its CPF. The reading notes the reuse, which puts the end of its data off: no round trip more. */
async function readReused(tenancy: Tenancy, id: LeadId, now: number): Promise<Lead | undefined> {
  const item = await noteStep(leadKey(tenancy, id), 'reusedAt', now);
  return item && readLead(tenancy, item);
}
