import * as z from 'zod';
import {
  AMORTIZATION_SYSTEMS,
  type AmortizationSystem,
  type FgtsCondition,
  INDEXERS,
  type Instalment,
  type Offer,
  type Opportunity,
  PRODUCTS,
  type Quote,
  type RefusalReason,
  validUntil,
} from '../domain/simulations/simulation.ts';
import { BANK_IDENTITIES, type Bank } from '../domain/values/bank.ts';
import { timestamp } from '../domain/values/clock.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import type { Failure } from '../domain/values/failure.ts';
import { type LeadId, type OpportunityId, simulationIdOf } from '../domain/values/ids.ts';
import { type Centavos, formatReais, reaisFromCentavos } from '../domain/values/money.ts';
import { fieldFailure } from './failures.ts';
import {
  bankId,
  bankNames,
  bankNickname,
  dayField,
  flag,
  idField,
  type JsonObject,
  momentField,
  money,
  okay,
  oneOf,
  parseBanks,
  positiveInteger,
  readFields,
  withoutNulls,
} from './fields.ts';

/** A value of a list that may grow in v1: text, with the values known today beside it. */
const openEnum = (description: string, values: readonly string[]) =>
  z.string().meta({
    description: `${description} Lista aberta, hoje ${values.join(', ')}: novos valores podem surgir na v1.`,
    'x-extensible-enum': [...values],
  });
const product = () =>
  openEnum('Regime do crédito: SFH e SFI são financiamento de imóvel, HOME_EQUITY é crédito com garantia.', PRODUCTS);
const indexer = () => openEnum('O que corrige o saldo devedor, além dos juros.', INDEXERS);
const amortizationSystem = () =>
  openEnum('Como as parcelas evoluem: SAC cai, PRICE é constante.', AMORTIZATION_SYSTEMS);
const simulationId = () =>
  idField('Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.');
const opportunityId = () =>
  idField(
    'Identificador de tudo o que esta chamada simulou; GET /v1/simulacoes/{id} o aceita e responde com a de menor CET.',
  );
const reais = (description: string) => z.number().describe(`${description}, em reais.`);
const percent = (description: string, per: 'ano' | 'mês') =>
  z.number().describe(`${description}, em percentual ao ${per}.`);

/** Body of POST /v1/simulacoes. */
export const simulationInput = z
  .object({
    lead_id: positiveInteger().meta({
      description: 'Lead para quem se simula, da mesma unidade e do mesmo ambiente da chave.',
      format: 'int64',
    }),
    valor_imovel: money()
      .optional()
      .describe('Valor de compra ou de mercado do imóvel, em reais. Sem ele, o menor que comporta valor_financiado.'),
    valor_financiado: money()
      .optional()
      .describe(
        'Valor que se pede ao banco, em reais. Sem ele, a maior parte do imóvel que o banco financia; sem os dois valores, o que a renda sustenta.',
      ),
    prazo: positiveInteger('deve ser um número inteiro de meses, a partir de 1')
      .optional()
      .describe(
        'Prazo do financiamento, em meses. Sem ele, o maior que o banco e a idade do cliente permitem; acima do limite de um banco, ele recusa.',
      ),
    renda: money().optional().describe('Renda mensal bruta a considerar, em reais; sem ela, vale a do lead.'),
    tipo_amortizacao: oneOf(AMORTIZATION_SYSTEMS)
      .optional()
      .describe('Como as parcelas evoluem: SAC (cai mês a mês, o padrão) ou PRICE (constante).'),
    financiar_despesas: flag()
      .optional()
      .describe('true financia também ITBI e registro (4 % do imóvel), nos bancos que o fazem; sem ele, false.'),
    bancos: bankNames(),
  })
  .meta({ id: 'SimulacaoNova' });

