import { expect, it } from 'vitest';
import { newLead } from '#shared/partner/openapi/example-bodies.ts';
import { api } from '../makers/api.ts';
import { cpfFrom, leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';

const scene = useScene();
let person = 0;

const create = (body: object, once?: string) => api('createLead', { key: scene.partner.keys.sandbox, body, once });
const read = async (id: number) => (await api('getLead', { key: scene.partner.keys.sandbox, id })).body.lead;
const newPerson = (changes = {}) => leadBody({ cpf: cpfFrom(++person), ...changes });

it('GET /v1/leads/{id} returns every field that POST /v1/leads took, and the CPF with punctuation', async () => {
  const { body } = await create({ ...newLead, cpf: '90000000175' });
  const lead = await read(body.lead_id);
  expect(lead).toEqual({
    ...newLead,
    lead_id: body.lead_id,
    criado_em: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
    atualizado_em: lead.criado_em,
  });
});

it('POST /v1/leads reuses the lead of a CPF in either spelling, keeps its values and fills missing ones', async () => {
  const cpf = cpfFrom(++person);
  const punctuated = cpf.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4');
  const first = await create({ nome: 'Ana Lima', cpf, renda: 5000 });
  const second = await create({ nome: 'Outra Pessoa', cpf: punctuated, renda: 9000, email: 'ana@exemplo.com.br' });
  expect(first.status).toBe(201);
  expect(second.status).toBe(200);
  expect(second.body).toMatchObject({ ok: true, lead_id: first.body.lead_id, reaproveitado: true });
  // Values that the lead already has stay, and the answer says so.
  expect(second.body.avisos.map(({ campo }: { campo: string }) => campo)).toEqual(['nome', 'renda', 'cpf']);
  expect(await read(first.body.lead_id)).toMatchObject({
    nome: 'Ana Lima',
    renda: 5000,
    email: 'ana@exemplo.com.br',
  });
});

it('POST /v1/leads gives a notice of a misnamed Idempotency-Key and of query parameters', async () => {
  const sent = { key: scene.partner.keys.sandbox, body: newPerson(), query: { origem: 'site' } };
  const { status, body } = await api('createLead', { ...sent, headers: { 'x-idempotency-key': 'k' } });
  const told = body.avisos.filter(({ campo }: { campo: string }) => campo !== 'cpf');
  expect(status).toBe(201);
  expect(told).toEqual([
    { campo: 'origem', motivo: expect.stringContaining('no corpo') },
    { campo: 'x-idempotency-key', motivo: expect.stringContaining('quis dizer Idempotency-Key?') },
  ]);
});

it('an Idempotency-Key repeats the first answer byte for byte, with its 201, with or without quotes', async () => {
  const body = newPerson();
  const first = await create(body, 'one');
  const again = await create(body, '"one"');
  expect(first.headers['idempotent-replay']).toBeUndefined();
  expect(again.headers['idempotent-replay']).toBe('true');
  expect(again.status).toBe(201);
  expect(again.text).toBe(first.text);
});

it('an Idempotency-Key is not used up by a call that was refused', async () => {
  expect((await create({ nome: 'Ana' }, 'four')).status).toBe(400);
  expect((await create(newPerson(), 'four')).status).toBe(201);
});
