import { describe, expect, it } from 'vitest';
import { rateFor, scenarioFor, tableFor } from '../../shared/domain/simulations/pricing/tables/in-force.ts';
import { dayInSaoPaulo } from '../../shared/domain/values/clock.ts';
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
  (await api('getSimulationInstalments', { key: scene.partner.keys.sandbox, id })).body.parcelas as Record<
    string,
    number
  >[];

/** Centavos of reais that have at most 2 decimals; fails where they have more. */
function cents(reais: number): number {
  expect(String(reais)).toMatch(/^\d+(\.\d{1,2})?$/);
  return Math.round(reais * 100);
}

describe('six banks', () => {
  it('answer, record and schedule agree to the centavo', async () => {
    const lead = await newLead();
    const { body } = await simulate({
      lead_id: lead,
      valor_imovel: 500000,
      valor_financiado: 250000,
      prazo: 240,
      bancos: SIX,
    });
    const { id_oportunidade, resultados, sucesso } = body.resultado;
    expect(sucesso).toBe(true);
    expect(resultados.map(({ banco }: Entry) => banco)).toEqual(SIX);
    for (const entry of resultados) {
      const found = await record(entry.simulacao_id);
      expect(found).toMatchObject({
        id: entry.simulacao_id,
        lead_id: lead,
        banco: entry.banco,
        prazo_meses: 240,
        sistema_amortizacao: 'SAC',
      });
      expect([
        found.parcelas.primeira,
        found.taxas.juros_aa,
        found.taxas.cet_aa,
        found.renda_necessaria,
        found.valores.financiado,
      ]).toEqual([entry.parcela_1, entry.taxa_anual, entry.cet_anual, entry.renda_necessaria, entry.valor_financiado]);
      const { total, ...parts } = found.composicao_primeira_parcela as Record<string, number>;
      expect(Object.values(parts).reduce((sum, part) => sum + cents(part), 0)).toBe(cents(total!));
      expect(total).toBe(found.parcelas.primeira);

      const rows = await instalments(entry.simulacao_id);
      expect(rows).toHaveLength(240);
      for (const row of rows) {
        const sum = ['amortizacao', 'juros', 'seguro_mip', 'dfi', 'tarifa'].reduce(
          (all, part) => all + cents(row[part]!),
          0,
        );
        expect(sum).toBe(cents(row['total']!));
      }
      expect(rows.reduce((sum, row) => sum + cents(row['amortizacao']!), 0)).toBe(cents(found.valores.financiado));
      expect(rows.reduce((sum, row) => sum + cents(row['total']!), 0)).toBe(cents(found.parcelas.total_a_pagar));
      expect(rows[0]).toMatchObject(found.composicao_primeira_parcela);
      expect([rows.at(-1)!['total'], rows.at(-1)!['saldo_devedor']]).toEqual([found.parcelas.ultima, 0]);
    }
    const cheapest = resultados.toSorted(
      (a: Record<string, number>, b: Record<string, number>) => a['cet_projetado_aa']! - b['cet_projetado_aa']!,
    )[0];
    const byOpportunity = await record(id_oportunidade);
    expect(byOpportunity.id).toBe(cheapest.simulacao_id);
    expect(byOpportunity.outras).toHaveLength(5);
    expect((await record(cheapest.simulacao_id)).outras).toBeUndefined();
  });

  it('in both systems are an entry each, read by ids of their own', async () => {
    const { body } = await simulate({
      lead_id: await newLead(),
      valor_imovel: 500000,
      valor_financiado: 250000,
      prazo: 240,
      sistemas: ['PRICE', 'SAC'],
      bancos: SIX,
    });
    const { id_oportunidade, resultados } = body.resultado;
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
        banco: entry.banco,
        sistema_amortizacao: entry.sistema_amortizacao,
        parcelas: { primeira: entry.parcela_1 },
      });
      expect((await instalments(entry.simulacao_id)).at(-1)!['total']).toBe(found.parcelas.ultima);
    }
    const { outras, ...best } = await record(id_oportunidade);
    const costs = [best.taxas, ...outras].map(({ cet_projetado_aa }: Record<string, number>) => cet_projetado_aa!);
    expect(costs).toEqual(costs.toSorted((a, b) => a - b));
    expect(new Set([best.id, ...outras.map(({ id }: { id: number }) => id)]).size).toBe(offered.length);
    expect(best.outras).toBeUndefined();
  });

  it('names banks by nickname, name or id in any case, each once', async () => {
    const lead_id = await newLead();
    const { body } = await simulate({
      lead_id,
      valor_imovel: 500000,
      bancos: ['ITAÚ Unibanco', '2', 2, 'itau', 'banco de brasilia', 1],
    });
    expect(body.resultado.resultados.map(({ banco }: Entry) => banco)).toEqual(['itau', 'brb', 'bradesco']);
  });
});

