import * as z from 'zod/mini';
import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import {
  AMORTIZATION_SYSTEMS,
  type Offer,
  type Opportunity,
  type Proposal,
  type Quote,
  type Refusal,
} from '../domain/simulations/simulation.ts';
import type { OpportunityId } from '../domain/values/ids.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { bankNickname, okay } from './fields.ts';
import { type Notice, noticeList, noticesField } from './notices.ts';
import {
  amortizationSystem,
  incomeStanding,
  incomeStandingOf,
  indexer,
  officialCost,
  opportunityId,
  percent,
  product,
  projectedCost,
  projectedCostOf,
  rateLabels,
  rateLabelsOf,
  reais,
  segment,
  simulationId,
} from './simulation-fields.ts';
import { noticesOf } from './simulation-notices.ts';
import { refusalText } from './simulation-refusal.ts';

const proposal = described(
  z.object({
    valor_imovel: reais('Valor do imóvel'),
    valor_financiado: reais('Valor que se pede ao banco, sem as despesas'),
    prazo: described(z.int(), 'Prazo, em meses.'),
    tipo_amortizacao: described(z.enum(AMORTIZATION_SYSTEMS), 'Sistema que este banco oferece.'),
  }),
  { id: 'PropostaPossivel' },
);

const offered = described(
  z.object({
    banco: bankNickname(),
    sucesso: described(z.literal(true), 'true: o banco oferece, e os preços estão aqui.'),
    simulacao_id: simulationId(),
    produto: product(),
    indexador: indexer(),
    sistema_amortizacao: amortizationSystem(),
    valor_financiado: reais('Principal do contrato, despesas financiadas incluídas'),
    prazo_meses: described(z.int(), 'Prazo que o banco oferece, em meses.'),
    segmento: segment(),
    taxa_anual: percent('Juros efetivos, 2 casas', 'ano'),
    ...rateLabels(),
    cet_anual: officialCost(),
    cet_projetado_aa: z.optional(projectedCost()),
    parcela_1: reais('Primeira parcela, com seguros e tarifa'),
    entrada: reais(
      'Preço menos FGTS e menos `valor_financiado` sem as despesas financiadas; 0 em crédito com garantia de imóvel',
    ),
    recursos_necessarios: reais(
      'Dinheiro que o cliente traz no dia: entrada, despesas à vista, avaliação e o IOF de uma compra',
    ),
    renda_necessaria: reais(
      'Menor renda mensal com que este banco oferece estas condições; com dois proponentes sem `participacao`, a soma das rendas na mesma proporção',
    ),
    ...incomeStanding(),
    pdf_url: described(z.string(), 'Caminho do PDF da simulação, que se acrescenta a {base_url}; pede a mesma chave.'),
  }),
  { id: 'OfertaComPrecos', description: 'O que um banco oferece.' },
);

const refused = described(
  z.object({
    banco: bankNickname(),
    sucesso: described(z.literal(false), 'false: o banco não oferece, e motivos diz por quê. Não há preço nenhum.'),
    sistema_amortizacao: amortizationSystem(),
    motivo: described(z.string(), 'Por que este banco não oferece, com o limite que o pedido passou.'),
    motivos: described(z.array(z.string()), 'Tudo o que impede a oferta neste banco; o primeiro é o de motivo.'),
    proposta_possivel: described(
      z.optional(proposal),
      'O pedido mais próximo que este banco aceita: troque estes quatro campos, sem `sistemas`, e simule de novo. Ausente quando nenhum valor resolve, ou só um imóvel mais barato.',
    ),
  }),
  { id: 'OfertaRecusada', description: 'Por que um banco não oferece, e o que ele aceitaria.' },
);

const offerEntry = described(z.discriminatedUnion('sucesso', [offered, refused]), {
  id: 'Oferta',
  description: 'A resposta de um banco: com preços quando `sucesso` é true, com motivos quando é false.',
});

/** Answer of POST /v1/simulacoes. */
export const simulationCreated = described(
  z.object({
    ok: okay(),
    resultado: described(
      z.object({
        sucesso: described(z.boolean(), 'true quando ao menos um dos bancos oferece.'),
        id_oportunidade: opportunityId(),
        resultados: described(
          z.array(offerEntry),
          'Um item por banco, na ordem pedida; com sistemas, um por banco e sistema.',
        ),
      }),
      'O que se simulou nesta chamada, banco a banco.',
    ),
    avisos: noticeList(),
  }),
  { id: 'SimulacaoCriada' },
);

function proposalOf({ propertyValue, financedValue, term, system }: Proposal): z.input<typeof proposal> {
  return {
    valor_imovel: reaisFromCentavos(propertyValue),
    valor_financiado: reaisFromCentavos(financedValue),
    prazo: term,
    tipo_amortizacao: system,
  };
}

function refusalEntry({ bank, system, reason, reasons, proposal: possible }: Refusal): z.input<typeof refused> {
  return {
    banco: bank,
    sucesso: false,
    sistema_amortizacao: system,
    motivo: refusalText(reason),
    motivos: reasons.map(refusalText),
    ...(possible && { proposta_possivel: proposalOf(possible) }),
  };
}

function entryOf(opportunity: Pick<Opportunity, 'id' | 'offers'>, offer: Offer): z.input<typeof offered> {
  const id = simulationIdFor(opportunity, offer);
  return {
    banco: offer.bank,
    sucesso: true,
    simulacao_id: id,
    produto: offer.product,
    indexador: offer.indexer,
    sistema_amortizacao: offer.system,
    valor_financiado: reaisFromCentavos(offer.principal),
    prazo_meses: offer.term,
    segmento: offer.segment,
    taxa_anual: offer.annualRate,
    ...rateLabelsOf(offer),
    cet_anual: offer.effectiveAnnualCost,
    ...projectedCostOf(offer),
    parcela_1: reaisFromCentavos(offer.first.total),
    entrada: reaisFromCentavos(offer.downPayment),
    recursos_necessarios: reaisFromCentavos(offer.cashNeeded),
    renda_necessaria: reaisFromCentavos(offer.requiredIncome),
    ...incomeStandingOf(offer),
    pdf_url: `/v1/simulacoes/${id}/pdf`,
  };
}

/**
 * The answer with an opportunity's quotes, in their order; `financeExpenses` as the request has it, `unknown` what is
 * said of fields that nobody knows.
 */
export function simulationCreatedBody(
  id: OpportunityId,
  quotes: readonly Quote[],
  financeExpenses: boolean,
  unknown: readonly Notice[] = [],
): z.input<typeof simulationCreated> {
  const offers = quotes.flatMap((made) => ('offer' in made ? [made.offer] : []));
  return {
    ok: true,
    resultado: {
      sucesso: offers.length > 0,
      id_oportunidade: id,
      resultados: quotes.map((made) =>
        'offer' in made ? entryOf({ id, offers }, made.offer) : refusalEntry(made.refusal),
      ),
    },
    ...noticesField(unknown, noticesOf(financeExpenses, quotes)),
  };
}
