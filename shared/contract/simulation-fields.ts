import * as z from 'zod/mini';
import {
  AMORTIZATION_SYSTEMS,
  INDEXERS,
  type Instalment,
  type Offer,
  PRODUCTS,
  PURPOSES,
  RATE_KINDS,
  SEGMENTS,
} from '../domain/simulations/simulation.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { idField } from './fields.ts';

// Fields that several bodies of simulations share.

/** A value of a list that may grow in v1: text, with the values known today beside it. */
const openEnum = (description: string, values: readonly string[]) =>
  described(z.string(), {
    description: `${description} Lista aberta, hoje ${values.join(', ')}: novos valores podem surgir na v1.`,
    'x-extensible-enum': [...values],
  });

export const product = () =>
  openEnum('Regime do crédito: SFH e SFI são financiamento de imóvel, HOME_EQUITY é crédito com garantia.', PRODUCTS);
export const indexer = () => openEnum('O que corrige o saldo devedor, além dos juros.', INDEXERS);
export const amortizationSystem = () =>
  openEnum('Como as parcelas evoluem: SAC cai, PRICE é constante.', AMORTIZATION_SYSTEMS);
export const segment = () =>
  openEnum(
    'De quem é a taxa: padrao é o cliente comum de agência; é o que vale também quando o banco não publica taxa para o segmento pedido.',
    SEGMENTS,
  );
export const purpose = () => openEnum('Para que se compra o imóvel.', PURPOSES);
export const simulationId = () =>
  idField('Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.');
export const opportunityId = () =>
  idField(
    'Identificador de tudo o que esta chamada simulou; GET /v1/simulacoes/{id} o aceita e responde com a de menor custo projetado.',
  );

/** An amount of an answer. */
export const reais = (description: string) => described(z.number(), `${description}, em reais.`);
/** A rate of an answer. */
export const percent = (description: string, per: 'ano' | 'mês') =>
  described(z.number(), `${description}, em percentual ao ${per}.`);

export const officialCost = () =>
  percent(
    'Custo efetivo total (CET): juros, seguros, tarifas e IOF, com o indexador contado como zero, 2 casas',
    'ano',
  );
export const projectedCost = () =>
  percent(
    'CET projetado: o mesmo custo com o indexador no cenário datado, 2 casas; é por ele que se comparam ofertas',
    'ano',
  );

export function projectedCostOf({ projection }: Offer) {
  return { cet_projetado_aa: projection.annualCost };
}

/** What a rate is, when it was published and by whom. */
export const rateLabels = () => ({
  taxa_tipo: openEnum(
    'O que a taxa é: a_partir_de é a menor anunciada, segmento a do segmento, media uma média de contratos, promocional a de uma campanha.',
    RATE_KINDS,
  ),
  taxa_data: described(z.string(), {
    description: 'Quando a taxa foi publicada, com a precisão que se conhece: 2026, 2026-07 ou 2026-07-30.',
  }),
  taxa_fonte: described(z.string(), 'Quem publicou a taxa, em uma frase para o cliente.'),
});

export function rateLabelsOf({ rateKind, rateDate, rateSource }: Pick<Offer, 'rateKind' | 'rateDate' | 'rateSource'>) {
  return { taxa_tipo: rateKind, taxa_data: rateDate, taxa_fonte: rateSource };
}

/** Whether a known income carries an offer, and what it carries at these terms. */
export const incomeStanding = () => ({
  renda_suficiente: described(
    z.optional(z.boolean()),
    'Se a renda informada, a dos dois proponentes somada, sustenta a primeira parcela. Só quando há renda.',
  ),
  valor_maximo_pela_renda: z.optional(
    reais(
      'Maior valor financiado, sem as despesas, que a renda e o banco permitem nestas condições. Ausente quando não há nenhum',
    ),
  ),
});

export function incomeStandingOf({ income }: Offer) {
  return {
    ...(income && { renda_suficiente: income.sufficient }),
    ...(income?.highest !== undefined && { valor_maximo_pela_renda: reaisFromCentavos(income.highest) }),
  };
}

export const instalmentParts = () => ({
  amortizacao: reais('Parte que abate o principal'),
  juros: reais('Juros do mês sobre o saldo devedor'),
  seguro_mip: reais('Seguro de morte e invalidez (MIP), conforme a idade'),
  dfi: reais('Seguro de danos ao imóvel (DFI)'),
  tarifa: reais('Tarifa de administração'),
});

/** The parts of an instalment and their sum, in reais. */
export function instalmentPartsOf(row: Instalment) {
  return {
    amortizacao: reaisFromCentavos(row.amortization),
    juros: reaisFromCentavos(row.interest),
    seguro_mip: reaisFromCentavos(row.mip),
    dfi: reaisFromCentavos(row.dfi),
    tarifa: reaisFromCentavos(row.fee),
    total: reaisFromCentavos(row.total),
  };
}