/** What a simulation's body asks for; the lead and the day complete it. */
export interface SimulationRequest {
  readonly leadId: LeadId;
  readonly banks: readonly Bank[];
  readonly propertyValue: Centavos | undefined;
  readonly financedValue: Centavos | undefined;
  readonly term: number | undefined;
  readonly income: Centavos | undefined;
  readonly system: AmortizationSystem | undefined;
  readonly financeExpenses: boolean;
}

export function parseSimulation(body: JsonObject): SimulationRequest {
  const fields = readFields(simulationInput, withoutNulls(body));
  return {
    leadId: fields.lead_id as LeadId,
    banks: parseBanks(fields.bancos),
    propertyValue: fields.valor_imovel,
    financedValue: fields.valor_financiado,
    term: fields.prazo,
    income: fields.renda,
    system: fields.tipo_amortizacao,
    financeExpenses: fields.financiar_despesas ?? false,
  };
}

/** Nothing to start from: neither a value nor an income, in the request or in the lead. */
export function nothingToSimulate(): Failure {
  const reason = 'informe ao menos um destes: valor_imovel, valor_financiado ou renda (na simulação ou no lead)';
  return fieldFailure('campo_obrigatorio', ['valor_imovel', 'valor_financiado', 'renda'], reason);
}

const years = (months: number) =>
  months % 12 === 0 ? `${months / 12} anos` : `${Math.floor(months / 12)} anos e ${months % 12} meses`;

const FGTS_TEXTS: Readonly<Record<FgtsCondition, string>> = {
  threeYears: 'O FGTS exige ao menos três anos de trabalho sob o regime do FGTS.',
  noSfhLoan: 'O FGTS não pode ser usado por quem tem outro financiamento ativo no SFH.',
  noPropertyInTown: 'O FGTS não pode ser usado por quem tem imóvel residencial no município em que mora ou trabalha.',
  ownHome: 'O FGTS só paga imóvel para moradia própria.',
};

const FGTS_OUTSIDE_TEXTS: Readonly<Record<'product' | 'rate' | 'property', (limit: string) => string>> = {
  product: () => 'O FGTS só paga a compra de moradia pelo SFH, e este crédito não é dela.',
  rate: () => 'O FGTS só pode ser usado no SFH, e a taxa deste banco passa do limite do SFH.',
  property: (limit) => `O FGTS só pode ser usado no SFH, e o imóvel passa do limite do SFH, de ${limit}.`,
};

/** Why a bank makes no offer, in a sentence that names the limit and so the cure. */
export function refusalText(reason: RefusalReason): string {
  switch (reason.kind) {
    case 'termTooLong':
      return `O prazo passa do máximo deste banco; peça até ${reason.longest} meses.`;
    case 'termTooShort':
      return `O prazo é menor que o mínimo deste banco; peça ao menos ${reason.shortest} meses.`;
    case 'tooOldAtTheEnd':
      return reason.longest > 0
        ? `O titular passaria de 80 anos e 6 meses no fim do prazo; para a idade dele o maior prazo é de ${reason.longest} meses.`
        : 'A idade do titular não permite nem o menor prazo deste banco: o limite é de 80 anos e 6 meses no fim do contrato.';
    case 'tooYoung':
      return `O titular tem menos de ${reason.youngest} anos; o financiamento exige maioridade.`;
    case 'tooOld':
      return `O titular tem mais de ${years(reason.oldest * 12)}; o banco não financia acima dessa idade.`;
    case 'ltvExceeded':
      return reason.expenses > 0
        ? `O valor financiado, com as despesas financiadas de ${formatReais(reason.expenses)}, passa de ${reason.share} % do imóvel; neste banco o máximo é ${formatReais(reason.highest)} além das despesas.`
        : `O valor financiado passa de ${reason.share} % do imóvel; neste banco o máximo é ${formatReais(reason.highest)}.`;
    case 'propertyTooCheap':
      return `O imóvel vale menos que o mínimo deste banco, de ${formatReais(reason.least)}.`;
    case 'leastLoanAboveShare':
      return `O menor financiamento deste banco, de ${formatReais(reason.leastLoan)}, passa de ${reason.share} % deste imóvel; peça para um imóvel de ao menos ${formatReais(reason.property)}.`;
    case 'financedTooLow':
      return `O valor financiado é menor que o mínimo deste banco, de ${formatReais(reason.least)}.`;
    case 'financedTooHigh':
      return reason.published
        ? `O valor financiado passa do máximo deste banco, de ${formatReais(reason.most)}.`
        : `O valor financiado passa de ${formatReais(reason.most)}; acima disso, consulte o banco.`;
    case 'stateNotServed':
      return `Este banco não financia imóveis nesse estado; ele atende ${reason.states.join(', ')}.`;
    case 'fgtsConditionMissing':
      return FGTS_TEXTS[reason.condition];
    case 'fgtsOutsideSfh':
      return FGTS_OUTSIDE_TEXTS[reason.because](formatReais(reason.highestProperty));
    case 'fgtsTooHigh':
      return `O FGTS e o valor financiado passam do valor do imóvel; o FGTS pode pagar até ${formatReais(reason.most)}.`;
    case 'systemNotOffered':
      return `Este banco não oferece esse sistema de amortização; use ${reason.offered.join(' ou ')}.`;
    case 'incomeCarriesNothing':
      return `A renda não sustenta o menor financiamento deste banco, que pede renda de ${formatReais(reason.least)}.`;
  }
}

