import { dateText, noticeText, rateName } from '../contract/simulation-notices.ts';
import {
  type ComparedProperty,
  type Comparison,
  comparedSum,
  isLowest,
  isUnusual,
} from '../domain/simulations/comparison.ts';
import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import { inflationBearer, type Offer, type Opportunity } from '../domain/simulations/simulation.ts';
import { type Centavos, centavos } from '../domain/values/money.ts';
import { creditTaxText, figure, INDEXER_NAMES, percent, reais, term } from './wording.ts';

/** `of` returns undefined if the row does not concern an offer. */
export interface ComparisonRow {
  readonly label: string;
  readonly strong?: true;
  /** A value that differs from the value of most offers is marked. */
  readonly compared?: ComparedProperty;
  /** Amount of which the lowest is marked among equal loans whose rates are of the same kind. */
  readonly least?: (offer: Offer) => Centavos;
  readonly of: (offer: Offer) => string | undefined;
}

const amount = (value: number) => (value ? reais(centavos(value)) : undefined);
const yearly = (value: number) => `${percent(value, 2)} a.a.`;

const PRODUCTS = { SFH: 'SFH', SFI: 'SFI', HOME_EQUITY: 'Home equity' } as const;

const ROWS: readonly ComparisonRow[] = [
  { label: 'Juros efetivos', of: ({ annualRate }) => yearly(annualRate) },
  {
    label: 'O que é esta taxa',
    of: (offer) => `${rateName(offer).replace('segmento', 'segm.')} (${dateText(offer.rateDate)})`,
  },
  { label: 'Linha de crédito', of: ({ product }) => PRODUCTS[product] },
  { label: 'Valor do imóvel', of: ({ propertyValue }) => reais(propertyValue) },
  {
    label: 'Valor financiado',
    compared: 'principal',
    of: ({ principal }) => reais(principal),
  },
  { label: 'dos quais, ITBI e registro', of: ({ expenses }) => amount(expenses) },
  {
    label: 'Valor líquido a receber',
    of: ({ product, principal, iof }) => (product === 'HOME_EQUITY' ? amount(principal - iof) : undefined),
  },
  {
    label: 'Parte financiada do imóvel (LTV)',
    of: ({ principal, propertyValue }) => percent((principal * 100) / propertyValue, 2),
  },
  { label: 'Prazo', compared: 'term', of: (offer) => term(offer.term) },
  { label: 'Entrada', of: ({ downPayment }) => amount(downPayment) },
  { label: 'FGTS usado na compra', of: ({ fgts }) => amount(fgts) },
  { label: 'ITBI e registro à vista (estimativa)', of: ({ cashExpenses }) => amount(cashExpenses) },
  { label: 'Avaliação do imóvel', of: ({ appraisalFee }) => amount(appraisalFee) },
  { label: 'IOF', of: creditTaxText },
  {
    label: 'Dinheiro na contratação',
    strong: true,
    compared: 'cash',
    of: ({ cashNeeded }) => amount(cashNeeded),
  },
  { label: 'Primeira parcela', strong: true, of: ({ first }) => reais(first.total) },
  {
    label: 'das quais, MIP + DFI + tarifa',
    of: ({ first }) => [first.mip, first.dfi, first.fee].map(figure).join(' + '),
  },
  { label: 'Última parcela, sem correção', of: ({ lastTotal }) => reais(lastTotal) },
  { label: 'Soma das parcelas, sem correção', of: ({ total }) => reais(total) },
  { label: 'Renda mensal necessária', of: ({ requiredIncome }) => reais(requiredIncome) },
  {
    label: 'Renda informada',
    of: ({ income }) => income && (income.sufficient ? 'suficiente' : 'insuficiente'),
  },
  { label: 'CET oficial, indexador a zero', of: ({ effectiveAnnualCost }) => yearly(effectiveAnnualCost) },
  {
    label: 'Quem assume a inflação',
    of: (offer) => (inflationBearer(offer) === 'borrower' ? `cliente (${INDEXER_NAMES[offer.indexer]})` : 'banco'),
  },
  { label: 'CET projetado', strong: true, of: ({ projection }) => yearly(projection.annualCost) },
  {
    label: 'Soma projetada, com a avaliação',
    strong: true,
    least: comparedSum,
    of: (offer) => reais(comparedSum(offer)),
  },
  { label: 'Última parcela projetada', of: ({ projection }) => amount(projection.lastTotal) },
];

export const unusualMark = (comparison: Comparison, property: ComparedProperty, offer: Offer): string =>
  isUnusual(comparison, property, offer) ? ' *' : '';

/** `menor: ` marks the lowest amount of equal loans, ` *` a value other than that of most ranked offers. */
export function cellText({ of, compared, least }: ComparisonRow, offer: Offer, comparison: Comparison): string {
  const lowest = least && isLowest(comparison, offer, least) ? 'menor: ' : '';
  const mark = compared ? unusualMark(comparison, compared, offer) : '';
  return `${lowest}${of(offer) ?? '–'}${mark}`;
}

/** Each text comes once; the document numbers them from 1 in this order. */
export const noticesOf = (offers: readonly Offer[]): readonly string[] =>
  Array.from(new Set(offers.flatMap(({ notices }) => notices.map(noticeText))));

export function comparisonRows(opportunity: Opportunity, notices: readonly string[]): readonly ComparisonRow[] {
  const number: ComparisonRow = { label: 'Simulação nº', of: (offer) => String(simulationIdFor(opportunity, offer)) };
  const noticeRow: ComparisonRow = {
    label: 'Avisos, abaixo',
    strong: true,
    of: (offer) => offer.notices.map((notice) => notices.indexOf(noticeText(notice)) + 1).join(', ') || undefined,
  };
  return ROWS.concat(noticeRow, number).filter(({ of }) => opportunity.offers.some((offer) => of(offer) !== undefined));
}
