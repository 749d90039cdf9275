import { describe, expect, it } from 'vitest';
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
      (a: Record<string, number>, b: Record<string, number>) => a['cet_anual']! - b['cet_anual']!,
    )[0];
    const byOpportunity = await record(id_oportunidade);
    expect(byOpportunity.id).toBe(cheapest.simulacao_id);
    expect(byOpportunity.outras).toHaveLength(5);
    expect((await record(cheapest.simulacao_id)).outras).toBeUndefined();
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
    expect(entry).toMatchObject({ any: false, sucesso: false });
    expect(entry.motivo).toContain('R$ 400.000,00');
    expect(Object.keys(entry).sort()).toEqual(['any', 'banco', 'motivo', 'sucesso']);
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
    expect(found.body.codigo).toBe('nao_encontrado');
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
    expect(itau.valores).toEqual({ imovel: 500000, financiado: 320000, despesas: 20000 });
    expect(brb.valores).toEqual({ imovel: 500000, financiado: 300000, despesas: 0 });
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
