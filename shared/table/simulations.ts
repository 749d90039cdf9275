import * as z from 'zod';
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
import { readRecord, recordOf, recordOnce } from './idempotency.ts';
import { leadKey, opportunityKey, opportunityList, type RowKey } from './keys.ts';
import { readLead } from './leads.ts';

type SealedOpportunity = Pick<Opportunity, 'customer' | 'offers'>;

// What an offer holds is the pricing's own; its figures are made there and only kept here.
const sealedOpportunity = z.object({
  customer: z.object({ name: z.string(), cpf: z.string(), birthDate: z.string().optional() }),
  offers: z.array(z.looseObject({ bank: z.string(), tableVersion: z.string() })),
}) as unknown as z.ZodType<SealedOpportunity>;

const plainOpportunity = z.object({ id: z.number(), leadId: z.number(), createdAt: z.number() });

/** Draws of an id before giving up: two of one millisecond collide 1 time in 512. */
const DRAWS = 4;

export function tableSimulations(clock: Clock): Simulations & Primable {
  return {
    prime: primeEncryption,
    async prepare(tenancy, leadId, claim) {
      const record = claim && (await recordOf(claim));
      const [leadItem, recordItem] = await getRows([leadKey(tenancy, leadId), ...(record ? [record.key] : [])]);
      return {
        lead: leadItem && (await readLead(tenancy, leadItem)),
        earlier: record && (await readRecord(record, recordItem, clock())),
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
          ...opportunityList(tenancy, leadId, id),
          id,
          leadId,
          createdAt,
          sealed: await encrypt(key, rest),
        };
        const outcome = await transact([
          { Put: { Item: row, ConditionExpression: 'attribute_not_exists(pk)' } },
          ...(record ? [await recordOnce(record, { answer }, now)] : []),
        ]);
        if (outcome === 'written') return { done: answer };
        const earlier = record && (await readRecord(record, outcome[1]?.item, now));
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
