import * as z from 'zod/mini';
import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import {
  AMORTIZATION_SYSTEMS,
  type Offer,
  offersOf,
  type Proposal,
  type Quote,
  type Refusal,
} from '../domain/simulations/simulation.ts';
import type { OpportunityId, SimulationId } from '../domain/values/ids.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { bankNickname, okay } from './fields.ts';
import { firstNotices, type Notice, noticeList } from './notices.ts';
import {
  amortizationSystem,
  amount,
  field,
  fieldsOf,
  INCOME_STANDING,
  indexer,
  officialCost,
  opportunityId,
  percent,
  product,
  projectedCost,
  RATE_LABELS,
  requiredIncome,
  segment,
  simulationId,
} from './simulation-fields.ts';
import { noticesOf } from './simulation-notices.ts';
import { refusalText } from './simulation-refusal.ts';

const PROPOSAL = fieldsOf<Proposal>()({
  valor_imovel: amount('Valor do imóvel', ({ propertyValue }) => propertyValue),
  valor_financiado: amount('Valor que se pede ao banco, sem as despesas', ({ financedValue }) => financedValue),
  prazo: field(described(z.int(), 'Prazo, em meses.'), ({ term }) => term),
  tipo_amortizacao: field(
    described(z.enum(AMORTIZATION_SYSTEMS), 'Sistema que este banco oferece.'),
    ({ system }) => system,
  ),
});

interface Offered extends Offer {
  readonly id: SimulationId;
}

const PRICES = fieldsOf<Offered>()({
  simulacao_id: field(simulationId(), ({ id }) => id),
  produto: field(product(), (offer) => offer.product),
  indexador: field(indexer(), (offer) => offer.indexer),
  sistema_amortizacao: field(amortizationSystem(), ({ system }) => system),
  valor_financiado: amount('Principal do contrato, despesas financiadas incluídas', ({ principal }) => principal),
  prazo_meses: field(described(z.int(), 'Prazo que o banco oferece, em meses.'), ({ term }) => term),
  segmento: field(segment(), (offer) => offer.segment),
  taxa_anual: field(percent('Juros efetivos, 2 casas', 'ano'), ({ annualRate }) => annualRate),
});

const COSTS = fieldsOf<Offer>()({
  cet_anual: field(officialCost(), ({ effectiveAnnualCost }) => effectiveAnnualCost),
  cet_projetado_aa: field(z.optional(projectedCost()), ({ projection }) => projection.annualCost),
  parcela_1: amount('Primeira parcela, com seguros e tarifa', ({ first }) => first.total),
  entrada: amount(
    'Preço menos FGTS e menos `valor_financiado` sem as despesas financiadas; 0 em crédito com garantia de imóvel',
    ({ downPayment }) => downPayment,
  ),
  recursos_necessarios: amount(
    'Dinheiro que o cliente traz no dia: entrada, despesas à vista e avaliação',
    ({ cashNeeded }) => cashNeeded,
  ),
  renda_necessaria: field(requiredIncome(), (offer) => reaisFromCentavos(offer.requiredIncome)),
});

const DOCUMENT = fieldsOf<Offered>()({
  pdf_url: field(
    described(z.string(), 'Caminho do PDF da simulação, que se acrescenta a {base_url}; pede a mesma chave.'),
    ({ id }) => `/v1/simulacoes/${id}/pdf`,
  ),
});

const offered = described(
  z.object({
    banco: bankNickname(),
    sucesso: described(z.literal(true), 'true: o banco oferece, e os preços estão aqui.'),
    ...PRICES.shape,
    ...RATE_LABELS.shape,
    ...COSTS.shape,
    ...INCOME_STANDING.shape,
    ...DOCUMENT.shape,
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
      z.optional(described(z.object(PROPOSAL.shape), { id: 'PropostaPossivel' })),
      'O pedido mais próximo que este banco aceita: troque estes quatro campos, sem `sistemas`, e simule de novo. Ausente quando nenhum valor resolve, ou só um imóvel mais barato.',
    ),
  }),
  { id: 'OfertaRecusada', description: 'Por que um banco não oferece, e o que ele aceitaria.' },
);

const offerEntry = described(z.discriminatedUnion('sucesso', [offered, refused]), {
  id: 'Oferta',
  description: 'A resposta de um banco: com preços quando `sucesso` é true, com motivos quando é false.',
});

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

function refusalEntry({ bank, system, reason, reasons, proposal: possible }: Refusal): z.input<typeof refused> {
  return {
    banco: bank,
    sucesso: false,
    sistema_amortizacao: system,
    motivo: refusalText(reason),
    motivos: reasons.map(refusalText),
    proposta_possivel: possible && PROPOSAL.body(possible),
  };
}

function offerEntryOf(offer: Offered): z.input<typeof offered> {
  return {
    banco: offer.bank,
    sucesso: true,
    ...PRICES.body(offer),
    ...RATE_LABELS.body(offer),
    ...COSTS.body(offer),
    ...INCOME_STANDING.body(offer),
    ...DOCUMENT.body(offer),
  };
}

/** `financeExpenses` is the request's wish. `unknown` are the notices about unknown fields. */
export function simulationCreatedBody(
  id: OpportunityId,
  quotes: readonly Quote[],
  financeExpenses: boolean,
  unknown: readonly Notice[] = [],
): z.input<typeof simulationCreated> {
  const offers = offersOf(quotes);
  return {
    ok: true,
    resultado: {
      sucesso: offers.length > 0,
      id_oportunidade: id,
      resultados: quotes.map((quote) =>
        'offer' in quote
          ? offerEntryOf({ ...quote.offer, id: simulationIdFor({ id, offers }, quote.offer) })
          : refusalEntry(quote.refusal),
      ),
    },
    avisos: firstNotices(noticesOf(financeExpenses, quotes), unknown),
  };
}