describe('odd input gets an answer that helps', () => {
  const only = async (changes: object, lead = {}) => {
    const answer = await simulate({ lead_id: await newLead(lead), bancos: ['itau'], ...changes });
    expect(answer.status).toBe(200);
    const [entry] = answer.body.resultado.resultados as Entry[];
    return { ...entry!, any: answer.body.resultado.sucesso };
  };

  it('financed above the share: the highest share in R$', async () => {
    const entry = await only({ valor_imovel: 500000, valor_financiado: 450000 });
    expect(entry.motivo).toContain('R$ 400.000,00');
    expect(entry).toEqual({
      any: false,
      banco: 'itau',
      sucesso: false,
      sistema_amortizacao: 'SAC',
      motivo: entry.motivo,
      motivos: [entry.motivo],
      proposta_possivel: { valor_imovel: 500000, valor_financiado: 400000, prazo: 420, tipo_amortizacao: 'SAC' },
    });
  });

  it('too old for 420 months: the longest term that the age allows', async () => {
    const entry = await only({ valor_imovel: 500000, prazo: 420 }, { data_nascimento: '1956-01-10' });
    const longest = Number(/maior prazo é de (\d+) meses/.exec(entry.motivo!)![1]);
    expect(longest).toBeLessThan(140);
    const lead_id = await newLead({ data_nascimento: '1956-01-10' });
    const terms = [longest, longest + 1].map(async (prazo) => {
      const { body } = await simulate({ lead_id, valor_imovel: 500000, prazo, bancos: ['itau'] });
      return body.resultado.sucesso;
    });
    expect(await Promise.all(terms)).toEqual([true, false]);
  });

  it.each([
    ['an income of 0', { renda: 0 }, {}, /renda/],
    ['a property below the minimum', { valor_imovel: 1000 }, {}, /R\$/],
    ['too little financed', { valor_imovel: 500000, valor_financiado: 10000 }, {}, /98\.000,00/],
    ['a term below the minimum', { valor_imovel: 500000, prazo: 1 }, {}, /60 meses/],
    ['a term above the maximum', { valor_imovel: 500000, prazo: 421 }, {}, /420 meses/],
    ['PRICE where only SAC is offered', { valor_imovel: 500000, tipo_amortizacao: 'PRICE' }, {}, /SAC/],
    ['a minor', { valor_imovel: 500000 }, { data_nascimento: '2015-01-01' }, /18 anos/],
    ['someone of 85', { valor_imovel: 500000 }, { data_nascimento: '1940-01-01' }, /80 anos/],
  ])('%s', async (_, changes, lead, motivo) => {
    const entry = await only(changes, lead);
    expect(entry.sucesso).toBe(false);
    expect(entry.motivo).toMatch(motivo);
  });

  it('where four of six refuse, two offer', async () => {
    const lead_id = await newLead();
    const { body } = await simulate({
      lead_id,
      valor_imovel: 120000,
      valor_financiado: 60000,
      prazo: 200,
      bancos: SIX,
    });
    const offers = body.resultado.resultados.filter(({ sucesso }: Entry) => sucesso).map(({ banco }: Entry) => banco);
    expect(offers).toEqual(['brb', 'cashme']);
    expect(body.resultado.sucesso).toBe(true);
  });

  it('where all refuse: 200, false, six motives, and no record', async () => {
    const { status, body } = await simulate({ lead_id: await newLead(), valor_imovel: 1000, bancos: SIX });
    expect([status, body.resultado.sucesso]).toEqual([200, false]);
    expect(body.resultado.resultados.filter(({ motivo }: Entry) => motivo)).toHaveLength(6);
    const found = await api('getSimulation', { key: scene.partner.keys.sandbox, id: body.resultado.id_oportunidade });
    expect(found.body).toMatchObject({
      codigo: 'nao_encontrado',
      erro: expect.stringContaining('Nenhum banco ofereceu'),
    });
    const unknown = await api('getSimulation', { key: scene.partner.keys.sandbox, id: 8 });
    expect([found.status, unknown.body.erro]).toEqual([404, expect.stringContaining('Não encontrado')]);
  });

  it('with neither value nor income: the three fields that would help', async () => {
    const answer = await simulate({ lead_id: await newLead({ renda: null }), bancos: ['itau'] });
    expect([answer.status, answer.body.codigo]).toEqual([400, 'campo_obrigatorio']);
    expect(answer.body.campos.map(({ campo }: { campo: string }) => campo)).toEqual([
      'valor_imovel',
      'valor_financiado',
      'renda',
    ]);
  });
});

