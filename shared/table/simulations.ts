import * as z from 'zod/mini';
import type { Simulations } from '../domain/simulations/ports.ts';
import type { Opportunity } from '../domain/simulations/simulation.ts';
import type { Clock } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import type { LeadId, OpportunityId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import type { Unopened } from '../domain/values/unopened.ts';
import type { Primable } from '../runtime/priming.ts';
import { getRow, getRows, type Item, transact } from './client.ts';
import { decrypt, encrypt, primeEncryption } from './encryption.ts';
import { earlierRecord, findRecord, recordKeys, recordNotElsewhere, recordOf, recordOnce } from './idempotency.ts';
import { leadKey, leadOpportunityKey, opportunityKey, type RowKey } from './keys.ts';
import { livingLead, readLead, useLead } from './leads.ts';

type SealedOpportunity = Pick<Opportunity, 'customer' | 'offers'>;

// What an offer holds is the pricing's own; its figures are made there and only kept here.
const sealedOpportunity = z.object({
  customer: z.object({ name: z.string(), cpf: z.string(), birthDate: z.optional(z.string()) }),
  offers: z.array(z.looseObject({ bank: z.string(), tableVersion: z.string() })),
}) as unknown as z.ZodMiniType<SealedOpportunity>;

const plainOpportunity = z.object({ id: z.number(), leadId: z.number(), createdAt: z.number() });

/** Draws of an id before giving up: two of one millisecond collide 1 time in 512. */
const DRAWS = 4;

export function tableSimulations(clock: Clock): Simulations & Primable {
  return {
    prime: primeEncryption,
    async prepare(tenancy, leadId, claim) {
      const record = claim && (await recordOf(claim));
      const [leadItem, ...recordItems] = await getRows([
        leadKey(tenancy, leadId),
        ...(record ? recordKeys(record) : []),
      ]);
      const known = livingLead(leadItem);
      // Answers kept from before hold what an erasure ends.
      if (!known && leadItem) return { lead: undefined, earlier: undefined };
      return {
        lead: known && (await readLead(tenancy, known)),
        earlier: record && (await findRecord(record, recordItems, clock())),
      };
    },

    async save(tenancy, make, claim) {
      const record = claim && (await recordOf(claim));
      for (let draw = 0; draw < DRAWS; draw++) {
        const now = clock();
        const { opportunity, answer } = make(now);
        const { id, leadId, createdAt, ...rest } = opportunity;
        const key = opportunityKey(tenancy, id);
        const row = {
          ...key,
          id,
          leadId,
          createdAt,
          sealed: await encrypt(key, rest),
        };
        const outcome = await transact([
          useLead(tenancy, leadId),
          { Put: { Item: row, ConditionExpression: 'attribute_not_exists(pk)' } },
          { Put: { Item: { ...leadOpportunityKey(tenancy, leadId, id), offers: rest.offers.length } } },
          ...(record ? [await recordOnce(record, { answer }, now), ...recordNotElsewhere(record, now)] : []),
        ]);
        if (outcome === 'written') return { done: answer };
        if (outcome[0]?.failed) return 'lead_gone';
        const earlier = record && (await earlierRecord(record, outcome[3], outcome, now));
        if (earlier) return { earlier };
      }
      throw new Failure('servico_indisponivel');
    },

    find: findOpportunity,

    async get(tenancy, id) {
      return (await findOpportunity(tenancy, id))?.open();
    },
  };
}

async function findOpportunity(tenancy: Tenancy, id: OpportunityId): Promise<Unopened<Opportunity> | undefined> {
  const key = opportunityKey(tenancy, id);
  const item = await getRow(key);
  return item && { open: () => readOpportunity(key, item) };
}

async function readOpportunity(key: RowKey, item: Item): Promise<Opportunity> {
  const plain = plainOpportunity.parse(item);
  return {
    id: plain.id as OpportunityId,
    leadId: plain.leadId as LeadId,
    createdAt: plain.createdAt,
    ...(await decrypt(key, item['sealed'], sealedOpportunity)),
  };
}
