import { describe, expect, it } from 'vitest';
import { api } from '../makers/api.ts';
import type { CallAnswer } from '../makers/call.ts';
import { erase, finishErasures, sweepErasures } from '../makers/erasure.ts';
import { cpfFrom, leadBody } from '../makers/people.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

const scene = useScene();

describe('POST /v1/leads with a key from before the erasure', () => {
  const create = (cpf: string, key: string) =>
    api('createLead', { key: scene.key, body: leadBody({ cpf }), headers: { 'idempotency-key': key } });
  const personOf = (cpf: string, { body }: CallAnswer): Person => ({ cpf, lead: Number(body.lead_id), body: {} });

  it.each([['made'], ['found']])(
    'a key that had %s an erased lead makes a new lead, and repeats that answer from then on',
    async (how) => {
      const cpf = cpfFrom(how === 'made' ? 770_001 : 770_002);
      if (how === 'found') await create(cpf, `${cpf}-first`);
      const before = await create(cpf, cpf);
      await erase(scene, personOf(cpf, before));
      await finishErasures();
      const after = await create(cpf, cpf);
      const { status, headers, body } = after;
      expect(status).toBe(201);
      expect(headers['idempotent-replay']).toBeUndefined();
      expect(body.reaproveitado).toBe(false);
      expect(after.body.lead_id).not.toBe(before.body.lead_id);
      expect((await api('getLead', { key: scene.key, id: after.body.lead_id })).status).toBe(200);
      const again = await create(cpf, cpf);
      expect(again.headers['idempotent-replay']).toBe('true');
      expect(again.text).toBe(after.text);
    },
  );

  it('10 calls at once with a key from before an erasure make one lead, and get one answer', async () => {
    const cpf = cpfFrom(770_004);
    const before = await create(cpf, cpf);
    await erase(scene, personOf(cpf, before));
    // The stored answer of the key is kept until the second pass.
    const after = await Promise.all(Array.from({ length: 10 }, () => create(cpf, cpf)));
    expect(new Set(after.map(({ text }) => text)).size).toBe(1);
    expect(after.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(after.filter(({ headers }) => headers['idempotent-replay'] === undefined)).toHaveLength(1);
  });

  it('a key from before an erasure finds the lead that was made for the same person since', async () => {
    const cpf = cpfFrom(770_003);
    const before = await create(cpf, cpf);
    await erase(scene, personOf(cpf, before));
    await finishErasures();
    const since = await create(cpf, `${cpf}-since`);
    const after = await create(cpf, cpf);
    expect(after.status).toBe(200);
    expect(after.body).toEqual({ ...since.body, reaproveitado: true });
  });
});

const DAY = 86_400_000;
/** Lets days pass, with one run of the sweeper on each. */
const days = async (count: number) => {
  for (let day = 0; day < count; day++) {
    passTime(DAY);
    await sweepErasures();
  }
};
const counted = (name: string) =>
  scene.peers.metrics.filter((line) => name in line && line['environment'] === 'sandbox').length;

it('a lead that nobody uses ends after the term of GET /v1/me, with 30 days of notice that any use ends', async () => {
  const key = scene.partner.keys.sandbox;
  const terms = { sandbox_dias: 90, sem_analise_meses: 24, apos_analise_anos: 5, aviso_dias: 30 };
  expect((await api('getAccount', { key })).body.retencao).toEqual(terms);
  const body = leadBody({ cpf: cpfFrom(770_005) });
  const id = (await api('createLead', { key, body })).body.lead_id;
  const notice = async () => (await api('getLead', { key, id })).body.lead.expira_em;
  const made = Date.now();
  await days(59);
  expect(await notice()).toBeUndefined();
  await days(2);
  expect(Math.floor((Date.parse(await notice()) - made) / DAY)).toBe(90);
  expect(counted('LeadsNoticed')).toBe(1);
  await api('createLead', { key, body });
  expect(await notice()).toBeUndefined();
  await days(62);
  expect(Date.parse(await notice())).toBeGreaterThan(Date.now());
  expect(counted('LeadsEnded')).toBe(0);
  await days(30);
  expect((await api('getLead', { key, id })).status).toBe(404);
  expect(counted('LeadsNoticed')).toBe(2);
  expect(counted('LeadsEnded')).toBe(1);
});