describe('partial input', () => {
  it('takes the income of the request, else the lead’s, and carries no more than it', async () => {
    const lead_id = await newLead({ renda: 9000 });
    for (const [renda, limit] of [
      [undefined, 9000],
      [12000, 12000],
    ] as const) {
      const { body } = await simulate({ lead_id, renda, bancos: ['itau', 'cashme'] });
      for (const { simulacao_id } of body.resultado.resultados) {
        const { renda_necessaria } = await record(simulacao_id);
        expect(renda_necessaria).toBeLessThanOrEqual(limit);
        expect(renda_necessaria).toBeGreaterThan(limit - 1);
      }
    }
  });

  it('assumes 35 years without a birth date, and says so', async () => {
    const { body } = await simulate({
      lead_id: await newLead({ data_nascimento: null }),
      valor_imovel: 500000,
      bancos: ['itau'],
    });
    const found = await record(body.resultado.resultados[0].simulacao_id);
    expect(found.observacoes.join(' ')).toContain('35 anos');
    expect(found.cliente.data_nascimento).toBeNull();
  });

  it('finances the costs of purchase where asked, at the banks that do, inside the share', async () => {
    const lead_id = await newLead();
    const { body } = await simulate({
      lead_id,
      valor_imovel: 500000,
      valor_financiado: 300000,
      financiar_despesas: true,
      prazo: 300,
      bancos: ['itau', 'brb'],
    });
    const [itau, brb] = await Promise.all(
      body.resultado.resultados.map(({ simulacao_id }: Entry) => record(simulacao_id)),
    );
    expect(itau.valores).toMatchObject({ imovel: 500000, financiado: 320000, despesas: 20000, despesas_a_vista: 0 });
    expect(brb.valores).toMatchObject({ imovel: 500000, financiado: 300000, despesas: 0, despesas_a_vista: 20000 });
  });
});

