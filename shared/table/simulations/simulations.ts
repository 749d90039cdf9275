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
import type { Answer, Claim, IdempotentResult, Unopened } from '#shared/domain/values/idempotency.ts';
import { idOf, type LeadId, type OpportunityId } from '#shared/domain/values/ids.ts';
import type { Centavos } from '#shared/domain/values/money.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { getRow, type Item, queryPartition, transactNamed } from '../rows/client.ts';
import { decrypt, encrypt, primeEncryption } from '../rows/encryption.ts';
import { type KeyRecord, recordOf, takeKey, takenBy } from '../rows/idempotency.ts';
import {
  LEAD_OPPORTUNITIES,
  leadKey,
  leadOpportunityKey,
  numberIn,
  opportunityKey,
  type RowKey,
} from '../rows/keys.ts';
import { countLeadUse, type LeadAndRecord, readLeadAndRecord } from '../rows/living-lead.ts';
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
/** A kind of notice that is missing here does not compile. */
const NOTICES = {
  ageAssumed: notice('ageAssumed', { years: z.number() }),
  segmentWithoutRate: notice('segmentWithoutRate', { asked: z.enum(SEGMENTS) }),
  expensesNotFinanced: notice('expensesNotFinanced', {}),
  equalSharesAssumed: notice('equalSharesAssumed', {}),
  housingProgramme: notice('housingProgramme', { income: money, property: money }),
  fgtsUnattested: notice('fgtsUnattested', { conditions: z.array(z.enum(FGTS_CONDITIONS)) }),
  tableOld: notice('tableOld', { days: z.number(), seen: z.optional(day) }),
  rateEnding: notice('rateEnding', { from: day }),
  scenarioOld: notice('scenarioOld', {
    indexer: z.enum(['TR', 'IPCA', 'POUPANCA']),
    date: z.string(),
    days: z.number(),
  }),
  stateUnknown: notice('stateUnknown', { states: z.array(z.string()) }),
  incomeBelowSegment: notice('incomeBelowSegment', { segment: z.enum(SEGMENTS), least: money }),
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
  rateValue: z.string(),
  rateDate: z.string(),
  rateSource: z.string(),
  rateUntil: z.optional(day),
  conditionsDate: z.optional(z.string()),
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

export const openOpportunity = z.object({
  id: numberOf<OpportunityId>(),
  leadId: numberOf<LeadId>(),
  createdAt: z.number(),
} satisfies FieldsOf<Omit<Opportunity, 'customer' | 'offers' | 'refusals'>>);
const refusal = z.object({
  bank: z.enum(BANKS),
  system: z.enum(AMORTIZATION_SYSTEMS),
  reasons: z.array(z.string()),
} satisfies FieldsOf<ToldRefusal>);
export const sealedOpportunity = z.object({
  customer,
  offers: z.array(offer),
  refusals: z.optional(z.array(refusal)),
} satisfies FieldsOf<Pick<Opportunity, 'customer' | 'offers' | 'refusals'>>);

/** Two ids of one millisecond are equal 1 time in 64. */
const DRAWS = 4;

export class TableSimulations implements Simulations, Primable {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  prime(): Promise<void> {
    return primeEncryption();
  }

  async prepare(tenancy: Tenancy, leadId: LeadId, claim?: Claim): Promise<LeadAndRecord> {
    return readLeadAndRecord(tenancy, leadId, claim && (await recordOf(claim)), this.#clock());
  }

  async save(
    tenancy: Tenancy,
    make: (now: Instant) => { opportunity: Opportunity; answer: Answer },
    key?: KeyRecord,
  ): Promise<IdempotentResult<Answer> | 'lead_gone'> {
    for (let draw = 0; draw < DRAWS; draw++) {
      const now = this.#clock();
      const { opportunity, answer } = make(now);
      const { id, leadId, createdAt, ...rest } = opportunity;
      const place = opportunityKey(tenancy, id);
      const row = { ...place, id, leadId, createdAt, sealed: await encrypt(place, rest) };
      const outcome = await transactNamed({
        lead: countLeadUse(tenancy, leadId),
        opportunity: { Put: { Item: row, ConditionExpression: 'attribute_not_exists(pk)' } },
        listed: { Put: { Item: { ...leadOpportunityKey(tenancy, leadId, id), offers: rest.offers.length } } },
        key: key && (await takeKey(key, leadId, { answer }, now)),
      });
      if (outcome === 'written') return { done: answer };
      if (outcome.lead) return 'lead_gone';
      const earlier = key && (await takenBy(key, outcome.key));
      if (earlier) return { earlier };
    }
    throw new Failure('servico_indisponivel');
  }

  async find(tenancy: Tenancy, id: OpportunityId): Promise<Unopened<Opportunity> | undefined> {
    const key = opportunityKey(tenancy, id);
    const item = await getRow(key);
    return item && { open: () => readOpportunity(key, item) };
  }

  async get(tenancy: Tenancy, id: OpportunityId): Promise<Opportunity | undefined> {
    return (await this.find(tenancy, id))?.open();
  }
}

async function readOpportunity(key: RowKey, item: Item): Promise<Opportunity> {
  const sealed = await decrypt(key, item['sealed'], sealedOpportunity);
  return { ...openOpportunity.parse(item), ...sealed };
}

/** Oldest first, read consistently. */
export async function opportunityIdsOf(tenancy: Tenancy, leadId: LeadId): Promise<OpportunityId[]> {
  const rows = await queryPartition(leadKey(tenancy, leadId).pk, LEAD_OPPORTUNITIES);
  return rows.map(({ sk }) => idOf<OpportunityId>(numberIn(sk)));
}
