import * as z from 'zod/mini';
import type { Comparison } from '../domain/simulations/comparison.ts';
import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import { portion, ratioOf } from '../domain/simulations/pricing/ratio.ts';
import {
  type Instalment,
  type InsuredBorrower,
  inflationBearer,
  type Offer,
  type Opportunity,
  type Projection,
  validUntil,
} from '../domain/simulations/simulation.ts';
import { BANK_IDENTITIES } from '../domain/values/bank.ts';
import { timestamp } from '../domain/values/clock.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { bankId, bankNickname, dayField, idField, momentField, okay } from './fields.ts';
import {
  amortizationSystem,
  amount,
  field,
  fieldsOf,
  INCOME_STANDING,
  indexer,
  instalmentParts,
  officialCost,
  percent,
  product,
  projectedCost,
  purpose,
  RATE_LABELS,
  rateKind,
  requiredIncome,
  segment,
  simulationId,
} from './simulation-fields.ts';
import { closeCallTexts, differenceText, LOWEST_RATE_TEXT, noticeText, rateKindsText } from './simulation-notices.ts';

interface Shown {
  readonly opportunity: Opportunity;
  readonly offer: Offer;
}

const CONDITIONS = fieldsOf<Shown>()({
  id: field(simulationId(), ({ opportunity, offer }) => simulationIdFor(opportunity, offer)),
  lead_id: field(idField('Lead para quem se simulou.'), ({ opportunity }) => opportunity.leadId),
  banco: field(bankNickname(), ({ offer }) => offer.bank),
  banco_id: field(bankId(), ({ offer }) => BANK_IDENTITIES[offer.bank].id),
  produto: field(product(), ({ offer }) => offer.product),
  sistema_amortizacao: field(amortizationSystem(), ({ offer }) => offer.system),
  indexador: field(indexer(), ({ offer }) => offer.indexer),
  prazo_meses: field(described(z.int(), 'Prazo oferecido, em meses.'), ({ offer }) => offer.term),
  data: field(momentField('Momento em que se simulou, UTC.'), ({ opportunity }) => timestamp(opportunity.createdAt)),
  valida_ate: field(
    dayField(
      'Último dia dos preços desta tabela: 30 dias depois da simulação, ou antes o último dia da taxa. Não é prazo de uma proposta do banco.',
    ),
    ({ offer }) => validUntil(offer),
  ),
  tabela_versao: field(
    described(z.string(), 'Versão da tabela do banco que deu os preços; uma tabela nova não altera simulações feitas.'),
    ({ offer }) => offer.tableVersion,
  ),
});

const CUSTOMER = fieldsOf<Opportunity['customer']>()({
  nome: field(described(z.string(), 'Nome do cliente no momento da simulação.'), ({ name }) => name),
  cpf: field(described(z.string(), 'CPF do cliente, sempre com pontuação.'), ({ cpf }) => formatCpf(cpf)),
  data_nascimento: field(
    described(z.nullable(z.string()), {
      description: 'Nascimento do cliente; null quando o lead não o tinha.',
      format: 'date',
    }),
    ({ birthDate }) => birthDate ?? null,
  ),
});

const SECOND_BORROWER = fieldsOf<InsuredBorrower>()({
  data_nascimento: field(dayField('Nascimento do segundo proponente.'), ({ birthDate }) => birthDate),
  participacao: field(
    described(z.number(), 'Parte do seguro que cabe a ele, em percentual, 2 casas.'),
    ({ share }) => portion(10_000, ratioOf(share)) / 100,
  ),
});

const VALUES = fieldsOf<Offer>()({
  imovel: amount('Valor do imóvel considerado', ({ propertyValue }) => propertyValue),
  financiado: amount('Principal do contrato, despesas financiadas incluídas', ({ principal }) => principal),
  despesas: amount('ITBI e registro que entraram no financiamento; 0 quando não entraram', ({ expenses }) => expenses),
});

const CASH = fieldsOf<Offer>()({
  fgts: amount('Quanto do preço o FGTS paga', ({ fgts }) => fgts),
  entrada: amount(
    '`imovel` menos `fgts` e menos `financiado` sem as `despesas`; 0 em crédito com garantia de imóvel',
    ({ downPayment }) => downPayment,
  ),
  despesas_a_vista: amount('ITBI e registro que não entraram no financiamento', ({ cashExpenses }) => cashExpenses),
  recursos_necessarios: amount(
    'Dinheiro que o cliente traz no dia: entrada, despesas à vista e avaliação',
    ({ cashNeeded }) => cashNeeded,
  ),
});

