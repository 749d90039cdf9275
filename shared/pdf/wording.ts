import { dateText } from '../contract/simulation-notices.ts';
import type { AmortizationSystem, Indexer, Offer, Product } from '../domain/simulations/simulation.ts';
import { type Day, dayParts } from '../domain/values/clock.ts';
import { type Centavos, formatReais } from '../domain/values/money.ts';

/** Keeps a number and its unit on one line. */
const NBSP = '\u00a0';

export const DOCUMENT_NAMES: Readonly<Record<Product, string>> = {
  SFH: 'Simulação de financiamento imobiliário',
  SFI: 'Simulação de financiamento imobiliário',
  HOME_EQUITY: 'Simulação de crédito com garantia de imóvel',
};

export const PRODUCT_NAMES: Readonly<Record<Product, string>> = {
  SFH: 'SFH (Sistema Financeiro da Habitação)',
  SFI: 'SFI (Sistema de Financiamento Imobiliário)',
  HOME_EQUITY: 'Home equity',
};

export const SYSTEM_NAMES: Readonly<Record<AmortizationSystem, string>> = {
  SAC: 'SAC (amortização constante)',
  PRICE: 'Tabela Price',
};

export const INDEXER_NAMES: Readonly<Record<Indexer, string>> = {
  TR: 'TR',
  IPCA: 'IPCA',
  POUPANCA: 'Poupança',
  PREFIXADO: 'Nenhum (prefixado)',
};

/** Returns `R$ 1.234,56` with a non-breaking space. */
export const reais = (amount: Centavos): string => formatReais(amount).replace(' ', NBSP);

/** Returns `1.234,56`, for columns whose heading names the currency. */
export const figure = (amount: Centavos): string => formatReais(amount).replace('R$ ', '');

/** Returns whole reais, for axes: `R$ 1.234`. */
export const wholeReais = (amount: Centavos): string => reais(amount).slice(0, -3);

/** Returns `11,60 %` for example. Without `decimals`, shows the decimals that the value has. */
export function percent(value: number, decimals?: number): string {
  const text = decimals === undefined ? String(value) : value.toFixed(decimals);
  return `${text.replace('.', ',')}${NBSP}%`;
}

export function date(day: Day): string {
  const { year, month, day: dayOfMonth } = dayParts(day);
  return [String(dayOfMonth).padStart(2, '0'), String(month).padStart(2, '0'), String(year).padStart(4, '0')].join('/');
}

const counted = (count: number, one: string, many: string) => `${count}${NBSP}${count === 1 ? one : many}`;

/** Returns `18 meses`, or `420 meses (35 anos)` if the months make whole years. */
export function term(months: number): string {
  const text = counted(months, 'mês', 'meses');
  return months % 12 === 0 ? `${text} (${counted(months / 12, 'ano', 'anos')})` : text;
}

/** Returns `11/2025`, or `2025 a 11/2026` if the figures are of several dates. */
export const conditionsPublication = (dates: string): string => dates.split('/').map(dateText).join(' a ');

export const creditTaxText = ({ iof }: Pick<Offer, 'iof'>): string => (iof > 0 ? reais(iof) : 'isento');

export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} e ${words.at(-1)}`;
