import { beforeEach, expect, it, vi } from 'vitest';
import { api } from '../makers/api.ts';
import { intercepted, meanwhile, type StopPoint, stoppedAt } from '../makers/intercepted.ts';
import { makePartner } from '../makers/peers.ts';
import { cpfFrom, leadBody } from '../makers/people.ts';
import { everyRow, writeRows } from '../makers/rows.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const scene = useScene({ environment: 'sandbox' });
beforeEach(async () => {
  scene.partner = await makePartner();
});

const SPOUSE = { conjuge_nome: 'Rui Prado', conjuge_cpf: cpfFrom(77), conjuge_data_nascimento: '1980-01-01' };
const simulate = ({ lead }: Person, key = scene.key) =>
  api('createSimulation', {
    key,
    body: { lead_id: lead, valor_imovel: 500_000, bancos: ['itau'] },
    headers: { 'idempotency-key': 'simulation' },
  });
const create = (cpf: string, key = scene.key) =>
  api('createLead', { key, body: leadBody({ cpf }), headers: { 'idempotency-key': 'lead' } });
const submit = ({ lead, body }: Person) =>
  scene.submitBody({ ...body, lead_id: lead, estado_civil: 'casado', ...SPOUSE, bancos: ['itau'] }, 'submission');
const reset = (key = scene.key) => api('resetSandbox', { key });

/** Fills the sandbox with a lead, a simulation, a pending analysis and a refused call. Returns the person. */
async function fill(cpf = '900.000.006-80'): Promise<Person> {
  const lead = Number((await create(cpf)).body.lead_id);
  const person = { ...(await scene.person(cpf)), lead };
  expect([await simulate(person), await submit(person)].map(({ status }) => status)).toEqual([200, 202]);
  expect((await api('getLead', { key: scene.key, id: 1 })).status).toBe(404);
  return person;
}

const ownRows = async () =>
  (await everyRow())
    .filter(({ pk }) => `${pk}#`.includes(`#${scene.partner.unitId}#sandbox#`))
    .map(({ pk }) => String(pk));
/** `EVERY`: one of so many calls is tried. `BESIDE`: number of `STEPS` that are tried. */
const [EVERY, BESIDE] = process.env['SOAK'] ? [1, 5] : [7, 1];
/** Whether the row is a consent, which no reset may remove. */
const isConsent = (pk: string) => pk.startsWith('CONSENT#');

/** What happens at the same time as a reset. */
const STEPS: readonly [string, (person: Person) => Promise<{ status: number } | undefined>][] = [
  ['a submission', submit],
  ['a simulation', (person) => simulate(person)],
  ['a reuse', ({ cpf }) => api('createLead', { key: scene.key, body: leadBody({ cpf }) })],
  ['a change', ({ lead }) => api('updateLead', { key: scene.key, id: lead, body: { renda: 1 } })],
  ['a poll', () => scene.poll().then(() => undefined)],
];

async function expectNothingLeft(where: string): Promise<void> {
  const left = (await ownRows()).filter((pk) => !isConsent(pk));
  expect(left, where).toEqual([]);
}

it('POST /v1/sandbox/reinicio empties the sandbox of its unit only, and the same calls then succeed again', async () => {
  const beside = await scene.partner.addKey({ unitId: await scene.partner.addUnit() });
  const others = [beside, scene.partner.keys.producao];
  for (const key of others) expect((await create('900.000.001-75', key)).status).toBe(201);
  const person = await fill();
  const foreign = async () =>
    (await everyRow()).filter(
      ({ pk }) => /^(LEAD|CPF|IDEMPOTENCY)#/.test(String(pk)) && !`${pk}`.includes(`#${scene.partner.unitId}#sandbox#`),
    );
  const before = await foreign();
  expect((await reset()).body).toEqual({ ok: true, leads: 1, restam: false });
  await expectNothingLeft('at the end');
  expect(await foreign()).toEqual(before);
  expect((await api('getLead', { key: scene.key, id: person.lead })).status).toBe(404);
  expect((await api('getAccount', { key: scene.key })).body.validacao.passos[0]).toMatchObject({ feito: true });
  expect((await fill()).lead).not.toBe(person.lead);
});

it('POST /v1/sandbox/reinicio is refused in production, and within a minute of the last reset', async () => {
  expect((await reset(scene.partner.keys.producao)).body).toMatchObject({ codigo: 'sem_permissao' });
  expect((await reset()).status).toBe(200);
  passTime(30_001);
  const { status, headers } = await reset();
  expect(status).toBe(429);
  expect(headers['retry-after']).toBe('30');
  passTime(29_999);
  expect((await reset()).status).toBe(200);
});

it('POST /v1/sandbox/reinicio removes what an earlier call that died at any point has left', async () => {
  for (let at = 1; ; at += EVERY) {
    for (const when of ['before', 'after'] as const) {
      scene.partner = await makePartner();
      const point: StopPoint = { at, when };
      await fill();
      const { where, finished } = await stoppedAt(point, () => reset());
      passTime(60_000);
      expect((await reset()).status).toBe(200);
      await expectNothingLeft(where);
      if (finished) return expect(at).toBeGreaterThan(15);
    }
  }
});

it.each(STEPS.slice(0, BESIDE))(
  'two calls of POST /v1/sandbox/reinicio leave nothing, even if %s runs during the first call',
  async (_, step) => {
    for (let at = 1, met = true; met; at += EVERY) {
      scene.partner = await makePartner();
      const person = await fill('900.000.001-75');
      passTime(20_000);
      met = false;
      const between = async () => {
        met = true;
        const answer = await step(person);
        expect(answer?.status ?? 0, `beside call ${at}`).toBeLessThan(500);
      };
      const meeting = meanwhile(undefined, between, { at, when: 'after' });
      expect((await intercepted(meeting, () => reset())).status).toBe(200);
      passTime(60_000);
      expect((await reset()).status).toBe(200);
      await expectNothingLeft(`beside call ${at}`);
    }
  },
);

it('POST /v1/sandbox/reinicio does not touch a lead that is being erased', async () => {
  const person = await fill();
  const row = (await everyRow()).find(({ sk, id }) => sk === 'LEAD' && id === person.lead)!;
  await writeRows([{ pk: row['pk'], sk: 'LEAD#ERASURE' }]);
  expect((await reset()).body.leads).toBe(0);
  expect((await api('getLead', { key: scene.key, id: person.lead })).status).toBe(200);
});
