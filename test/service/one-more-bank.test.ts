/**
 * Adds the bank `caixa` with the largest id, for this file only. A new bank needs a row of the list and a pricing
 * table.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Person } from '../makers/scene.ts';

const CAIXA = 'caixa' as Bank;
const ID = 30;

vi.resetModules();
vi.doMock('#shared/domain/values/bank-list.ts', async (original) => {
  const { BANK_LIST } = await original<typeof import('#shared/domain/values/bank-list.ts')>();
  return { BANK_LIST: { ...BANK_LIST, [CAIXA]: { id: ID, names: ['Caixa', 'Caixa Econômica Federal'] } } };
});
vi.doMock('#shared/domain/simulations/pricing/tables/in-force.ts', async (original) => {
  const real = await original<typeof import('#shared/domain/simulations/pricing/tables/in-force.ts')>();
  const tables = real.TABLES.banks.bradesco.map((table) => ({
    ...table,
    bank: CAIXA,
    version: `caixa-${table.version}`,
  }));
  Object.assign(real.TABLES.banks, { [CAIXA]: tables });
  return real;
});
// The tests compare each answer with the OpenAPI document, which `npm run generate` would write again for a new bank.
vi.doMock('#shared/partner/openapi/openapi.json', async (original) => {
  const { default: document } = await original<{ default: unknown }>();
  return { default: JSON.parse(JSON.stringify(document).replaceAll('["bradesco",', '["caixa","bradesco",')) };
});
const { api } = await import('../makers/api.ts');
const { linesOf, readPdf: read } = await import('../makers/pdf-reading.ts');
const { useScene } = await import('../makers/scene.ts');
const { BANKS } = await import('#shared/domain/values/bank.ts');
const { SITUATIONS } = await import('#shared/domain/analyses/analysis.ts');
const { FAILURES } = await import('#shared/contract/failures.ts');
const { metricsOf } = await import('#infra/metrics.ts');
const { stageValues } = await import('#infra/stages.ts');
afterAll(() => {
  vi.doUnmock('#shared/domain/values/bank-list.ts');
  vi.doUnmock('#shared/domain/simulations/pricing/tables/in-force.ts');
  vi.doUnmock('#shared/partner/openapi/openapi.json');
  vi.resetModules();
});

const scene = useScene();
let person: Person;
beforeAll(async () => {
  person = await scene.person();
});

it('a new bank simulates under both systems, and each offer’s id leads to its record and its document', async () => {
  const { key } = scene;
  const { body } = await api('createSimulation', {
    key,
    body: { lead_id: person.lead, valor_imovel: 500_000, sistemas: ['SAC', 'PRICE'], bancos: BANKS },
  });
  const own = body.resultado.resultados.filter(({ banco }: { banco: string }) => banco === CAIXA);
  expect(own).toMatchObject(['SAC', 'PRICE'].map((sistema_amortizacao) => ({ sucesso: true, sistema_amortizacao })));
  const ids = body.resultado.resultados.flatMap(({ simulacao_id: id }: { simulacao_id?: number }) => id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { simulacao_id: id, sistema_amortizacao } of own) {
    const { simulacao } = (await api('getSimulation', { key, id })).body;
    expect(simulacao).toMatchObject({ id, banco: CAIXA, banco_id: ID, sistema_amortizacao });
    const pdf = await api('getSimulationPdf', { key, id });
    const { pages } = await read(Buffer.from(pdf.text, 'latin1'));
    expect(pages.flatMap(linesOf).flat()).toContain('Caixa');
  }
});

it('a new bank’s analyses are polled, concluded, listed and sent by webhook, next to those of other banks', async () => {
  const submitted = await scene.submit(person, BANKS, 'all');
  expect(submitted.status).toBe(202);
  const situations = new Map<string, string>();
  for (const [index, { analise_id }] of submitted.body.analises.entries()) {
    const texts = ['Em análise', 'Aprovado', 'Aprovado com restrição', 'Reprovado', 'Proposta cancelada', 'ERRO'];
    scene.operator.control.decide(scene.reference(analise_id), texts[index % texts.length]!);
    situations.set(BANKS[index]!, SITUATIONS[index % SITUATIONS.length]!);
  }
  await scene.tick(person);
  const { body } = await scene.analyses(person.lead);
  const listed = body.analises.map(({ banco, situacao }: { banco: string; situacao: string }) => [banco, situacao]);
  expect(new Map(listed)).toEqual(situations);

  const [{ analise_id }] = (await scene.submit(person, [CAIXA], 'alone')).body.analises;
  scene.operator.control.decide(scene.reference(analise_id), 'Aprovado');
  await scene.tick(person);
  const [event, ...more] = await scene.events([analise_id]);
  expect(more).toEqual([]);
  expect(JSON.parse(event!.body).data).toMatchObject({ analise_id, banco: CAIXA, banco_id: ID, situacao: 'aprovado' });
});

it('a new bank is named in the failure banco_invalido and in the metrics per bank', () => {
  expect(FAILURES.banco_invalido.erro).toContain(' ou caixa em');
  expect(metricsOf(stageValues('prod')).perBank('Simulations')).toHaveProperty(CAIXA);
});
