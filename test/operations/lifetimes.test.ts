import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { TableApprovals } from '#shared/table/audit/approvals.ts';
import { replay } from '#shared/table/webhooks/replays.ts';
import { TableSuspendedDeliveries } from '#shared/table/webhooks/suspended-deliveries.ts';
import { disableWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { api } from '../makers/api.ts';
import { bookDelivery, makeWebhookPartner, moveToState } from '../makers/booked.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';
import { everyRow } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';

// The lifetimes are written as numbers and not as the constants of the code, so that a changed constant fails here.

const scene = useScene({ environment: 'sandbox' });

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/**
 * Returns the days from the beginning of `work` to the expiry of each row that it writes, by the kind of the row. Rows
 * without an expiry are left out.
 */
async function lifetimesOf(work: () => Promise<unknown>): Promise<Record<string, readonly number[]>> {
  const before = await everyRow();
  const began = Date.now();
  await work();
  const lifetimes: Record<string, number[]> = {};
  for (const row of await everyRow()) {
    if (row['expiresAt'] === undefined || before.some((earlier) => isDeepStrictEqual(earlier, row))) continue;
    const kind = String(row['pk']).split('#')[0] ?? '';
    const days = (Math.round((Number(row['expiresAt']) * 1_000 - began) / MINUTE) * MINUTE) / DAY;
    lifetimes[kind] = (lifetimes[kind] ?? []).concat(days);
  }
  return lifetimes;
}

let lead: number;
const cpf = cpfFrom(41);
const call = (more: object) => ({ key: scene.key, ...more });
beforeAll(async () => {
  lead = (await api('createLead', call({ body: leadBody({ cpf }) }))).body.lead_id;
});

it('createLead remembers its Idempotency-Key for a day', async () => {
  const created = () => api('createLead', call({ body: leadBody({ cpf: cpfFrom(42) }), once: 'lead' }));
  expect(await lifetimesOf(created)).toEqual({ IDEMPOTENCY: [1] });
});

it('createSimulation remembers its Idempotency-Key for a day', async () => {
  const body = { lead_id: lead, valor_imovel: 500_000, bancos: ['itau'] };
  const simulated = () => api('createSimulation', call({ body, once: 'simulation' }));
  expect(await lifetimesOf(simulated)).toEqual({ IDEMPOTENCY: [1] });
});

it('submitAnalyses keeps key, form, spouse and consent for their times from the call, not from the consent', async () => {
  const spouse = {
    estado_civil: 'casado',
    conjuge_nome: 'Caio Prado Dias',
    conjuge_cpf: cpfFrom(43),
    conjuge_data_nascimento: '1986-02-03',
  };
  const consented = { consentimento_timestamp: new Date(Date.now() - 120 * MINUTE).toISOString() };
  const body = analysisBody(lead, { cpf, ...spouse, ...consented });
  const lifetimes = await lifetimesOf(async () => {
    expect((await api('submitAnalyses', call({ body, once: 'analyses' }))).status).toBe(202);
  });
  // A form may be needed for 30 days while an analysis is pending, and then for 180 days. A consent is kept for five
  // years, each of 366 days.
  expect(lifetimes).toEqual({ IDEMPOTENCY: [30], FORM: [210], SPOUSE: [210], CONSENT: [1_830] });
});

it('a refused call is kept for a day', async () => {
  const refused = () => api('createLead', call({ body: leadBody({ cpf: '1' }) }));
  expect(await lifetimesOf(refused)).toEqual({ REFUSED: [1] });
});

it('a request for an approval is kept for a day', async () => {
  const who = { askedBy: 'x/bia', person: 'bia' };
  const wish = { operation: 'create-key', about: 'service', target: {}, fields: [], reason: 'r', ...who } as const;
  const asked = () => new TableApprovals(() => true).useOrAsk(wish, { mark: 'the call', isMade: false }, Date.now());
  expect(await lifetimesOf(asked)).toEqual({ APPROVAL: [1] });
});

it.each(['entregue', 'esgotada', 'sem_destino'] as const)(
  'a delivery that ends as %s is kept for 90 days',
  async (state) => {
    const booked = await bookDelivery(await makeWebhookPartner(Date.now()), {
      dueAt: Date.now(),
      createdAt: Date.now(),
    });
    expect(await lifetimesOf(() => moveToState(state, booked, Date.now()))).toEqual({ DELIVERY: [90] });
    expect(await lifetimesOf(() => replay(booked.eventId, Date.now()))).toEqual({});
  },
);

it('a delivery that is kept for a disabled endpoint has no end, and 90 days once it is given up', async () => {
  const owner = await makeWebhookPartner(Date.now());
  await disableWebhook(owner, 'manager', Date.now());
  const booked = await bookDelivery(owner, { dueAt: Date.now(), createdAt: Date.now() });
  expect(await lifetimesOf(() => moveToState('suspensa', booked, Date.now()))).toEqual({});
  const givenUp = () => new TableSuspendedDeliveries().giveUp(owner, Date.now() + MINUTE, Date.now());
  expect(await lifetimesOf(givenUp)).toEqual({ DELIVERY: [90] });
});