describe('what a family decides by', () => {
  const couple = {
    valor_imovel: 600000,
    valor_financiado: 300000,
    prazo: 240,
    segmento: 'alta_renda',
    segundo_proponente: { renda: 10000, data_nascimento: '1986-09-30', participacao: 40 },
    fgts: { valor: 50000, tres_anos: true, sem_financiamento_sfh: true },
    financiar_despesas: true,
  };

  /** What an answer's notices say; that a table is old depends on the day of the test. */
  const noticesIn = ({ avisos = [] }: { avisos?: { campo: string; motivo: string }[] }) =>
    avisos.filter(({ campo }) => campo !== 'bancos');

  it('is in record and entry alike', async () => {
    const today = dayInSaoPaulo(Date.now());
    const table = tableFor('itau', today);
    const { rate, kind } = rateFor(table, 'alta_renda', 'SAC')!;
    const { version, indexers } = scenarioFor(today);
    const lead_id = await newLead({ renda: 15000 });
    const { body } = await simulate({ lead_id, ...couple, bancos: ['itau'] });
    const [entry] = body.resultado.resultados;
    const found = await record(entry.simulacao_id);
    expect(entry).toMatchObject({
      segmento: 'alta_renda',
      taxa_anual: Number(rate.value),
      taxa_tipo: kind,
      taxa_data: rate.date,
      taxa_fonte: rate.source,
      entrada: 250000,
      recursos_necessarios: 250000 + Number(table.appraisalFee.value),
      renda_suficiente: true,
    });
    expect(found).toMatchObject({
      segmento: 'alta_renda',
      finalidade: 'residencial',
      segundo_proponente: { data_nascimento: '1986-09-30', participacao: 40 },
      valores: { financiado: 324000, despesas: 24000, fgts: 50000, entrada: 250000, despesas_a_vista: 0 },
      taxas: { taxa_tipo: kind, cet_projetado_aa: entry.cet_projetado_aa },
      inflacao_por_conta_de: 'cliente',
      projecao: { cenario: version, indexador_aa: Number(indexers.TR.value) },
      custos: { iof: 0 },
      renda_suficiente: true,
      valor_maximo_pela_renda: entry.valor_maximo_pela_renda,
    });
    expect(found.projecao.total_a_pagar).toBeGreaterThan(found.parcelas.total_a_pagar);
    expect(found.observacoes.join(' ')).toContain('moradia própria');
    expect(noticesIn(body)).toEqual([
      {
        campo: 'fgts',
        motivo:
          'O uso do FGTS supõe, sem que o pedido o confirme: nenhum imóvel residencial no município, moradia própria.',
      },
    ]);
  });

  it('is asked for once: notices name the banks that they hold for', async () => {
    const lead_id = await newLead({ renda: 90000 });
    const { body } = await simulate({ lead_id, ...couple, fgts: null, bancos: ['inter', 'brb', 'cashme'] });
    expect(noticesIn(body)).toEqual([
      {
        campo: 'financiar_despesas',
        motivo: 'Nenhum dos bancos que oferecem financia ITBI e registro.',
      },
      {
        campo: 'segmento',
        motivo:
          'Inter, BRB, CashMe: sem taxa publicada para o segmento alta_renda: vale a que o banco oferece a todos.',
      },
    ]);
    const found = await record(body.resultado.resultados[2].simulacao_id);
    expect(found.custos.iof).toBeGreaterThan(0);
    expect(found.valores).toMatchObject({
      entrada: 0,
      despesas_a_vista: 0,
      recursos_necessarios: found.custos.taxa_avaliacao,
    });
    const plain = await simulate({ lead_id, valor_imovel: 500000, bancos: ['itau'] });
    expect(noticesIn(plain.body)).toEqual([]);
  });

  it('is every obstacle at once, and a proposal that is accepted', async () => {
    const lead_id = await newLead();
    const wrong = { lead_id, valor_imovel: 500000, valor_financiado: 390000, prazo: 500, financiar_despesas: true };
    const { body } = await simulate({ ...wrong, bancos: ['itau'] });
    const [{ motivos, motivo, proposta_possivel: proposal }] = body.resultado.resultados;
    expect(motivos).toHaveLength(2);
    expect(motivo).toBe(motivos[0]);
    expect(motivos[1]).toContain('com as despesas financiadas de R$ 20.000,00');
    expect(proposal).toEqual({ valor_imovel: 500000, valor_financiado: 380000, prazo: 420, tipo_amortizacao: 'SAC' });
    const again = await simulate({ ...wrong, ...proposal, bancos: ['itau'] });
    expect(again.body.resultado.resultados[0]).toMatchObject({ sucesso: true, valor_financiado: 400000 });
  });

  it('is the ordinary branch customer’s rate, labelled, where no segment is named', async () => {
    const { rate, kind } = rateFor(tableFor('itau', dayInSaoPaulo(Date.now())), 'padrao', 'SAC')!;
    const asked = { valor_imovel: 500000, valor_financiado: 350000, prazo: 240, tipo_amortizacao: 'SAC' };
    const { body } = await simulate({ lead_id: await newLead(), ...asked, bancos: ['itau'] });
    expect(body.resultado.resultados[0]).toMatchObject({
      segmento: 'padrao',
      taxa_anual: Number(rate.value),
      taxa_tipo: kind,
      taxa_data: rate.date,
      taxa_fonte: rate.source,
    });
  });

  it('may rest on the second proponent’s income alone', async () => {
    const lead_id = await newLead({ renda: null });
    const second = { segundo_proponente: { renda: 12000, data_nascimento: '1990-01-01' } };
    const { status, body } = await simulate({ lead_id, ...second, bancos: ['brb'] });
    expect([status, body.resultado.sucesso]).toEqual([200, true]);
    expect(body.avisos).toContainEqual({
      campo: 'segundo_proponente.participacao',
      motivo: 'Sem a renda do primeiro proponente e sem participacao, o seguro supõe metade para cada um.',
    });
  });
});

describe('Idempotency-Key', () => {
  it('makes one opportunity of 50 calls at once, and repeats its answer to the byte', async () => {
    const body = { lead_id: await newLead(), valor_imovel: 500000, bancos: SIX };
    const answers = await Promise.all(Array.from({ length: 50 }, () => simulate(body, { 'idempotency-key': 'crowd' })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers['idempotent-replay'])).toHaveLength(1);
  });

  it('refuses another body', async () => {
    const lead_id = await newLead();
    await simulate({ lead_id, valor_imovel: 500000, bancos: SIX }, { 'idempotency-key': 'other' });
    const refused = await simulate({ lead_id, valor_imovel: 500001, bancos: SIX }, { 'idempotency-key': 'other' });
    expect([refused.status, refused.body.codigo]).toEqual([422, 'idempotency_conflito']);
  });
});
