// Compares a bank's ordinary rate with the rates at which the bank really lent. The Banco Central publishes their
// averages each month, for each institution and modality (Olinda, taxaJuros v2, TaxasJurosMensalPorMes). The averages
// do not include an indexer, and neither do the tables' rates. Loans up to the SFH's highest rate are reported as
// "reguladas", loans above it as "de mercado". Home equity has no modality of its own.

import type { Indexer } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { housingRulesFor } from './in-force.ts';

export interface MonthlyAverage {
  /** First 8 digits of the institution's CNPJ (company number). */
  readonly institution: string;
  readonly modality: string;
  /** `YYYY-MM`. */
  readonly month: string;
  /** In percent a year; 0 if the institution lent nothing. */
  readonly annualPercent: number;
}

/** Both rates are in percent a year. */
export interface RateCheck {
  readonly bank: Bank;
  readonly indexer: Indexer;
  readonly rate: number;
  /** Undefined if the loans have no modality. */
  readonly modality: string | undefined;
  /** Median of the bank's newest three known months. Undefined if fewer are known. */
  readonly average: number | undefined;
  /** The newest months that are known, at most three, the oldest first. */
  readonly months: readonly string[];
  readonly isOff: boolean;
}

/** Percentage points by which a rate may differ from the average. */
const LARGEST_DIFFERENCE = 1;
const MONTHS = 3;

/** Institutions of the banks in the averages. CashMe lends through a company that the averages do not list. */
const INSTITUTIONS: Readonly<Record<Bank, string | undefined>> = {
  bradesco: '60746948',
  itau: '60701190',
  santander: '90400888',
  inter: '00416968',
  brb: '00000208',
  cashme: undefined,
};

/** End of a modality's name. Loans with the savings index are not reported separately. */
const INDEXED_BY: Readonly<Record<Indexer, string | undefined>> = {
  TR: 'Pós-fixado referenciado em TR',
  IPCA: 'Pós-fixado referenciado em IPCA',
  POUPANCA: undefined,
  PREFIXADO: 'Prefixado',
};

function modalityOf(indexer: Indexer, rate: number, highestSfhRate: number): string | undefined {
  const end = INDEXED_BY[indexer];
  const kind = rate <= highestSfhRate ? 'reguladas' : 'de mercado';
  return end && `Financiamento imobiliário com taxas ${kind} - ${end}`;
}

function checkOf(
  about: Pick<RateCheck, 'bank' | 'indexer' | 'rate' | 'modality'>,
  averages: readonly MonthlyAverage[],
): RateCheck {
  const known = averages
    .filter(({ institution, modality, annualPercent }) => {
      const isTheirs = institution === INSTITUTIONS[about.bank] && modality === about.modality;
      return isTheirs && annualPercent > 0;
    })
    .sort((a, b) => (a.month < b.month ? -1 : 1))
    .slice(-MONTHS);
  const sorted = known.map(({ annualPercent }) => annualPercent).sort((a, b) => a - b);
  const average = sorted.length === MONTHS ? sorted[1] : undefined;
  const isOff = average !== undefined && Math.abs(about.rate - average) > LARGEST_DIFFERENCE;
  return { ...about, average, months: known.map(({ month }) => month), isOff };
}

export type OrdinaryRate = Pick<RateCheck, 'bank' | 'indexer' | 'rate'>;

export function checkRates(
  averages: readonly MonthlyAverage[],
  rates: readonly OrdinaryRate[],
  day: Day,
): readonly RateCheck[] {
  const highestSfhRate = Number(housingRulesFor(day).sfhRate.value);
  return rates.map(({ bank, indexer, rate }) => {
    const modality = INSTITUTIONS[bank] === undefined ? undefined : modalityOf(indexer, rate, highestSfhRate);
    return checkOf({ bank, indexer, rate, modality }, averages);
  });
}
