import { beforeEach, expect, it } from 'vitest';
import { awsLikeSettings } from '#infra/local/aws/aws-like/settings.ts';
import { api } from '../makers/api.ts';
import type { CallAnswer } from '../makers/call.ts';
import { makePartner } from '../makers/peers.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
import { everyRow } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

const scene = useScene({ environment: 'sandbox', awsLike: awsLikeSettings('default') });
beforeEach(async () => {
  scene.partner = await makePartner();
});

type Lag = readonly [number, number];
const AT_ONCE: Lag = [0, 0];
/** Longer than the test: a row with this delay never appears in the index. */
const NEVER: Lag = [600_000, 600_000];
/**
 * Rows that the index lacks, and how late it shows the lead. The index never shows rows that are written after the
 * lead.
 */
const LEADS: readonly (readonly [string, Lag])[] = [
  ['stored answers', AT_ONCE],
  ['stored answers and the lead', NEVER],
];

const CPF = '900.000.006-80';
const once = (key: string) => ({ 'idempotency-key': key });
const create = (changes = {}) =>
  api('createLead', { key: scene.key, body: leadBody({ cpf: CPF, ...changes }), headers: once('lead') });
const simulate = (lead: number) =>
  api('createSimulation', {
    key: scene.key,
    body: { lead_id: lead, valor_imovel: 500_000, bancos: ['itau'] },
    headers: once('simulation'),
  });
const submit = (lead: number) =>
  scene.submitBody({ ...analysisBody(lead, { cpf: CPF }), bancos: ['itau'] }, 'submission');
const reset = () => api('resetSandbox', { key: scene.key });

/** Makes the calls of one run of a partner's continuous integration, which uses the same keys in each run. */
async function run(leadLag: Lag) {
  scene.awsLike.set({ indexLag: leadLag });
  const first = await api('createLead', { key: scene.key, body: leadBody({ cpf: CPF }) });
  scene.awsLike.set({ indexLag: NEVER });
  const created = await create();
  const lead = Number(created.body.lead_id);
  const [simulated, submitted] = [await simulate(lead), await submit(lead)];
  return {
    lead,
    statuses: [first, created, simulated, submitted].map(({ status }) => status),
    ids: [lead, simulated.body.resultado?.resultados[0].simulacao_id, submitted.body.analises?.[0].analise_id],
  };
}

it.each(LEADS)(
  'the same keys serve again after POST /v1/sandbox/reinicio while the index lacks %s',
  async (_, leadLag) => {
    const seen: unknown[] = [];
    for (let time = 1; time <= 3; time++) {
      const { statuses, ids } = await run(leadLag);
      expect(statuses).toEqual([201, 200, 200, 202]);
      expect(ids.filter((id) => id === undefined || seen.includes(id))).toEqual([]);
      seen.push(...ids);
      expect((await reset()).body).toEqual({ ok: true, leads: 1, restam: false });
      passTime(60_000);
    }
  },
);

it.each(LEADS)(
  'a sandbox reset leaves only consents and stored answers while the index lacks %s',
  async (_, leadLag) => {
    const { lead } = await run(leadLag);
    expect((await api('getLead', { key: scene.key, id: 1 })).status).toBe(404);
    expect((await reset()).status).toBe(200);
    const own = (await everyRow()).filter(({ pk }) => `${pk}#`.includes(`#${scene.partner.unitId}#sandbox#`));
    const kinds = own.map(({ pk }) => String(pk).split('#')[0]);
    expect(new Set(kinds)).toEqual(new Set(['CONSENT', 'IDEMPOTENCY']));
    expect((await api('getLead', { key: scene.key, id: lead })).status).toBe(404);
  },
);

it('a key that was used before POST /v1/sandbox/reinicio takes another body after it', async () => {
  await run(AT_ONCE);
  await reset();
  expect((await create({ renda: 4321 })).status).toBe(201);
});

it('a stored answer is not repeated for a lead that POST /v1/sandbox/reinicio has removed', async () => {
  const { lead } = await run(AT_ONCE);
  await reset();
  const answers = [await simulate(lead), await submit(lead)];
  expect(answers.map(({ body }) => body.codigo)).toEqual(['lead_nao_encontrado', 'lead_nao_encontrado']);
});

it('a key with another body is answered 422 while the lead of its first call is there', async () => {
  const { lead } = await run(AT_ONCE);
  expect((await create({ renda: 4321 })).body.codigo).toBe('idempotency_conflito');
  const simulation = { lead_id: lead, valor_imovel: 600_000, bancos: ['itau'] };
  const changed = await api('createSimulation', { key: scene.key, body: simulation, headers: once('simulation') });
  expect(changed.body.codigo).toBe('idempotency_conflito');
  const another = await api('createLead', { key: scene.key, body: leadBody({ cpf: '900.000.001-75' }) });
  expect((await simulate(Number(another.body.lead_id))).body.codigo).toBe('idempotency_conflito');
});

it('10 calls at once with keys from before POST /v1/sandbox/reinicio make one lead and one submission', async () => {
  await run(AT_ONCE);
  await reset();
  const atOnce = (call: () => Promise<CallAnswer>) => Promise.all(Array.from({ length: 10 }, call));
  // A call that conflicts with too many transactions of the other calls is answered 503. Its caller would repeat it.
  const created = (await atOnce(() => create())).filter(({ status }) => status !== 503);
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
  const leads = new Set(created.map(({ body }) => Number(body.lead_id)));
  expect(leads.size).toBe(1);
  const [lead = 0] = leads;
  const submitted = await atOnce(() => submit(lead));
  expect(submitted.filter(({ status }) => ![202, 409, 503].includes(status))).toEqual([]);
  expect((await scene.analyses(lead)).body.analises).toHaveLength(1);
});
