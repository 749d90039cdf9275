import { expect, it } from 'vitest';
import type { Lead } from '#shared/domain/leads/lead.ts';
import { TABLES, type Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import {
  type SimulateDeps,
  type Simulated,
  type SimulationWish,
  simulate,
} from '#shared/domain/simulations/simulate.ts';
import type { Opportunity } from '#shared/domain/simulations/simulation.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Claim, IdempotencyRecord } from '#shared/domain/values/idempotency.ts';
import { idTime, type LeadId, type UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { makeLeadDraft } from '#test/makers/lead.ts';
import { reais } from '#test/makers/quote-request.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const LEAD: Lead = { ...makeLeadDraft(), id: 7 as LeadId, version: 1, createdAt: NOW, updatedAt: NOW };
const SANDBOX: Tenancy = { unitId: 11 as UnitId, environment: 'sandbox' };
const PRODUCTION: Tenancy = { unitId: 11 as UnitId, environment: 'producao' };
const WISH: SimulationWish = {
  leadId: LEAD.id,
  banks: ['itau', 'bradesco'],
  systems: ['SAC'],
  wishes: { propertyValue: reais('500000.00'), term: 240, financeExpenses: false },
};
const GONE = new Failure('lead_nao_encontrado');
const WITHOUT_START = new Failure('campo_obrigatorio');

interface Scene {
  readonly tenancy?: Tenancy;
  readonly wish?: SimulationWish;
  readonly lead?: Lead | undefined;
  readonly earlier?: IdempotencyRecord;
  readonly leadIsGone?: boolean;
  readonly claim?: Claim;
  readonly clock?: () => number;
  readonly rateDays?: number;
  readonly tables?: () => Promise<Tables>;
}

/** Calls `simulate`, and records what it stored and which callbacks it called. */
async function run(scene: Scene = {}) {
  const { tenancy = SANDBOX, wish = WISH, earlier, leadIsGone = false, claim } = scene;
  const kept: Opportunity[] = [];
  const answered: Simulated[] = [];
  const claims: unknown[] = [];
  const told: string[] = [];
  const deps: SimulateDeps = {
    simulations: {
      prepare: async (_, leadId, prepared) => {
        claims.push(prepared);
        const lead = 'lead' in scene ? scene.lead : LEAD;
        return { lead: lead?.id === leadId ? lead : undefined, earlier, key: prepared && { claim: prepared } };
      },
      save: async (_, make, saved) => {
        claims.push(saved);
        if (leadIsGone) return 'lead_gone';
        const { opportunity, answer } = make(NOW);
        kept.push(opportunity);
        return { done: answer };
      },
    },
    tables: scene.tables ?? (async () => TABLES),
    clock: scene.clock ?? (() => NOW),
    rateDays: scene.rateDays ?? 365,
    answerFor: (simulated) => {
      answered.push(simulated);
      return { status: 200, body: String(simulated.id) };
    },
    refusalsFor: (quotes) => (quotes.some((one) => 'refusal' in one) ? [] : undefined),
    leadGone: () => GONE,
    withoutStart: () => WITHOUT_START,
    kept: (offers) => void told.push(`kept ${offers.map(({ bank }) => bank).join(' ')}`),
  };
  const result = await simulate(tenancy, wish, claim, deps);
  return { result, kept, answered, claims, told };
}

it('simulate stores the offers of every bank with the lead as customer, and returns their answer', async () => {
  const { result, kept, answered, told } = await run();
  const [opportunity] = kept;
  expect(result).toEqual({ done: { status: 200, body: String(opportunity?.id) } });
  expect(opportunity).toMatchObject({ leadId: LEAD.id, createdAt: NOW, refusals: undefined });
  expect(opportunity?.customer).toEqual({ name: LEAD.name, cpf: LEAD.cpf, birthDate: LEAD.birthDate });
  expect(opportunity?.offers.map(({ bank }) => bank)).toEqual(['itau', 'bradesco']);
  expect(idTime(Number(opportunity?.id))).toBe(NOW);
  expect(answered[0]?.quotes).toHaveLength(2);
  expect(told).toEqual(['kept itau bradesco']);
});

it('simulate uses the income of the call, and the income of the lead only if the call has none', async () => {
  const incomes = async (income?: string) => {
    const wishes = { ...WISH.wishes, income: income === undefined ? undefined : reais(income) };
    const { kept } = await run({ wish: { ...WISH, wishes } });
    return kept[0]?.offers.map((offer) => offer.income);
  };
  const [ofLead] = (await incomes()) ?? [];
  const [ofCall] = (await incomes('25000.00')) ?? [];
  expect(ofLead).not.toEqual(ofCall);
  expect(await incomes('18000.00')).toEqual(await incomes());
});

const CLAIM: Claim = { tenancy: SANDBOX, operation: 'create-simulation', key: 'k', content: '{}', expiresAt: NOW + 1 };

it('simulate passes the claim of its call to the read, and the key that was read to the write', async () => {
  expect((await run({ claim: CLAIM })).claims).toEqual([CLAIM, { claim: CLAIM }]);
});

it('simulate returns the record of an earlier call with the same key, and prices nothing', async () => {
  const earlier = { sameContent: true, answer: undefined, lockedUntil: NOW, resume: undefined };
  // The record is returned even if there is no lead: nothing is checked after it is found.
  const { result, kept, told } = await run({ claim: CLAIM, earlier, lead: undefined });
  expect(result).toEqual({ earlier });
  expect(kept).toEqual([]);
  expect(told).toEqual([]);
});

it('simulate prices by the tables with published rates, and fails if they cannot be read', async () => {
  const { banks, ...others } = TABLES;
  const itau = banks.itau.map((table) => ({
    ...table,
    rates: table.rates.map((row) => ({ ...row, rate: { ...row.rate, value: '9.99' } })),
  }));
  const { kept } = await run({ tables: async () => ({ ...others, banks: { ...banks, itau } }) });
  expect(kept[0]?.offers.map(({ rateValue }) => rateValue)).toContain('9.99');
  const away = new Failure('servico_indisponivel');
  await expect(run({ tables: () => Promise.reject(away) })).rejects.toBe(away);
});

it('simulate answers a replay even if the published rates cannot be read', async () => {
  const earlier = { sameContent: true, answer: undefined, lockedUntil: NOW, resume: undefined };
  const tables = () => Promise.reject(new Failure('servico_indisponivel'));
  expect((await run({ claim: CLAIM, earlier, tables })).result).toEqual({ earlier });
});

it('simulate fails if the lead does not exist, or is erased before the opportunity is stored', async () => {
  await expect(run({ lead: undefined })).rejects.toBe(GONE);
  await expect(run({ leadIsGone: true })).rejects.toBe(GONE);
});

it('simulate fails if the call names no value and neither the call nor its lead has an income', async () => {
  const wish = { ...WISH, wishes: { financeExpenses: false } };
  await expect(run({ wish, lead: { ...LEAD, income: undefined } })).rejects.toBe(WITHOUT_START);
  expect((await run({ wish })).kept).toHaveLength(1);
});

it('simulate refuses rates that are too old in production, and uses any rate in the sandbox', async () => {
  const offers = async (tenancy: Tenancy) => (await run({ tenancy, rateDays: -1 })).kept[0]?.offers.length;
  expect(await offers(PRODUCTION)).toBe(0);
  expect(await offers(SANDBOX)).toBe(2);
});

it('simulate uses one moment for the record and for the contract’s day, also at midnight', async () => {
  const midnight = Date.UTC(2026, 10, 22, 3);
  let now = midnight - 1;
  const { kept, answered } = await run({ clock: () => now++ });
  expect(kept[0]?.createdAt).toBe(midnight - 1);
  expect(answered[0]?.contractDay).toBe('2026-11-21');
});
