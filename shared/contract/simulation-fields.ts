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
import { addDays } from '../domain/values/clock.ts';
import { type Centavos, reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { idField } from './fields.ts';

/** A value of a list that may grow in v1. Its type is text, and the document names the values that exist today. */
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
    'Identificador de tudo o que esta chamada simulou; GET /v1/simulacoes/{id} o aceita e responde com a primeira oferta: na ordem segmento, media, a_partir_de, promocional do tipo da taxa, e em cada tipo pelo CET projetado.',
  );

export const reais = (description: string) => described(z.number(), `${description}, em reais.`);
export const percent = (description: string, per: 'ano' | 'mês') =>
  described(z.number(), `${description}, em percentual ao ${per}.`);

export const officialCost = () =>
  percent(
    'Custo efetivo total (CET): juros, seguros, tarifas e IOF, com o indexador contado como zero, 2 casas',
    'ano',
  );
export const projectedCost = () =>
  percent(
    'CET projetado: o mesmo custo com o indexador no cenário datado, 2 casas; é a taxa que põe em ordem as ofertas de mesmo tipo de taxa',
    'ano',
  );

export const requiredIncome = () =>
  reais(
    'Menor renda mensal com que este banco oferece estas condições; com dois proponentes sem `participacao`, a soma das rendas na mesma proporção',
  );

/** JSON leaves an undefined value out. */
interface Field<Source, Schema extends z.ZodMiniType> {
  readonly schema: Schema;
  readonly of: (source: Source) => z.input<Schema>;
}
type Fields<Source> = Readonly<Record<string, Field<Source, z.ZodMiniType>>>;
type ShapeOf<Rows extends Fields<never>> = { readonly [name in keyof Rows]: Rows[name]['schema'] };

export function field<Source, Schema extends z.ZodMiniType>(
  schema: Schema,
  of: (source: Source) => z.input<Schema>,
): Field<Source, Schema> {
  return { schema, of };
}

/** Returns the field of an amount: centavos in the code, reais in the answer. */
export const amount = <Source>(description: string, of: (source: Source) => Centavos) =>
  field(reais(description), (source: Source) => reaisFromCentavos(of(source)));

/** Makes the schema (`shape`) and the values (`body`) of a part of an answer from one table. */
export function fieldsOf<Source>() {
  return <Rows extends Fields<Source>>(rows: Rows) => {
    const entries = Object.entries(rows);
    return {
      shape: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])) as ShapeOf<Rows>,
      body: (source: Source) => {
        const values = entries.map(([name, { of }]) => [name, of(source)]);
        return Object.fromEntries(values) as z.input<z.ZodMiniObject<ShapeOf<Rows>>>;
      },
    };
  };
}

export const rateKind = () =>
  openEnum(
    'O que a taxa é: a_partir_de é a menor anunciada, segmento a do segmento, media uma média de contratos, promocional a de uma campanha.',
    RATE_KINDS,
  );

export const RATE_LABELS = fieldsOf<Offer>()({
  taxa_tipo: field(rateKind(), (offer) => offer.rateKind),
  taxa_data: field(
    described(z.string(), 'Quando a taxa foi publicada, com a precisão que se conhece: 2026, 2026-07 ou 2026-07-30.'),
    ({ rateDate }) => rateDate,
  ),
  taxa_fonte: field(
    described(z.string(), 'Quem publicou a taxa, em uma frase para o cliente.'),
    ({ rateSource }) => rateSource,
  ),
  taxa_recusada_desde: field(
    described(z.optional(z.string()), {
      description: 'Dia desde o qual, em produção, novas simulações recusam este banco pela idade desta taxa.',
      format: 'date',
    }),
    ({ rateUntil }) => rateUntil && addDays(rateUntil, 1),
  ),
  condicoes_data: field(
    described(
      z.optional(z.string()),
      'De quando são os outros números da tabela (prêmios, tarifas, prazos, limites, partes): uma data, ou a mais antiga e a mais nova, 2025/2026-11.',
    ),
    ({ conditionsDate }) => conditionsDate,
  ),
});

export const INCOME_STANDING = fieldsOf<Offer>()({
  renda_suficiente: field(
    described(
      z.optional(z.boolean()),
      'Se a renda informada, a dos dois proponentes somada, sustenta a primeira parcela. Só quando há renda.',
    ),
    ({ income }) => income?.sufficient,
  ),
  valor_maximo_pela_renda: field(
    z.optional(
      reais(
        'Maior valor financiado, sem as despesas, que a renda e o banco permitem nestas condições. Ausente quando não há nenhum',
      ),
    ),
    ({ income }) => (income?.highest === undefined ? undefined : reaisFromCentavos(income.highest)),
  ),
});

export function instalmentParts(total: string) {
  return fieldsOf<Instalment>()({
    amortizacao: amount('Parte que abate o principal', ({ amortization }) => amortization),
    juros: amount('Juros do mês sobre o saldo devedor', ({ interest }) => interest),
    seguro_mip: amount('Seguro de morte e invalidez (MIP), conforme a idade', ({ mip }) => mip),
    dfi: amount('Seguro de danos ao imóvel (DFI)', ({ dfi }) => dfi),
    tarifa: amount('Tarifa de administração', ({ fee }) => fee),
    total: amount(total, (row) => row.total),
  });
}
