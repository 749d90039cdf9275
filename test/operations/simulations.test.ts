import { expect, it } from 'vitest';
import { api } from '../makers/api.ts';
import { cpfFrom, leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';

const scene = useScene();
let person = 0;

const SIX = ['bradesco', 'itau', 'santander', 'inter', 'brb', 'cashme'];
type Entry = Record<string, never> & { banco: string; sucesso: boolean; motivo?: string; simulacao_id: number };

const newLead = async (changes = {}) =>
  (await api('createLead', { key: scene.partner.keys.sandbox, body: leadBody({ cpf: cpfFrom(++person), ...changes }) }))
    .body.lead_id;
const simulate = (body: object, headers = {}) =>
  api('createSimulation', { key: scene.partner.keys.sandbox, body, headers });
const record = async (id: number) =>
  (await api('getSimulation', { key: scene.partner.keys.sandbox, id })).body.simulacao;
const instalments = async (id: number) =>
  (await api('getSimulationInstalments', { key: scene.partner.keys.sandbox, id })).body.parcelas;
const common = { valor_imovel: 500000, valor_financiado: 250000, prazo: 240 };

it('six banks in both systems get an entry each, whose record and instalments are read by its id', async () => {
  const lead = await newLead();
  const { body } = await simulate({ lead_id: lead, ...common, sistemas: ['PRICE', 'SAC'], bancos: SIX });
  const { id_oportunidade, resultados, sucesso } = body.resultado;
  expect(sucesso).toBe(true);
  expect(resultados.map(({ banco, sistema_amortizacao: system }: Record<string, string>) => [banco, system])).toEqual(
    SIX.flatMap((bank) => ['PRICE', 'SAC'].map((system) => [bank, system])),
  );
  const offered = resultados.filter(({ sucesso }: Entry) => sucesso);
  expect(offered.length).toBeGreaterThan(SIX.length);
  expect(new Set(offered.map(({ simulacao_id }: Entry) => simulacao_id)).size).toBe(offered.length);
  for (const entry of offered) {
    const found = await record(entry.simulacao_id);
    expect(found).toMatchObject({
      id: entry.simulacao_id,
      lead_id: lead,
      banco: entry.banco,
      prazo_meses: 240,
      sistema_amortizacao: entry.sistema_amortizacao,
      valores: { financiado: entry.valor_financiado },
      taxas: { juros_aa: entry.taxa_anual, cet_aa: entry.cet_anual },
      parcelas: { primeira: entry.parcela_1 },
      renda_necessaria: entry.renda_necessaria,
    });
    expect(found).not.toHaveProperty('outras');
    const rows = await instalments(entry.simulacao_id);
    expect(rows).toHaveLength(240);
    expect(rows[0]).toMatchObject(found.composicao_primeira_parcela);
    expect(rows.at(-1)).toMatchObject({ total: found.parcelas.ultima, saldo_devedor: 0 });
  }
  const { outras, ...best } = await record(id_oportunidade);
  const all: readonly Record<string, number | string>[] = [{ ...best, ...best.taxas }, ...outras];
  const kindOf = (offer: (typeof all)[number]) => [offer.banco === 'cashme', offer.taxa_tipo, offer.segmento].join();
  for (const group of Map.groupBy(all, kindOf).values()) {
    const costs = group.map(({ cet_projetado_aa }) => Number(cet_projetado_aa));
    expect(costs).toEqual(costs.toSorted((a, b) => a - b));
  }
  expect(new Set([best.id, ...outras.map(({ id }: { id: number }) => id)]).size).toBe(offered.length);
});

it('if all six banks refuse, the answer is 200 with six reasons, and there is no record', async () => {
  const { status, body } = await simulate({ lead_id: await newLead(), valor_imovel: 1000, bancos: SIX });
  expect(status).toBe(200);
  expect(body.resultado.sucesso).toBe(false);
  expect(body.resultado.resultados.filter(({ motivo }: Entry) => motivo)).toHaveLength(6);
  const found = await api('getSimulation', { key: scene.partner.keys.sandbox, id: body.resultado.id_oportunidade });
  expect(found.body).toMatchObject({
    codigo: 'nao_encontrado',
    erro: expect.stringContaining('Nenhum banco ofereceu'),
  });
  const unknown = await api('getSimulation', { key: scene.partner.keys.sandbox, id: 8 });
  expect(found.status).toBe(404);
  expect(unknown.body.erro).toContain('Não encontrado');
});

it('a refused simulation succeeds with the values of its proposal and its other fields unchanged', async () => {
  const wrong = { lead_id: await newLead(), ...common, valor_financiado: 390000, prazo: 500, bancos: ['itau'] };
  const { body } = await simulate({ ...wrong, financiar_despesas: true });
  const [{ motivos, motivo, proposta_possivel: proposal }] = body.resultado.resultados;
  expect(motivos).toHaveLength(2);
  expect(motivos[0]).toBe(motivo);
  expect(proposal).toEqual({ valor_imovel: 500000, valor_financiado: 380000, prazo: 420, tipo_amortizacao: 'SAC' });
  const again = await simulate({ ...wrong, financiar_despesas: true, ...proposal });
  expect(again.body.resultado.resultados[0]).toMatchObject({ sucesso: true, valor_financiado: 400000 });
});

it('a simulation takes its own income, else that of the lead, and offers nothing that needs more', async () => {
  const lead_id = await newLead({ renda: 9000 });
  for (const [renda, limit] of [
    [undefined, 9000],
    [12000, 12000],
  ] as const) {
    const { body } = await simulate({ lead_id, renda, bancos: ['itau', 'cashme'] });
    for (const { renda_necessaria } of body.resultado.resultados) {
      expect(renda_necessaria).toBeLessThanOrEqual(limit);
      expect(renda_necessaria).toBeGreaterThan(limit - 1);
    }
  }
});

it('a simulation takes the birth date of the lead, and without one assumes an age and says so', async () => {
  const old = { lead_id: await newLead({ data_nascimento: '1940-01-01' }), ...common, bancos: ['itau'] };
  expect((await simulate(old)).body.resultado.resultados[0].motivo).toContain('80 anos');
  const { body } = await simulate({ ...old, lead_id: await newLead({ data_nascimento: null }) });
  const found = await record(body.resultado.resultados[0].simulacao_id);
  expect(found.observacoes.join(' ')).toContain('35 anos');
  expect(found.cliente.data_nascimento).toBeNull();
});

it('a simulation without value and income is refused, and names the three fields that would help', async () => {
  const lead_id = await newLead({ renda: null });
  const answer = await simulate({ lead_id, bancos: ['itau'] });
  expect(answer.status).toBe(400);
  expect(answer.body.codigo).toBe('campo_obrigatorio');
  const fields = answer.body.campos.map(({ campo }: { campo: string }) => campo);
  expect(fields).toEqual(['valor_imovel', 'valor_financiado', 'renda']);
  // The income of the second proponent is enough. The answer says what share was assumed.
  const second = { segundo_proponente: { renda: 12000, data_nascimento: '1990-01-01' } };
  const { status, body } = await simulate({ lead_id, ...second, bancos: ['brb'] });
  expect(status).toBe(200);
  expect(body.resultado.sucesso).toBe(true);
  const motivo = expect.stringContaining('metade para cada');
  expect(body.avisos).toContainEqual({ campo: 'segundo_proponente.participacao', motivo });
});

it('50 calls at once with one Idempotency-Key make one opportunity, and all get the same answer', async () => {
  const body = { lead_id: await newLead(), valor_imovel: 500000, bancos: SIX };
  const answers = await Promise.all(Array.from({ length: 50 }, () => simulate(body, { 'idempotency-key': 'crowd' })));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => !headers['idempotent-replay'])).toHaveLength(1);
});

it('POST /v1/simulacoes says that uf changed nothing if no table of the banks distinguishes states', async () => {
  const body = { lead_id: await newLead(), ...common, bancos: ['itau'] };
  const noticed = async (more: object) =>
    ((await simulate({ ...body, ...more })).body.avisos ?? []).filter(({ campo }: { campo: string }) => campo === 'uf');
  expect(await noticed({})).toEqual([]);
  expect(await noticed({ uf: 'SP' })).toEqual([
    { campo: 'uf', motivo: 'Nenhuma tabela destes bancos exclui estados: uf não mudou nada.' },
  ]);
});
