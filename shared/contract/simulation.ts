import * as z from 'zod/mini';
import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import { portion, ratioOf } from '../domain/simulations/pricing/ratio.ts';
import { inflationBearer, type Offer, type Opportunity, validUntil } from '../domain/simulations/simulation.ts';
import { BANK_IDENTITIES } from '../domain/values/bank.ts';
import { timestamp } from '../domain/values/clock.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { bankId, bankNickname, dayField, idField, momentField, okay } from './fields.ts';
import {
  amortizationSystem,
  incomeStanding,
  incomeStandingOf,
  indexer,
  instalmentParts,
  instalmentPartsOf,
  officialCost,
  percent,
  product,
  projectedCost,
  projectedCostOf,
  purpose,
  rateLabels,
  rateLabelsOf,
  reais,
  segment,
  simulationId,
} from './simulation-fields.ts';
import { noticeText } from './simulation-notices.ts';

const projection = described(
  z.object({
    cenario: described(z.string(), 'Versão do cenário, que se guarda com a simulação.'),
    indexador_aa: percent('Quanto se supõe que o indexador some; 0 sem indexador', 'ano'),
    data: described(z.string(), 'Quando o número do indexador foi publicado; vazio sem indexador.'),
    fonte: described(z.string(), 'Quem publicou o número do indexador; vazio sem indexador.'),
    ultima: reais('Última parcela neste cenário'),
    total_a_pagar: reais('Soma de todas as parcelas neste cenário'),
  }),
  { id: 'Projecao' },
);

/** Answer of GET /v1/simulacoes/{id}. Every record has the fields that v1 promises only as optional. */
export const simulationFound = described(
  z.object({
    ok: okay(),
    simulacao: described(
      z.object({
        id: simulationId(),
        lead_id: idField('Lead para quem se simulou.'),
        banco: bankNickname(),
        banco_id: bankId(),
        produto: product(),
        sistema_amortizacao: amortizationSystem(),
        indexador: indexer(),
        prazo_meses: described(z.int(), 'Prazo oferecido, em meses.'),
        data: momentField('Momento em que se simulou, UTC.'),
        valida_ate: dayField('Último dia em que as condições valem: 30 dias depois da simulação.'),
        tabela_versao: described(
          z.string(),
          'Versão da tabela do banco que deu os preços; uma tabela nova não altera simulações feitas.',
        ),
        segmento: z.optional(segment()),
        finalidade: z.optional(purpose()),
        cliente: described(
          z.object({
            nome: described(z.string(), 'Nome do cliente no momento da simulação.'),
            cpf: described(z.string(), 'CPF do cliente, sempre com pontuação.'),
            data_nascimento: described(z.nullable(z.string()), {
              description: 'Nascimento do cliente; null quando o lead não o tinha.',
              format: 'date',
            }),
          }),
          'O cliente como estava no lead no momento da simulação.',
        ),
        segundo_proponente: described(
          z.optional(
            z.object({
              data_nascimento: dayField('Nascimento do segundo proponente.'),
              participacao: described(z.number(), 'Parte do seguro que cabe a ele, em percentual, 2 casas.'),
            }),
          ),
          'Quem compra junto, como o seguro o conta.',
        ),
        valores: described(
          z.object({
            imovel: reais('Valor do imóvel considerado'),
            financiado: reais('Principal do contrato, despesas financiadas incluídas'),
            despesas: reais('ITBI e registro que entraram no financiamento; 0 quando não entraram'),
            fgts: z.optional(reais('Quanto do preço o FGTS paga')),
            entrada: z.optional(
              reais(
                '`imovel` menos `fgts` e menos `financiado` sem as `despesas`; 0 em crédito com garantia de imóvel',
              ),
            ),
            despesas_a_vista: z.optional(reais('ITBI e registro que não entraram no financiamento')),
            recursos_necessarios: z.optional(
              reais('Dinheiro que o cliente traz no dia: entrada, despesas à vista, avaliação e o IOF de uma compra'),
            ),
          }),
          'De que valores a oferta parte.',
        ),
        taxas: described(
          z.object({
            juros_aa: percent('Juros efetivos, 2 casas', 'ano'),
            juros_am: percent('Os mesmos juros, 4 casas', 'mês'),
            cet_aa: officialCost(),
            cet_projetado_aa: z.optional(projectedCost()),
            ...z.partial(z.object(rateLabels())).shape,
          }),
          'Quanto custa o dinheiro.',
        ),
        parcelas: described(
          z.object({
            primeira: reais('Primeira parcela, com seguros e tarifa'),
            ultima: reais('Última parcela, com seguros e tarifa'),
            total_a_pagar: reais('Soma de todas as parcelas'),
          }),
          'Resumo do cronograma, que está inteiro em /v1/simulacoes/{id}/parcelas.',
        ),
        inflacao_por_conta_de: described(
          z.enum(['cliente', 'banco']),
          'Quem assume a inflação: o cliente quando um indexador corrige o saldo, o banco quando não há indexador.',
        ),
        projecao: described(
          z.optional(projection),
          'A mesma oferta em um cenário do indexador: para comparar ofertas, não é promessa.',
        ),
        renda_necessaria: reais(
          'Menor renda mensal com que este banco oferece estas condições; com dois proponentes sem `participacao`, a soma das rendas na mesma proporção',
        ),
        ...incomeStanding(),
        custos: described(
          z.object({
            taxa_avaliacao: reais('Avaliação do imóvel, paga uma vez, no início'),
            dfi: percent('Seguro de danos ao imóvel (DFI), sobre o valor do imóvel', 'mês'),
            tarifa_mensal: reais('Tarifa de administração de cada parcela'),
            iof: reais('IOF retido do que se recebe; 0 na compra de moradia, que é isenta'),
          }),
          'O que se paga além dos juros.',
        ),
        composicao_primeira_parcela: described(
          z.object({ ...instalmentParts(), total: reais('Soma das partes: o que se paga na primeira parcela') }),
          'De que se compõe a primeira parcela; as partes somam exatamente o total.',
        ),
        observacoes: described(z.array(z.string()), 'O que a simulação supôs, em frases para o cliente.'),
        outras: described(
          z.optional(
            z.array(
              z.object({
                id: simulationId(),
                banco: bankNickname(),
                sistema_amortizacao: amortizationSystem(),
                cet_aa: officialCost(),
                cet_projetado_aa: z.optional(projectedCost()),
              }),
            ),
          ),
          'As outras ofertas, da de menor à de maior custo projetado; só quando a consulta foi pelo id_oportunidade.',
        ),
      }),
      { id: 'Simulacao' },
    ),
  }),
  { id: 'SimulacaoConsultada' },
);