const RATES = fieldsOf<Offer>()({
  juros_aa: field(percent('Juros efetivos, 2 casas', 'ano'), ({ annualRate }) => annualRate),
  juros_am: field(percent('Os mesmos juros, 4 casas', 'mês'), ({ monthlyRate }) => monthlyRate),
  cet_aa: field(officialCost(), ({ effectiveAnnualCost }) => effectiveAnnualCost),
  cet_projetado_aa: field(z.optional(projectedCost()), ({ projection }) => projection.annualCost),
});

const INSTALMENTS = fieldsOf<Offer>()({
  primeira: amount('Primeira parcela, com seguros e tarifa', ({ first }) => first.total),
  ultima: amount('Última parcela, com tarifa e sem seguros', ({ lastTotal }) => lastTotal),
  total_a_pagar: amount('Soma de todas as parcelas', ({ total }) => total),
});

const PROJECTION = fieldsOf<Projection>()({
  cenario: field(
    described(z.string(), 'Versão do cenário, que se guarda com a simulação.'),
    ({ scenario }) => scenario,
  ),
  indexador_aa: field(
    percent('Quanto se supõe que o indexador some; 0 sem indexador', 'ano'),
    ({ indexPercent }) => indexPercent,
  ),
  data: field(
    described(z.string(), 'Quando o número do indexador foi publicado; vazio sem indexador.'),
    ({ date }) => date,
  ),
  fonte: field(
    described(z.string(), 'Quem publicou o número do indexador; vazio sem indexador.'),
    ({ source }) => source,
  ),
  ultima: amount('Última parcela neste cenário', ({ lastTotal }) => lastTotal),
  total_a_pagar: amount('Soma de todas as parcelas neste cenário', ({ total }) => total),
});

const COSTS = fieldsOf<Offer>()({
  taxa_avaliacao: amount('Avaliação do imóvel, paga uma vez, no início', ({ appraisalFee }) => appraisalFee),
  dfi: field(percent('Seguro de danos ao imóvel (DFI), sobre o valor do imóvel', 'mês'), ({ dfiRate }) => dfiRate),
  tarifa_mensal: amount('Tarifa de administração de cada parcela', ({ monthlyFee }) => monthlyFee),
  iof: amount('IOF retido do que se recebe; 0 na compra de moradia, que é isenta', ({ iof }) => iof),
});

const FIRST = instalmentParts('Soma das partes: o que se paga na primeira parcela');

const OTHER = fieldsOf<Shown>()({
  id: field(simulationId(), ({ opportunity, offer }) => simulationIdFor(opportunity, offer)),
  banco: field(bankNickname(), ({ offer }) => offer.bank),
  sistema_amortizacao: field(amortizationSystem(), ({ offer }) => offer.system),
  taxa_tipo: field(z.optional(rateKind()), ({ offer }) => offer.rateKind),
  segmento: field(z.optional(segment()), ({ offer }) => offer.segment),
  cet_aa: field(officialCost(), ({ offer }) => offer.effectiveAnnualCost),
  cet_projetado_aa: field(z.optional(projectedCost()), ({ offer }) => offer.projection.annualCost),
});

/** Some fields that every record has are optional, as in the published document of v1. */
export const simulationFound = described(
  z.object({
    ok: okay(),
    simulacao: described(
      z.object({
        ...CONDITIONS.shape,
        segmento: z.optional(segment()),
        finalidade: z.optional(purpose()),
        cliente: described(z.object(CUSTOMER.shape), 'O cliente como estava no lead no momento da simulação.'),
        segundo_proponente: described(
          z.optional(z.object(SECOND_BORROWER.shape)),
          'Quem compra junto, como o seguro o conta.',
        ),
        valores: described(
          z.object({ ...VALUES.shape, ...z.partial(z.object(CASH.shape)).shape }),
          'De que valores a oferta parte.',
        ),
        taxas: described(
          z.object({ ...RATES.shape, ...z.partial(z.object(RATE_LABELS.shape)).shape }),
          'Quanto custa o dinheiro.',
        ),
        parcelas: described(
          z.object(INSTALMENTS.shape),
          'Resumo do cronograma, que está inteiro em /v1/simulacoes/{id}/parcelas.',
        ),
        inflacao_por_conta_de: described(
          z.enum(['cliente', 'banco']),
          'Quem assume a inflação: o cliente quando um indexador corrige o saldo, o banco quando não há indexador.',
        ),
        projecao: described(
          z.optional(described(z.object(PROJECTION.shape), { id: 'Projecao' })),
          'A mesma oferta em um cenário do indexador: para comparar ofertas, não é promessa.',
        ),
        renda_necessaria: requiredIncome(),
        ...INCOME_STANDING.shape,
        custos: described(z.object(COSTS.shape), 'O que se paga além dos juros.'),
        composicao_primeira_parcela: described(
          z.object(FIRST.shape),
          'De que se compõe a primeira parcela; as partes somam exatamente o total.',
        ),
        observacoes: described(
          z.array(z.string()),
          'O que a simulação supôs, em frases para o cliente; na consulta pelo id_oportunidade também o que não se compara entre as ofertas, e por quê.',
        ),
        outras: described(
          z.optional(z.array(z.object(OTHER.shape))),
          'As outras ofertas, por natureza da taxa (`taxa_tipo` e, no tipo segmento, `segmento`) e em cada uma em ordem crescente do CET projetado, e por fim as de crédito com garantia de imóvel; só quando a consulta foi pelo id_oportunidade.',
        ),
      }),
      { id: 'Simulacao' },
    ),
  }),
  { id: 'SimulacaoConsultada' },
);

