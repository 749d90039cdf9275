import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import * as z from 'zod/mini';
import { checkRates, type MonthlyAverage, type RateCheck } from '#shared/domain/simulations/pricing/tables/averages.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { command } from './command.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Session } from './session.ts';

/** What Olinda, the open-data service of the Banco Central, answers to `TaxasJurosMensalPorMes?$format=json`. */
const averagesFile = z.object({
  value: z.array(
    z.object({ cnpj8: z.string(), Modalidade: z.string(), anoMes: z.string(), TaxaJurosAoAno: z.number() }),
  ),
});

const percent = (value: number | undefined) => (value === undefined ? '-' : `${value.toFixed(2)} %`);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function averagesIn(file: string): readonly MonthlyAverage[] {
  try {
    return averagesFile.parse(JSON.parse(readFileSync(file, 'utf8'))).value.map((row) => ({
      institution: row.cnpj8,
      modality: row.Modalidade,
      month: row.anoMes,
      annualPercent: row.TaxaJurosAoAno,
    }));
  } catch (error) {
    const why = error instanceof z.core.$ZodError ? 'it is no answer of TaxasJurosMensalPorMes' : messageOf(error);
    throw new UsageError(`${file} cannot be read: ${why}`);
  }
}

async function check(file: string, session: Session): Promise<void> {
  const averages = averagesIn(file);
  const today = dayInSaoPaulo(session.clock());
  const { rates, figures } = await session.ask('list-bank-rates', {});
  const inUse = rates.filter(({ segment, used_from }) => segment === 'padrao' && used_from <= today);
  const ordinary = inUse.map(({ bank, indexer, annual_percent }) => ({ bank, indexer, rate: Number(annual_percent) }));
  const checks = checkRates(averages, ordinary, today);
  session.printTable<RateCheck>(checks, [
    { title: 'bank', value: ({ bank }) => bank },
    { title: 'index', value: ({ indexer }) => indexer },
    { title: 'rate', value: ({ rate }) => percent(rate) },
    { title: 'average', value: ({ average }) => percent(average) },
    { title: 'months', value: ({ months }) => months.join(' '), shrinks: true },
    { title: '', value: ({ average, isOff }) => (isOff ? 'OFF' : average === undefined ? 'unknown' : 'close') },
  ]);
  session.note(`other figures are old from: ${figures.map((one) => `${one.day} ${one.of} ${one.kind}`).join(', ')}`);
  const offBanks = checks.filter(({ isOff }) => isOff).map(({ bank }) => bank);
  if (offBanks.length > 0)
    throw new CommandError(`more than 1.0 point off the bank's own average: ${offBanks.join(', ')}`);
}

export function tables(root: Command, session: Session): void {
  const noun = command(
    root,
    'tables',
    "banks' pricing tables: compares rates with the market's averages",
    'tables check --averages averages.json',
  );

  command(
    noun,
    'check',
    "compare rates in force with the Banco Central's monthly averages of each bank (median of three months)",
    'tables check --averages averages.json',
  )
    .requiredOption('--averages <file>', 'answer of Olinda taxaJuros v2, TaxasJurosMensalPorMes, as JSON')
    .action(({ averages }: { averages: string }) => check(averages, session));
}
