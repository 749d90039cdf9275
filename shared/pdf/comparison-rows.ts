import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import { inflationBearer, type Offer, type Opportunity } from '../domain/simulations/simulation.ts';
import { centavos } from '../domain/values/money.ts';
import {
  creditTaxText,
  INDEXER_NAMES,
  percent,
  publication,
  RATE_KIND_NAMES,
  reais,
  SEGMENT_NAMES,
  term,
} from './wording.ts';

/** A line of the comparison: what it is called, and what it says of an offer; undefined where it has nothing to say. */
export interface ComparisonRow {
  readonly label: string;
  /** One of the figures that decide. */
  readonly strong?: true;
  readonly of: (offer: Offer) => string | undefined;
}

/** An amount where there is one. */
const amount = (value: number) => (value ? reais(centavos(value)) : undefined);
const yearly = (value: number) => `${percent(value, 2)} a.a.`;

const PRODUCTS = { SFH: 'SFH', SFI: 'SFI', HOME_EQUITY: 'Home equity' } as const;

function rateKind({ rateKind: kind, rateDate, segment }: Offer): string {
  const name = kind === 'segmento' ? `segm. ${SEGMENT_NAMES[segment]}` : RATE_KIND_NAMES[kind];
  return `${name} (${publication(rateDate)})`;
}

const ROWS: readonly ComparisonRow[] = [
  { label: 'Linha de crédito', of: ({ product }) => PRODUCTS[product] },
  { label: 'Valor do imóvel', of: ({ propertyValue }) => reais(propertyValue) },
  { label: 'Valor financiado', of: ({ principal }) => reais(principal) },
  { label: 'dos quais, ITBI e registro', of: ({ expenses }) => amount(expenses) },
  {
    label: 'Valor líquido a receber',
    of: ({ product, principal, iof }) => (product === 'HOME_EQUITY' ? amount(principal - iof) : undefined),
  },
  {
    label: 'Parte financiada do imóvel (LTV)',
    of: ({ principal, propertyValue }) => percent((principal * 100) / propertyValue, 2),
  },
  { label: 'Prazo', of: (offer) => term(offer.term) },
  { label: 'Entrada', of: ({ downPayment }) => amount(downPayment) },
  { label: 'FGTS usado na compra', of: ({ fgts }) => amount(fgts) },
  { label: 'ITBI e registro à vista (estimativa)', of: ({ cashExpenses }) => amount(cashExpenses) },
  { label: 'Avaliação do imóvel', of: ({ appraisalFee }) => amount(appraisalFee) },
  { label: 'IOF', of: creditTaxText },
  { label: 'Dinheiro na contratação', strong: true, of: ({ cashNeeded }) => amount(cashNeeded) },
  { label: 'Primeira parcela', strong: true, of: ({ first }) => reais(first.total) },
  { label: 'Última parcela, sem correção', of: ({ lastTotal }) => reais(lastTotal) },
  { label: 'Soma das parcelas, sem correção', of: ({ total }) => reais(total) },
  { label: 'Renda mensal necessária', of: ({ requiredIncome }) => reais(requiredIncome) },
  {
    label: 'Renda informada',
    of: ({ income }) => income && (income.sufficient ? 'suficiente' : 'insuficiente'),
  },
  { label: 'Juros efetivos', of: ({ annualRate }) => yearly(annualRate) },
  { label: 'O que é esta taxa', of: rateKind },
  { label: 'CET oficial, indexador a zero', of: ({ effectiveAnnualCost }) => yearly(effectiveAnnualCost) },
  {
    label: 'Quem assume a inflação',
    of: (offer) => (inflationBearer(offer) === 'borrower' ? `cliente (${INDEXER_NAMES[offer.indexer]})` : 'banco'),
  },
  { label: 'CET projetado', strong: true, of: ({ projection }) => yearly(projection.annualCost) },
  { label: 'Última parcela projetada', of: ({ projection }) => amount(projection.lastTotal) },
  { label: 'Soma projetada das parcelas', of: ({ projection }) => amount(projection.total) },
];

/** The lines of an opportunity's comparison: those that say nothing of any of its offers are left out. */
export function comparisonRows(opportunity: Opportunity): readonly ComparisonRow[] {
  const number: ComparisonRow = { label: 'Simulação nº', of: (offer) => String(simulationIdFor(opportunity, offer)) };
  return [...ROWS, number].filter(({ of }) => opportunity.offers.some((offer) => of(offer) !== undefined));
}