/** Shows the customer as the lead was at the simulation's moment. */
export const simulatedCustomer = (opportunity: Opportunity) => CUSTOMER.body(opportunity.customer);

function remarksOn({ indexer: index, projection: { indexPercent, source }, notices, rateKind }: Offer): string[] {
  const remarks = ['Simulação indicativa: as condições são confirmadas na análise de crédito.'];
  if (rateKind === 'a_partir_de') remarks.unshift(LOWEST_RATE_TEXT);
  for (const notice of notices) remarks.push(noticeText(notice));
  if (index !== 'PREFIXADO') {
    const percent = String(indexPercent).replace('.', ',');
    remarks.push(`O CET conta o indexador ${index} como zero.`);
    remarks.push(`O CET projetado supõe ${index} de ${percent} % ao ano (${source}).`);
  }
  return remarks;
}

const comparisonTexts = (comparison: Comparison): string[] =>
  [rateKindsText(comparison), differenceText(comparison)]
    .filter((text) => text !== undefined)
    .concat(closeCallTexts(comparison));

/** If the call named the opportunity's id, `comparison` has all its offers. */
export function simulationFoundBody(
  opportunity: Opportunity,
  offer: Offer,
  comparison: Comparison | undefined,
): z.input<typeof simulationFound> {
  const { secondBorrower: second } = offer;
  const others = comparison?.ranked.concat(comparison.apart).filter((other) => other !== offer);
  return {
    ok: true,
    simulacao: {
      ...CONDITIONS.body({ opportunity, offer }),
      cliente: simulatedCustomer(opportunity),
      segmento: offer.segment,
      finalidade: offer.purpose,
      segundo_proponente: second && SECOND_BORROWER.body(second),
      projecao: PROJECTION.body(offer.projection),
      valores: { ...VALUES.body(offer), ...CASH.body(offer) },
      taxas: { ...RATES.body(offer), ...RATE_LABELS.body(offer) },
      inflacao_por_conta_de: inflationBearer(offer) === 'borrower' ? 'cliente' : 'banco',
      parcelas: INSTALMENTS.body(offer),
      renda_necessaria: reaisFromCentavos(offer.requiredIncome),
      ...INCOME_STANDING.body(offer),
      custos: COSTS.body(offer),
      composicao_primeira_parcela: FIRST.body(offer.first),
      observacoes: remarksOn(offer).concat(comparison ? comparisonTexts(comparison) : []),
      outras: others?.map((other) => OTHER.body({ opportunity, offer: other })),
    },
  };
}

const PARTS = instalmentParts('Soma das partes: o que se paga nesta parcela');
const PLACE = fieldsOf<Instalment>()({
  numero: field(described(z.int(), 'Ordem da parcela, de 1 ao prazo.'), ({ number }) => number),
  vencimento: field(dayField('Dia em que a parcela vence.'), ({ dueDate }) => dueDate),
});
const AFTER = fieldsOf<Instalment>()({
  saldo_devedor: amount('O que se deve depois de pagar esta parcela; 0 na última', ({ balance }) => balance),
});

export const instalmentList = described(
  z.object({
    ok: okay(),
    simulacao_id: simulationId(),
    parcelas: described(
      z.array(described(z.object({ ...PLACE.shape, ...PARTS.shape, ...AFTER.shape }), { id: 'Parcela' })),
      'O cronograma inteiro, uma linha por mês.',
    ),
  }),
  { id: 'Parcelas' },
);

export function instalmentListBody(
  opportunity: Opportunity,
  offer: Offer,
  schedule: readonly Instalment[],
): z.input<typeof instalmentList> {
  return {
    ok: true,
    simulacao_id: simulationIdFor(opportunity, offer),
    parcelas: schedule.map((row) => ({ ...PLACE.body(row), ...PARTS.body(row), ...AFTER.body(row) })),
  };
}