const instalmentParts = () => ({
  amortizacao: reais('Parte que abate o principal'),
  juros: reais('Juros do mês sobre o saldo devedor'),
  seguro_mip: reais('Seguro de morte e invalidez (MIP), conforme a idade'),
  dfi: reais('Seguro de danos ao imóvel (DFI)'),
  tarifa: reais('Tarifa de administração'),
});

const offerEntry = z
  .object({
    banco: bankNickname(),
    sucesso: z.boolean().describe('true quando o banco oferece; false vem com motivo e sem preço nenhum.'),
    motivo: z
      .string()
      .optional()
      .describe('Por que este banco não oferece, com o limite que o pedido passou. Só quando sucesso é false.'),
    simulacao_id: simulationId().optional(),
    produto: product().optional(),
    indexador: indexer().optional(),
    sistema_amortizacao: amortizationSystem().optional(),
    valor_financiado: reais('Principal do contrato, despesas financiadas incluídas').optional(),
    prazo_meses: z.int().optional().describe('Prazo que o banco oferece, em meses.'),
    taxa_anual: percent('Juros efetivos, 2 casas', 'ano').optional(),
    cet_anual: percent('Custo efetivo total (CET): juros, seguros e tarifas, 2 casas', 'ano').optional(),
    parcela_1: reais('Primeira parcela, com seguros e tarifa').optional(),
    renda_necessaria: reais('Menor renda mensal com que este banco oferece estas condições').optional(),
    pdf_url: z
      .string()
      .optional()
      .describe('Caminho do PDF da simulação, que se acrescenta a {base_url}; pede a mesma chave.'),
  })
  .meta({ id: 'Oferta' });

export const simulationCreated = z
  .object({
    ok: okay(),
    resultado: z
      .object({
        sucesso: z.boolean().describe('true quando ao menos um dos bancos oferece.'),
        id_oportunidade: opportunityId(),
        resultados: z.array(offerEntry).describe('Um item por banco, na ordem pedida.'),
      })
      .describe('O que se simulou nesta chamada, banco a banco.'),
  })
  .meta({ id: 'SimulacaoCriada' });

