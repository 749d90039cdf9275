import * as z from 'zod';
import { type Lead, type LeadDraft, MARITAL_STATUSES, missingFrom } from '../domain/leads/lead.ts';
import type { Leads } from '../domain/leads/ports.ts';
import type { Clock } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import { drawId, type LeadId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import { getRow, type Item, jitteredPause, putRow, type TransactItem, transact, updateRow } from './client.ts';
import { decrypt, encrypt, indexHash } from './encryption.ts';
import { claimKey, readRecord, recordOnce } from './idempotency.ts';
import { cpfKey, leadKey, type RowKey, sandboxLeadList } from './keys.ts';

const sealedLead = z.object({
  name: z.string(),
  cpf: z.string(),
  phone: z.string().optional(),
  email: z.string().optional(),
  birthDate: z.string().optional(),
  income: z.number().optional(),
  maritalStatus: z.enum(MARITAL_STATUSES).optional(),
  origin: z.string().optional(),
  note: z.string().optional(),
}) as unknown as z.ZodType<LeadDraft>;

const plainLead = z.object({
  id: z.number(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  reusedAt: z.number().optional(),
  replayedAt: z.number().optional(),
});

/** Draws of an id before giving up: two of one millisecond collide 1 time in 4,096. */
const DRAWS = 4;
/** How often a change that another overtook is made again, and the longest pause before it, in milliseconds. */
const CHANGE_TRIES = 12;
const CHANGE_PAUSE = 40;

/** A lead from its row. */
export async function readLead(tenancy: Tenancy, item: Item): Promise<Lead> {
  const plain = plainLead.parse(item);
  const key = leadKey(tenancy, plain.id as LeadId);
  return { ...(await decrypt(key, item['sealed'], sealedLead)), ...plain, id: plain.id as LeadId };
}

/** The whole row of a lead. */
export async function leadRow(tenancy: Tenancy, lead: Lead): Promise<Item> {
  const { id, version, createdAt, updatedAt, reusedAt, replayedAt, ...personal } = lead;
  const key = leadKey(tenancy, id);
  const plain = { id, version, createdAt, updatedAt, reusedAt, replayedAt };
  return { ...key, ...sandboxLeadList(tenancy, id), ...plain, sealed: await encrypt(key, personal) };
}

/** The transaction's part that writes a lead over the version before it. */
export async function overwriteLead(tenancy: Tenancy, lead: Lead): Promise<TransactItem> {
  return {
    Put: {
      Item: await leadRow(tenancy, lead),
      ConditionExpression: 'version = :before',
      ExpressionAttributeValues: { ':before': lead.version - 1 },
    },
  };
}

/** Where the lead with a CPF is found. */
export async function cpfRowKey(tenancy: Tenancy, cpf: string) {
  return cpfKey(tenancy, await indexHash('cpf', tenancy, cpf));
}

/**
 * Notes on a sandbox lead, once, that a step of the flow was tried with it; gives its row, undefined where there is none.
 * A change that is being made meanwhile goes first: the step is noted the next time, and the row is only read.
 */
async function noteStep(key: RowKey, step: 'reusedAt' | 'replayedAt', now: number): Promise<Item | undefined> {
  try {
    const outcome = await updateRow({
      Key: key,
      UpdateExpression: 'SET #step = if_not_exists(#step, :now)',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#step': step },
      ExpressionAttributeValues: { ':now': now },
    });
    return 'written' in outcome ? outcome.written : undefined;
  } catch (error) {
    if ((error as Error).name !== 'TransactionConflictException') throw error;
    return getRow(key);
  }
}

/** Notes that a submission of a lead was replayed: one write in the sandbox, the first time, and none in production. */
export async function noteReplay(tenancy: Tenancy, lead: Lead, now: number): Promise<void> {
  if (tenancy.environment !== 'sandbox' || lead.replayedAt !== undefined) return;
  await noteStep(leadKey(tenancy, lead.id), 'replayedAt', now);
}

export function tableLeads(clock: Clock): Leads {
  async function get(tenancy: Tenancy, id: LeadId): Promise<Lead | undefined> {
    const item = await getRow(leadKey(tenancy, id));
    return item && readLead(tenancy, item);
  }

  /** A lead that was found by its CPF. In the sandbox the reading notes the reuse: it costs no round trip more. */
  async function reused(tenancy: Tenancy, id: LeadId): Promise<Lead | undefined> {
    const key = leadKey(tenancy, id);
    const item = tenancy.environment === 'sandbox' ? await noteStep(key, 'reusedAt', clock()) : await getRow(key);
    return item && readLead(tenancy, item);
  }

  async function refill(
    tenancy: Tenancy,
    id: LeadId,
    draft: LeadDraft,
    parts: (leadId: LeadId) => Promise<TransactItem[]>,
  ) {
    for (let attempt = 1; ; attempt++) {
      const lead = await reused(tenancy, id);
      if (!lead) return 'gone';
      const missing = missingFrom(lead, draft);
      const fills = Object.keys(missing).length > 0;
      const items = [
        ...(await parts(id)),
        ...(fills
          ? [await overwriteLead(tenancy, { ...lead, ...missing, version: lead.version + 1, updatedAt: clock() })]
          : []),
      ];
      const outcome = items.length === 0 ? 'written' : await transact(items);
      if (outcome === 'written') return 'written';
      const overtaken = fills && outcome.at(-1)!.failed && !outcome.slice(0, -1).some(({ failed }) => failed);
      if (!overtaken) return outcome;
      if (attempt === CHANGE_TRIES) throw new Failure('servico_indisponivel');
      await jitteredPause(CHANGE_PAUSE * attempt);
    }
  }

  return {
    get,

    async createOrReuse(tenancy, draft, answer, claim) {
      const index = await cpfRowKey(tenancy, draft.cpf);
      const record = claim && (await claimKey(tenancy, claim));
      for (let draw = 0; draw < DRAWS; draw++) {
        const now = clock();
        const id = drawId<LeadId>(now);
        const lead: Lead = { ...draft, id, version: 1, createdAt: now, updatedAt: now };
        const created = answer(id, false);
        const outcome = await transact([
          ...(claim && record ? [await recordOnce(tenancy, claim, record, { answer: created }, now)] : []),
          { Put: { Item: { ...index, leadId: id }, ConditionExpression: 'attribute_not_exists(pk)' } },
          { Put: { Item: await leadRow(tenancy, lead), ConditionExpression: 'attribute_not_exists(pk)' } },
        ]);
        if (outcome === 'written') return { done: created };
        const earlier =
          record && claim && outcome[0]!.failed
            ? await readRecord(tenancy, claim, record, outcome[0]!.item, now)
            : undefined;
        if (earlier) return { earlier };
        const known = outcome.at(-2)!;
        if (!known.failed) continue;

        const leadId = Number(known.item?.['leadId']) as LeadId;
        const reused = answer(leadId, true);
        const filled = await refill(tenancy, leadId, draft, async () =>
          claim && record ? [await recordOnce(tenancy, claim, record, { answer: reused }, now)] : [],
        );
        if (filled === 'written') return { done: reused };
        if (filled === 'gone') continue;
        const first = record && claim && (await readRecord(tenancy, claim, record, filled[0]!.item, now));
        if (first) return { earlier: first };
      }
      throw new Failure('servico_indisponivel');
    },

    async change(tenancy, id, change) {
      for (let attempt = 1; attempt <= CHANGE_TRIES; attempt++) {
        const lead = await get(tenancy, id);
        if (!lead) return undefined;
        const { write, result } = change(lead);
        if (!write) return result;
        const next = { ...write, version: lead.version + 1, updatedAt: clock() };
        const outcome = await putRow({
          Item: await leadRow(tenancy, next),
          ConditionExpression: 'version = :before',
          ExpressionAttributeValues: { ':before': lead.version },
        });
        if (outcome === 'written') return result;
        await jitteredPause(CHANGE_PAUSE * attempt);
      }
      throw new Failure('servico_indisponivel');
    },
  };
}
