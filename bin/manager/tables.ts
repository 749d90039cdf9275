import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import * as z from 'zod/mini';
import {
  checkRates,
  type MonthlyAverage,
  type RateCheck,
} from '../../shared/domain/simulations/pricing/tables/averages.ts';
import { TABLES } from '../../shared/domain/simulations/pricing/tables/in-force.ts';
import { fingerprint, LOCK } from '../../shared/domain/simulations/pricing/tables/lock.ts';
import {
  faultsOfNewTable,
  type Preview,
  previewTable,
} from '../../shared/domain/simulations/pricing/tables/preview.ts';
import type { BankTable } from '../../shared/domain/simulations/pricing/tables/table.ts';
import type { Offer, Quote } from '../../shared/domain/simulations/simulation.ts';
import { BANKS } from '../../shared/domain/values/bank.ts';
import { dayInSaoPaulo } from '../../shared/domain/values/clock.ts';
import { formatReais } from '../../shared/domain/values/money.ts';
import { command } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { table as lines } from './table.ts';

// Banks' pricing tables, looked at on this machine: no stage, no network, nothing that the service keeps.

/** As Olinda answers `TaxasJurosMensalPorMes?$format=json`. */
const averagesFile = z.object({
  value: z.array(
    z.object({ cnpj8: z.string(), Modalidade: z.string(), anoMes: z.string(), TaxaJurosAoAno: z.number() }),
  ),
});

async function tableIn(file: string): Promise<BankTable> {
  let module: { readonly table?: Partial<BankTable> };
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const { table } = module;
  if (table?.bank === undefined || !BANKS.includes(table.bank) || table.version === undefined) {
    throw new UsageError(`${file} exports no table of a bank: see shared/domain/simulations/pricing/tables/README.md`);
  }
  return table as BankTable;
}

const percent = (value: number | undefined) => (value === undefined ? '-' : `${value.toFixed(2)} %`);

/** What is compared of two offers, as people read it. */
const FIGURES: Readonly<Record<string, (offer: Offer) => string>> = {
  table: ({ tableVersion }) => tableVersion,
  product: ({ product, indexer }) => `${product}, ${indexer}`,
  term: ({ term }) => `${term} months`,
  rate: ({ annualRate }) => percent(annualRate),
  CET: ({ effectiveAnnualCost }) => percent(effectiveAnnualCost),
  'projected CET': ({ projection }) => percent(projection?.annualCost),
  'first instalment': ({ first }) => formatReais(first.total),
  'last instalment': ({ lastTotal }) => formatReais(lastTotal),
  total: ({ total }) => formatReais(total),
  'income needed': ({ requiredIncome }) => formatReais(requiredIncome),
};

function figureOf(quoted: Quote, read: (offer: Offer) => string, isFirst: boolean): string {
  if ('offer' in quoted) return read(quoted.offer);
  return isFirst ? `refused: ${quoted.refusal.reasons.map(({ kind }) => kind).join(', ')}` : '-';
}

function sideBySide({ before, after }: Preview) {
  return Object.entries(FIGURES)
    .map(([figure, read], index) => ({
      figure,
      before: figureOf(before, read, index === 0),
      after: figureOf(after, read, index === 0),
    }))
    .filter((row) => row.before !== '-' || row.after !== '-');
}

async function preview(file: string, session: Session): Promise<void> {
  const table = await tableIn(file);
  const faults = faultsOfNewTable(table, dayInSaoPaulo(session.clock()));
  for (const fault of faults) session.note(fault);
  const cases = casesOf(table);
  const before = TABLES.banks[table.bank].filter((other) => other.version !== table.version);
  if (!before.some(({ validFrom }) => validFrom <= table.validFrom))
    session.note(`no table of ${table.bank} is in use before ${table.version}: there is nothing to show it beside`);
  session.print({ version: table.version, faults, cases }, () =>
    cases
      .map(({ name, figures }) => {
        const columns = (['figure', 'before', 'after'] as const).map((title) => ({
          title,
          value: (row: (typeof figures)[number]) => row[title],
        }));
        return `${name}\n${lines(figures, columns, session.terminal.columns)}\n`;
      })
      .join(''),
  );
  if (faults.length > 0) throw new CommandError(`a build would refuse ${table.version}: ${faults.length} fault(s)`);
  if (LOCK[table.version] === undefined) session.note(`lock.ts needs '${table.version}': '${fingerprint(table)}',`);
}

/** The cases side by side; none where a figure is no number, which the faults say already. */
function casesOf(table: BankTable) {
  try {
    return previewTable(table).map((each) => ({ name: each.name, figures: sideBySide(each) }));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function averagesIn(file: string): readonly MonthlyAverage[] {
  try {
    return averagesFile.parse(JSON.parse(readFileSync(file, 'utf8'))).value.map((row) => ({
      institution: row.cnpj8,
      modality: row.Modalidade,
      month: row.anoMes,
      annualPercent: row.TaxaJurosAoAno,
    }));
  } catch (error) {
    const why =
      error instanceof z.core.$ZodError ? 'it is no answer of TaxasJurosMensalPorMes' : (error as Error).message;
    throw new UsageError(`${file} cannot be read: ${why}`);
  }
}

function check(file: string, session: Session): void {
  const checks = checkRates(averagesIn(file), dayInSaoPaulo(session.clock()));
  session.printTable<RateCheck>(checks, [
    { title: 'bank', value: ({ bank }) => bank },
    { title: 'index', value: ({ indexer }) => indexer },
    { title: 'rate', value: ({ rate }) => percent(rate) },
    { title: 'average', value: ({ average }) => percent(average) },
    { title: 'months', value: ({ months }) => months.join(' '), shrinks: true },
    { title: '', value: ({ average, isOff }) => (isOff ? 'OFF' : average === undefined ? 'unknown' : 'close') },
  ]);
  const off = checks.filter(({ isOff }) => isOff).map(({ bank }) => bank);
  if (off.length > 0) throw new CommandError(`more than 1.0 point off the bank's own average: ${off.join(', ')}`);
}

export function tables(root: Command, session: Session): void {
  const noun = command(
    root,
    'tables',
    "banks' pricing tables: what a new one changes, how far rates are off the market's averages",
    'tables preview itau-2026-12.ts',
  );

  const previewing = command(
    noun,
    'preview',
    'three reference cases before and after a new table, side by side, and what a build would refuse',
    'tables preview itau-2026-12.ts',
  )
    .argument('<file>', "the table's file")
    .action((file: string) => preview(file, session));

  const checking = command(
    noun,
    'check',
    "rates in force beside the Banco Central's monthly averages of each bank (median of three months)",
    'tables check --averages averages.json',
  )
    .requiredOption('--averages <file>', 'answer of Olinda taxaJuros v2, TaxasJurosMensalPorMes, as JSON')
    .action(({ averages }: { averages: string }) => check(averages, session));

  for (const command of [previewing, checking]) session.needsNoStage(command);
}
