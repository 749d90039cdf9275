import * as z from 'zod/mini';
import type { Simulations } from '#shared/domain/simulations/ports.ts';
import {
  AMORTIZATION_SYSTEMS,
  FGTS_CONDITIONS,
  INDEXERS,
  type IncomeStanding,
  type Instalment,
  type InsuredBorrower,
  type Notice,
  type Offer,
  type Opportunity,
  PRODUCTS,
  type Projection,
  PURPOSES,
  RATE_KINDS,
  SEGMENTS,
  type ToldRefusal,
} from '#shared/domain/simulations/simulation.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { Clock, Day } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Unopened } from '#shared/domain/values/idempotency.ts';
import type { LeadId, OpportunityId } from '#shared/domain/values/ids.ts';
import type { Centavos } from '#shared/domain/values/money.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { leadAndRecord, useLead } from '../leads/leads.ts';
import { getRow, type Item, queryPartition, transact } from '../rows/client.ts';
import { decrypt, encrypt, primeEncryption } from '../rows/encryption.ts';
import { earlierRecord, recordNotElsewhere, recordOf, recordOnce } from '../rows/idempotency.ts';
import { LEAD_OPPORTUNITIES, leadKey, leadOpportunityKey, opportunityKey, type RowKey } from '../rows/keys.ts';
import { type FieldsOf, numberOf, textOf } from '../rows/row-format.ts';

const money = numberOf<Centavos>();
const day = textOf<Day>();

const instalment = z.object({
  number: z.number(),
  dueDate: day,
  amortization: money,
  interest: money,
  mip: money,
  dfi: money,
  fee: money,
  total: money,
  balance: money,
} satisfies FieldsOf<Instalment>);

const projection = z.object({
  scenario: z.string(),
  indexPercent: z.number(),
  date: z.string(),
  source: z.string(),
  annualCost: z.number(),
  lastTotal: money,
  total: money,
} satisfies FieldsOf<Projection>);

type NoticeOf<Kind extends Notice['kind']> = Extract<Notice, { kind: Kind }>;
const notice = <Kind extends Notice['kind']>(kind: Kind, fields: FieldsOf<Omit<NoticeOf<Kind>, 'kind'>>) =>
  z.object({ kind: z.literal(kind), ...fields });
/** A kind that is not here does not compile. */
const NOTICES = {
  ageAssumed: notice('ageAssumed', { years: z.number() }),
  segmentWithoutRate: notice('segmentWithoutRate', { asked: z.enum(SEGMENTS) }),
  expensesNotFinanced: notice('expensesNotFinanced', {}),
  equalSharesAssumed: notice('equalSharesAssumed', {}),
  housingProgramme: notice('housingProgramme', { income: money, property: money }),
  fgtsUnattested: notice('fgtsUnattested', { conditions: z.array(z.enum(FGTS_CONDITIONS)) }),
  tableOld: notice('tableOld', { days: z.number() }),
} satisfies { readonly [Kind in Notice['kind']]: z.ZodMiniType<NoticeOf<Kind>> };

const offer = z.object({
  bank: z.enum(BANKS),
  tableVersion: z.string(),
  product: z.enum(PRODUCTS),
  indexer: z.enum(INDEXERS),
  system: z.enum(AMORTIZATION_SYSTEMS),
  term: z.number(),
  contractDay: day,
  birthDate: z.optional(day),
  propertyValue: money,
  principal: money,
  expenses: money,
  annualRate: z.number(),
  monthlyRate: z.number(),
  effectiveAnnualCost: z.number(),
  first: instalment,
  lastTotal: money,
  total: money,
  requiredIncome: money,
  appraisalFee: money,
  dfiRate: z.number(),
  monthlyFee: money,
  segment: z.enum(SEGMENTS),
  rateKind: z.enum(RATE_KINDS),
  rateDate: z.string(),
  rateSource: z.string(),
  purpose: z.enum(PURPOSES),
  secondBorrower: z.optional(z.object({ birthDate: day, share: z.string() } satisfies FieldsOf<InsuredBorrower>)),
  iof: money,
  fgts: money,
  downPayment: money,
  cashExpenses: money,
  cashNeeded: money,
  projection,
  income: z.optional(
    z.object({ sufficient: z.boolean(), highest: z.optional(money) } satisfies FieldsOf<IncomeStanding>),
  ),
  notices: z.array(z.union(Object.values(NOTICES))),
} satisfies FieldsOf<Offer>);

const customer = z.object({
  name: z.string(),
  cpf: textOf<Cpf>(),
  birthDate: z.optional(day),
} satisfies FieldsOf<Opportunity['customer']>);

/** What lies open in the row of an opportunity, and what is sealed in it. */
const openOpportunity = z.object({
  id: numberOf<OpportunityId>(),
  leadId: numberOf<LeadId>(),
  createdAt: z.number(),
} satisfies FieldsOf<Omit<Opportunity, 'customer' | 'offers' | 'refusals'>>);
const refusal = z.object({
  bank: z.enum(BANKS),
  system: z.enum(AMORTIZATION_SYSTEMS),
  reasons: z.array(z.string()),
} satisfies FieldsOf<ToldRefusal>);
const sealedOpportunity = z.object({
  customer,
  offers: z.array(offer),
  refusals: z.optional(z.array(refusal)),
} satisfies FieldsOf<Pick<Opportunity, 'customer' | 'offers' | 'refusals'>>);

/** Draws of an id before giving up: two of one millisecond collide 1 time in 512. */
const DRAWS = 4;

export function tableSimulations(clock: Clock): Simulations & Primable {
  return {
    prime: primeEncryption,
    prepare: (tenancy, leadId, claim) => leadAndRecord(tenancy, leadId, claim, clock()),

    async save(tenancy, make, claim) {
      const record = claim && (await recordOf(claim));
      for (let draw = 0; draw < DRAWS; draw++) {
        const now = clock();
        const { opportunity, answer } = make(now);
        const { id, leadId, createdAt, ...rest } = opportunity;
        const key = opportunityKey(tenancy, id);
        const row = { ...key, id, leadId, createdAt, sealed: await encrypt(key, rest) };
        const outcome = await transact([
          useLead(tenancy, leadId),
          { Put: { Item: row, ConditionExpression: 'attribute_not_exists(pk)' } },
          { Put: { Item: { ...leadOpportunityKey(tenancy, leadId, id), offers: rest.offers.length } } },
          ...(record ? [await recordOnce(record, leadId, { answer }, now), ...recordNotElsewhere(record, now)] : []),
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
  return { ...openOpportunity.parse(item), ...(await decrypt(key, item['sealed'], sealedOpportunity)) };
}

/** The opportunities of a lead, oldest first, read consistently. */
export async function opportunityIdsOf(tenancy: Tenancy, leadId: LeadId): Promise<OpportunityId[]> {
  const rows = await queryPartition(leadKey(tenancy, leadId).pk, LEAD_OPPORTUNITIES);
  return rows.map(({ sk }) => Number(String(sk).slice(LEAD_OPPORTUNITIES.length)) as OpportunityId);
}