/** What the simulation supposed and what its figures leave out, in sentences for the customer. */
function remarksOn(offer: Offer): string[] {
  const { indexer: index, projection: projected } = offer;
  return [
    'Simulação indicativa: as condições são confirmadas na análise de crédito.',
    ...offer.notices.map(noticeText),
    ...(index === 'PREFIXADO'
      ? []
      : [
          `O CET conta o indexador ${index} como zero.`,
          `O CET projetado supõe ${index} de ${String(projected.indexPercent).replace('.', ',')} % ao ano (${projected.source}).`,
        ]),
  ];
}

function additionsOf(offer: Offer) {
  const { secondBorrower: second, projection: projected } = offer;
  return {
    record: {
      segmento: offer.segment,
      finalidade: offer.purpose,
      ...(second && {
        segundo_proponente: {
          data_nascimento: second.birthDate,
          participacao: portion(10_000, ratioOf(second.share)) / 100,
        },
      }),
      projecao: {
        cenario: projected.scenario,
        indexador_aa: projected.indexPercent,
        data: projected.date,
        fonte: projected.source,
        ultima: reaisFromCentavos(projected.lastTotal),
        total_a_pagar: reaisFromCentavos(projected.total),
      },
    },
    values: {
      fgts: reaisFromCentavos(offer.fgts),
      entrada: reaisFromCentavos(offer.downPayment),
      despesas_a_vista: reaisFromCentavos(offer.cashExpenses),
      recursos_necessarios: reaisFromCentavos(offer.cashNeeded),
    },
    rates: { ...projectedCostOf(offer), ...rateLabelsOf(offer) },
  };
}

/** An opportunity's other offers, as they stand beside the one that is shown. */
function othersOf(opportunity: Opportunity, others: readonly Offer[]) {
  return others.map((other) => ({
    id: simulationIdFor(opportunity, other),
    banco: other.bank,
    sistema_amortizacao: other.system,
    cet_aa: other.effectiveAnnualCost,
    ...projectedCostOf(other),
  }));
}

/** The record of an opportunity's offer; `others` in their ranking, where the opportunity itself was asked for. */
export function simulationFoundBody(
  opportunity: Opportunity,
  offer: Offer,
  others: readonly Offer[] | undefined,
): z.input<typeof simulationFound> {
  const { first } = offer;
  const additions = additionsOf(offer);
  return {
    ok: true,
    simulacao: {
      id: simulationIdFor(opportunity, offer),
      lead_id: opportunity.leadId,
      banco: offer.bank,
      banco_id: BANK_IDENTITIES[offer.bank].id,
      produto: offer.product,
      sistema_amortizacao: offer.system,
      indexador: offer.indexer,
      prazo_meses: offer.term,
      data: timestamp(opportunity.createdAt),
      valida_ate: validUntil(offer.contractDay),
      tabela_versao: offer.tableVersion,
      cliente: {
        nome: opportunity.customer.name,
        cpf: formatCpf(opportunity.customer.cpf),
        data_nascimento: opportunity.customer.birthDate ?? null,
      },
      ...additions.record,
      valores: {
        imovel: reaisFromCentavos(offer.propertyValue),
        financiado: reaisFromCentavos(offer.principal),
        despesas: reaisFromCentavos(offer.expenses),
        ...additions.values,
      },
      taxas: {
        juros_aa: offer.annualRate,
        juros_am: offer.monthlyRate,
        cet_aa: offer.effectiveAnnualCost,
        ...additions.rates,
      },
      inflacao_por_conta_de: inflationBearer(offer) === 'borrower' ? 'cliente' : 'banco',
      parcelas: {
        primeira: reaisFromCentavos(first.total),
        ultima: reaisFromCentavos(offer.lastTotal),
        total_a_pagar: reaisFromCentavos(offer.total),
      },
      renda_necessaria: reaisFromCentavos(offer.requiredIncome),
      ...incomeStandingOf(offer),
      custos: {
        taxa_avaliacao: reaisFromCentavos(offer.appraisalFee),
        dfi: offer.dfiRate,
        tarifa_mensal: reaisFromCentavos(offer.monthlyFee),
        iof: reaisFromCentavos(offer.iof),
      },
      composicao_primeira_parcela: instalmentPartsOf(first),
      observacoes: remarksOn(offer),
      ...(others && { outras: othersOf(opportunity, others) }),
    },
  };
}