export function simulationCreatedBody(
  opportunityId: OpportunityId,
  quotes: readonly Quote[],
): z.input<typeof simulationCreated> {
  return {
    ok: true,
    resultado: {
      sucesso: quotes.some((quote) => 'offer' in quote),
      id_oportunidade: opportunityId,
      resultados: quotes.map((quote) => {
        if ('refusal' in quote) {
          return { banco: quote.refusal.bank, sucesso: false, motivo: refusalText(quote.refusal.reason) };
        }
        const { offer } = quote;
        const id = simulationIdOf(opportunityId, BANK_IDENTITIES[offer.bank].id);
        return {
          banco: offer.bank,
          sucesso: true,
          simulacao_id: id,
          produto: offer.product,
          indexador: offer.indexer,
          sistema_amortizacao: offer.system,
          valor_financiado: reaisFromCentavos(offer.principal),
          prazo_meses: offer.term,
          taxa_anual: offer.annualRate,
          cet_anual: offer.effectiveAnnualCost,
          parcela_1: reaisFromCentavos(offer.first.total),
          renda_necessaria: reaisFromCentavos(offer.requiredIncome),
          pdf_url: `/v1/simulacoes/${id}/pdf`,
        };
      }),
    },
  };
}

export const simulationFound = z
  .object({
    ok: okay(),
    simulacao: z
      .object({
        id: simulationId(),
        lead_id: idField('Lead para quem se simulou.'),
        banco: bankNickname(),
        banco_id: bankId(),
        produto: product(),
        sistema_amortizacao: amortizationSystem(),
        indexador: indexer(),
        prazo_meses: z.int().describe('Prazo oferecido, em meses.'),
        data: momentField('Momento em que se simulou, UTC.'),
        valida_ate: dayField('Último dia em que as condições valem: 30 dias depois da simulação.'),
        tabela_versao: z
          .string()
          .describe('Versão da tabela do banco que deu os preços; uma tabela nova não altera simulações feitas.'),
        cliente: z
          .object({
            nome: z.string().describe('Nome do cliente no momento da simulação.'),
            cpf: z.string().describe('CPF do cliente, sempre com pontuação.'),
            data_nascimento: z
              .string()
              .nullable()
              .meta({ description: 'Nascimento do cliente; null quando o lead não o tinha.', format: 'date' }),
          })
          .describe('O cliente como estava no lead no momento da simulação.'),
        valores: z
          .object({
            imovel: reais('Valor do imóvel considerado'),
            financiado: reais('Principal do contrato, despesas financiadas incluídas'),
            despesas: reais('ITBI e registro que entraram no financiamento; 0 quando não entraram'),
          })
          .describe('De que valores a oferta parte.'),
        taxas: z
          .object({
            juros_aa: percent('Juros efetivos, 2 casas', 'ano'),
            juros_am: percent('Os mesmos juros, 4 casas', 'mês'),
            cet_aa: percent('Custo efetivo total (CET): juros, seguros e tarifas, 2 casas', 'ano'),
          })
          .describe('Quanto custa o dinheiro.'),
        parcelas: z
          .object({
            primeira: reais('Primeira parcela, com seguros e tarifa'),
            ultima: reais('Última parcela, com seguros e tarifa'),
            total_a_pagar: reais('Soma de todas as parcelas'),
          })
          .describe('Resumo do cronograma, que está inteiro em /v1/simulacoes/{id}/parcelas.'),
        renda_necessaria: reais('Menor renda mensal com que este banco oferece estas condições'),
        custos: z
          .object({
            taxa_avaliacao: reais('Avaliação do imóvel, paga uma vez, no início'),
            dfi: percent('Seguro de danos ao imóvel (DFI), sobre o valor do imóvel', 'mês'),
            tarifa_mensal: reais('Tarifa de administração de cada parcela'),
          })
          .describe('O que se paga além dos juros.'),
        composicao_primeira_parcela: z
          .object({ ...instalmentParts(), total: reais('Soma das partes: o que se paga na primeira parcela') })
          .describe('De que se compõe a primeira parcela; as partes somam exatamente o total.'),
        observacoes: z.array(z.string()).describe('O que a simulação supôs, em frases para o cliente.'),
        outras: z
          .array(z.object({ id: simulationId(), banco: bankNickname() }))
          .optional()
          .describe('As simulações dos outros bancos; só quando a consulta foi pelo id_oportunidade.'),
      })
      .meta({ id: 'Simulacao' }),
  })
  .meta({ id: 'SimulacaoConsultada' });

