import { expect, it } from 'vitest';
import { api, type Operation } from '../makers/api.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';

const scene = useScene();
const call = (operation: Operation, body: object, options: object = {}) =>
  api(operation, { key: scene.partner.keys.sandbox, body, ...options });
const meant = (campo: string, field: string) => ({ campo, motivo: `Campo desconhecido; quis dizer ${field}?` });

it('each 2xx names the unknown fields that were ignored, and the field that was probably meant', async () => {
  const created = await call('createLead', { ...leadBody(), phone: '11 90000-0001' });
  expect(created.body.avisos).toEqual([meant('phone', 'telefone')]);
  const id = created.body.lead_id;
  const changed = await call('updateLead', { renda: 9000, income: 1 }, { id });
  expect(changed.body).toMatchObject({ atualizado: ['renda'], avisos: [meant('income', 'renda')] });
  const simulated = await call('createSimulation', {
    ...{ lead_id: id, valor_imovel: 900000, bancos: ['brb'], financiar_despesas: true },
    ...{ prazo_meses: 120, sistema_amortizacao: 'PRICE' },
  });
  // The notice that a bank's table is old depends on the day of the test.
  const notices: { campo: string }[] = simulated.body.avisos.filter(
    ({ campo }: { campo: string }) => campo !== 'bancos',
  );
  expect(notices).toEqual([
    // This notice comes first, so that twenty unknown fields do not push it out.
    { campo: 'financiar_despesas', motivo: expect.any(String) },
    meant('prazo_meses', 'prazo'),
    meant('sistema_amortizacao', 'tipo_amortizacao'),
  ]);
  const headers = { 'idempotency-key': 'a' };
  const submitted = await call('submitAnalyses', { ...analysisBody(id), cidade: 'São Paulo' }, { headers });
  expect(submitted.body.avisos).toEqual([meant('cidade', 'municipio')]);
});

it('a lead with a test CPF takes the last name that was sent, and its note chooses the outcome', async () => {
  const lead = { cpf: '900.000.002-56', data_nascimento: '1988-03-14' };
  const { body } = await call('createLead', leadBody({ ...lead, nome: 'Ana Lima', observacao: 'sandbox:talvez' }));
  expect(body.avisos).toEqual([{ campo: 'observacao', motivo: expect.stringContaining('use um destes: aprovado') }]);
  expect((await call('createLead', leadBody({ ...lead, nome: 'Bia Reis' }))).body.avisos?.[0].campo).toBe('observacao');
  await call('updateLead', { observacao: 'Sandbox: Entrega_falha ' }, { id: body.lead_id });
  const form = analysisBody(body.lead_id, { ...lead, nome: 'Bia Reis' });
  const submitted = await call('submitAnalyses', form, { headers: { 'idempotency-key': 'note' } });
  expect(submitted.body.analises).toMatchObject([
    { sucesso: false, motivo: 'O sandbox recusa o envio para este CPF de teste.' },
  ]);
});
