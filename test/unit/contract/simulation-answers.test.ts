import { expect, it } from 'vitest';
import {
  instalmentList,
  instalmentListBody,
  simulationFound,
  simulationFoundBody,
} from '#shared/contract/simulation.ts';
import { simulationCreated, simulationCreatedBody } from '#shared/contract/simulation-created.ts';
import { compareOffers } from '#shared/domain/simulations/comparison.ts';
import { quote, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import type { Offer, QuoteRequest } from '#shared/domain/simulations/simulation.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { makeQuoteRequest } from '#test/makers/quote-request.ts';
import { makeOffer, makeOpportunity } from '#test/makers/simulation.ts';

const couple: Partial<QuoteRequest> = {
  term: 60,
  income: centavos(1_500_000),
  segment: 'alta_renda',
  secondBorrower: { income: centavos(1_000_000), birthDate: '1986-09-30' as Day, share: 40 },
  fgts: { value: centavos(5_000_000), threeYears: true },
  financeExpenses: true,
};
const { offer } = makeOffer('santander', couple);
const opportunity = makeOpportunity(offer);
const recordOf = (of: Offer) =>
  simulationFound.parse(simulationFoundBody({ ...opportunity, offers: [of] }, of, undefined)).simulacao;
const inReais = (amount: number) => amount / 100;
const totalsOf = ({ lastTotal, total }: Pick<Offer, 'lastTotal' | 'total'>) => {
  return { ultima: inReais(lastTotal), total_a_pagar: inReais(total) };
};

it('a record has every field of its offer, with amounts in reais', () => {
  const { first, projection } = offer;
  expect(recordOf(offer)).toEqual({
    id: opportunity.id + 3,
    lead_id: opportunity.leadId,
    banco: 'santander',
    banco_id: 3,
    produto: 'SFH',
    sistema_amortizacao: 'SAC',
    indexador: 'TR',
    prazo_meses: 60,
    data: '2026-11-21T15:00:00.000Z',
    valida_ate: '2026-12-21',
    tabela_versao: 'santander-2026-11',
    segmento: 'alta_renda',
    finalidade: 'residencial',
    cliente: { nome: opportunity.customer.name, cpf: '529.982.247-25', data_nascimento: '1990-06-15' },
    segundo_proponente: { data_nascimento: '1986-09-30', participacao: 40 },
    valores: {
      imovel: 500000,
      financiado: 370000,
      despesas: 20000,
      fgts: 50000,
      entrada: 100000,
      despesas_a_vista: 0,
      recursos_necessarios: 101900,
    },
    taxas: {
      juros_aa: 11.69,
      juros_am: offer.monthlyRate,
      cet_aa: offer.effectiveAnnualCost,
      cet_projetado_aa: projection.annualCost,
      taxa_tipo: 'a_partir_de',
      taxa_data: '2026-07',
      taxa_fonte: 'Santander, taxa a partir da qual empresta à alta renda',
      condicoes_data: '2025/2026-01',
    },
    parcelas: { primeira: inReais(first.total), ...totalsOf(offer) },
    inflacao_por_conta_de: 'cliente',
    projecao: {
      cenario: 'scenario-2026-07',
      indexador_aa: 2,
      data: '2026-07',
      fonte: projection.source,
      ...totalsOf(projection),
    },
    renda_necessaria: inReais(offer.requiredIncome),
    renda_suficiente: offer.income!.sufficient,
    valor_maximo_pela_renda: inReais(offer.income!.highest!),
    custos: { taxa_avaliacao: 1900, dfi: 0.006, tarifa_mensal: 25, iof: 0 },
    composicao_primeira_parcela: {
      amortizacao: inReais(first.amortization),
      juros: inReais(first.interest),
      seguro_mip: inReais(first.mip),
      dfi: inReais(first.dfi),
      tarifa: inReais(first.fee),
      total: inReais(first.total),
    },
    observacoes: [
      'Só se conhece a menor taxa que o banco anuncia (“a partir de”): a do cliente pode ser maior.',
      'Simulação indicativa: as condições são confirmadas na análise de crédito.',
      expect.stringContaining('O uso do FGTS supõe'),
      expect.stringContaining('A TR do CET projetado é um número de 07/2026'),
      'O CET conta o indexador TR como zero.',
      `O CET projetado supõe TR de 2 % ao ano (${projection.source}).`,
    ],
  });
});

it('a record leaves out absent values, and has null for an unknown birth date', () => {
  const plain = makeOffer('cashme', { term: 60, financedValue: undefined, birthDate: undefined }).offer;
  const customer = { ...opportunity.customer, birthDate: undefined };
  const answer = simulationFoundBody({ ...opportunity, customer, offers: [plain] }, plain, undefined);
  const body = JSON.parse(JSON.stringify(answer)).simulacao;
  for (const field of ['segundo_proponente', 'renda_suficiente', 'valor_maximo_pela_renda', 'outras'])
    expect(body).not.toHaveProperty(field);
  expect(body.cliente.data_nascimento).toBeNull();
  expect(body.custos.iof).toBe(inReais(plain.iof));
  expect(body.observacoes[2]).toContain('35 anos');
});

it('the record of an offer without an indexer says that the bank bears the inflation', () => {
  const { inflacao_por_conta_de, observacoes } = recordOf({ ...offer, indexer: 'PREFIXADO' });
  expect(inflacao_por_conta_de).toBe('banco');
  expect(observacoes.join()).not.toMatch(/indexador|supõe TR/);
});

it('the record of an opportunity names the other offers with their costs', () => {
  const other = makeOffer('brb', { system: 'PRICE' }).offer;
  const both = { ...opportunity, offers: [offer, other] };
  const costs = { cet_aa: other.effectiveAnnualCost, cet_projetado_aa: other.projection.annualCost };
  const rate = { taxa_tipo: 'media', segmento: 'padrao' };
  const named = { id: opportunity.id + 5, banco: 'brb', sistema_amortizacao: 'PRICE', ...rate, ...costs };
  expect(simulationFoundBody(both, offer, compareOffers(both.offers)).simulacao.outras).toEqual([named]);
});

it('the record of an opportunity says why its amounts cannot be compared, and the record of an offer does not', () => {
  const both = { ...opportunity, offers: [offer, makeOffer('brb', { system: 'PRICE' }).offer] };
  const difference =
    /^As ofertas diferem em valor financiado .*, prazo .*, sistema .* e dinheiro na contratação, sem a avaliação /;
  const byOpportunity = simulationFoundBody(both, offer, compareOffers(both.offers)).simulacao.observacoes;
  expect(byOpportunity.at(-1)).toMatch(difference);
  expect(byOpportunity.at(-2)).toMatch(
    /^As taxas não são da mesma natureza: média \(BRB\); “a partir de” \(Santander\)\./,
  );
  expect(simulationFoundBody(both, offer, undefined).simulacao.observacoes).toEqual(byOpportunity.slice(0, -2));
  const equal = { ...opportunity, offers: [makeOffer('bradesco').offer, makeOffer('itau').offer] };
  const record = simulationFoundBody(equal, makeOffer('itau').offer, compareOffers(equal.offers));
  expect(record.simulacao.observacoes.join(' ')).not.toContain('As ofertas diferem');
});

it('a record of an offer that was stored without the date of its conditions leaves the date out', () => {
  const { conditionsDate, ...older } = offer;
  expect(conditionsDate).toBe('2025/2026-01');
  expect(JSON.parse(JSON.stringify(recordOf(older))).taxas).not.toHaveProperty('condicoes_data');
});

it('simulationCreatedBody has prices for each offer, and reasons with a proposal for each refusal', () => {
  const refused = quote(
    'brb',
    makeQuoteRequest({ ...couple, financedValue: centavos(45_000_000), fgts: undefined }),
    FROZEN_TABLES,
  );
  const body = simulationCreatedBody(opportunity.id, [{ offer }, refused], true);
  const { resultado } = simulationCreated.parse(body);
  expect(resultado).toMatchObject({ sucesso: true, id_oportunidade: opportunity.id });
  const { id, valores, taxas, parcelas, ...record } = recordOf(offer);
  const { banco, produto, indexador, sistema_amortizacao, prazo_meses, segmento } = record;
  const { renda_necessaria, renda_suficiente, valor_maximo_pela_renda } = record;
  const { taxa_tipo, taxa_data, taxa_fonte, condicoes_data, cet_projetado_aa } = taxas;
  const { financiado: valor_financiado, entrada, recursos_necessarios } = valores;
  expect(resultado.resultados).toEqual([
    {
      sucesso: true,
      simulacao_id: id,
      pdf_url: `/v1/simulacoes/${id}/pdf`,
      banco,
      produto,
      indexador,
      sistema_amortizacao,
      prazo_meses,
      segmento,
      renda_necessaria,
      renda_suficiente,
      valor_maximo_pela_renda,
      taxa_anual: taxas.juros_aa,
      taxa_tipo,
      taxa_data,
      taxa_fonte,
      condicoes_data,
      cet_anual: taxas.cet_aa,
      cet_projetado_aa,
      parcela_1: parcelas.primeira,
      valor_financiado,
      entrada,
      recursos_necessarios,
    },
    {
      banco: 'brb',
      sucesso: false,
      sistema_amortizacao: 'SAC',
      motivo: expect.stringContaining('R$ 400.000,00'),
      motivos: [expect.stringContaining('R$ 400.000,00')],
      proposta_possivel: { valor_imovel: 500000, valor_financiado: 400000, prazo: 60, tipo_amortizacao: 'SAC' },
    },
  ]);
  expect(simulationCreatedBody(opportunity.id, [refused], false).resultado.sucesso).toBe(false);
});

it('instalmentListBody has the instalments of the schedule, in reais', () => {
  const { parcelas } = instalmentList.parse(instalmentListBody(opportunity, offer, scheduleOf(offer)));
  expect(parcelas).toHaveLength(60);
  const { vencimento, numero, saldo_devedor, ...first } = parcelas[0]!;
  expect(numero).toBe(1);
  expect(vencimento).toBe('2026-12-21');
  expect(saldo_devedor).toBe(inReais(offer.first.balance));
  expect(first).toEqual(recordOf(offer).composicao_primeira_parcela);
  expect(parcelas.at(-1)).toMatchObject({ numero: 60, saldo_devedor: 0, total: inReais(offer.lastTotal) });
});