/** The parts of an instalment and their sum, in reais. */
function partsOf(row: Instalment) {
  return {
    amortizacao: reaisFromCentavos(row.amortization),
    juros: reaisFromCentavos(row.interest),
    seguro_mip: reaisFromCentavos(row.mip),
    dfi: reaisFromCentavos(row.dfi),
    tarifa: reaisFromCentavos(row.fee),
    total: reaisFromCentavos(row.total),
  };
}

/** The record of an opportunity's offer; `others` where the opportunity itself was asked for. */
export function simulationFoundBody(
  opportunity: Opportunity,
  offer: Offer,
  others: readonly Offer[] | undefined,
): z.input<typeof simulationFound> {
  const { first } = offer;
  const idAt = (bank: Bank) => simulationIdOf(opportunity.id, BANK_IDENTITIES[bank].id);
  return {
    ok: true,
    simulacao: {
      id: idAt(offer.bank),
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
      valores: {
        imovel: reaisFromCentavos(offer.propertyValue),
        financiado: reaisFromCentavos(offer.principal),
        despesas: reaisFromCentavos(offer.expenses),
      },
      taxas: { juros_aa: offer.annualRate, juros_am: offer.monthlyRate, cet_aa: offer.effectiveAnnualCost },
      parcelas: {
        primeira: reaisFromCentavos(first.total),
        ultima: reaisFromCentavos(offer.lastTotal),
        total_a_pagar: reaisFromCentavos(offer.total),
      },
      renda_necessaria: reaisFromCentavos(offer.requiredIncome),
      custos: {
        taxa_avaliacao: reaisFromCentavos(offer.appraisalFee),
        dfi: offer.dfiRate,
        tarifa_mensal: reaisFromCentavos(offer.monthlyFee),
      },
      composicao_primeira_parcela: partsOf(first),
      observacoes: [
        'Simulação indicativa: as condições são confirmadas na análise de crédito.',
        ...(offer.birthDate ? [] : ['Sem data de nascimento no lead, o seguro supõe 35 anos de idade.']),
        ...(offer.product === 'HOME_EQUITY' && offer.iof === undefined
          ? ['O CET não inclui o IOF, que incide sobre crédito com imóvel em garantia.']
          : []),
        ...(offer.indexer === 'PREFIXADO' ? [] : [`O indexador ${offer.indexer} foi contado como zero.`]),
      ],
      ...(others && { outras: others.map(({ bank }) => ({ id: idAt(bank), banco: bank })) }),
    },
  };
}

export const instalmentList = z
  .object({
    ok: okay(),
    simulacao_id: simulationId(),
    parcelas: z
      .array(
        z
          .object({
            numero: z.int().describe('Ordem da parcela, de 1 ao prazo.'),
            vencimento: dayField('Dia em que a parcela vence.'),
            ...instalmentParts(),
            total: reais('Soma das partes: o que se paga nesta parcela'),
            saldo_devedor: reais('O que se deve depois de pagar esta parcela; 0 na última'),
          })
          .meta({ id: 'Parcela' }),
      )
      .describe('O cronograma inteiro, uma linha por mês.'),
  })
  .meta({ id: 'Parcelas' });

export function instalmentListBody(
  opportunity: Opportunity,
  offer: Offer,
  schedule: readonly Instalment[],
): z.input<typeof instalmentList> {
  return {
    ok: true,
    simulacao_id: simulationIdOf(opportunity.id, BANK_IDENTITIES[offer.bank].id),
    parcelas: schedule.map((row) => ({
      numero: row.number,
      vencimento: row.dueDate,
      ...partsOf(row),
      saldo_devedor: reaisFromCentavos(row.balance),
    })),
  };
}
