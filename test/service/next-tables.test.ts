/**
 * Publishes the next table of every bank, for this file only. Each rate rises by 0.10 points (a monthly rate by 0.01) and
 * each monthly fee by R$ 1,00. The tables begin tomorrow at the earliest, after every table that is published already.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { BankTable, PublishedRate } from '#shared/domain/simulations/pricing/tables/table.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { addDays, type Day, dayInSaoPaulo, dayOf, daysBetween } from '#shared/domain/values/clock.ts';
import type { Person } from '../makers/scene.ts';

const IN_FORCE = '#shared/domain/simulations/pricing/tables/in-force.ts';
const TODAY = dayInSaoPaulo(Date.now());

/** Returns the day after today and after the first day of each of these tables. */
function dayAfter(tables: readonly BankTable[]): Day {
  const days = tables.map(({ validFrom }) => dayOf(validFrom)).concat(TODAY);
  return addDays(
    days.reduce((latest, day) => (day > latest ? day : latest)),
    1,
  );
}

function raised({ rate, basis, ...others }: PublishedRate): PublishedRate {
  const points = basis === 'monthly' ? 0.01 : 0.1;
  const value = (Number(rate.value) + points).toFixed(2);
  return { ...others, basis, rate: { value, date: TODAY, source: `${rate.source}, consultada no dia` } };
}

function nextOf(last: BankTable, validFrom: Day): BankTable {
  const monthlyFee = { ...last.monthlyFee, value: (Number(last.monthlyFee.value) + 1).toFixed(2) };
  const version = `${last.bank}-${validFrom}`;
  const confirmed = { monthlyFee: 'the bank has raised its fee' };
  return { ...last, version, validFrom, rates: last.rates.map(raised), monthlyFee, confirmed };
}

vi.resetModules();
vi.doMock(IN_FORCE, async (original) => {
  const real = await original<{ TABLES: Tables }>();
  const { banks } = real.TABLES;
  const firstDay = dayAfter(Object.values(banks).flat());
  for (const versions of Object.values(banks)) {
    const last = versions.at(-1);
    if (last) Object.assign(banks, { [last.bank]: versions.concat(nextOf(last, firstDay)) });
  }
  return real;
});
const { TABLES, rateFor, tableFor } = await import('#shared/domain/simulations/pricing/tables/in-force.ts');
const { fingerprint, LOCK } = await import('#shared/domain/simulations/pricing/tables/lock.ts');
const { rateTermsOf } = await import('#shared/domain/simulations/pricing/terms.ts');
const { tableFaults } = await import('#shared/domain/simulations/pricing/tables/validate.ts');
const { BANKS, bankName } = await import('#shared/domain/values/bank.ts');
const { conditions, rates } = await import('#shared/partner/docs/pricing-tables.ts');
const { api } = await import('../makers/api.ts');
const { linesOf, readPdf } = await import('../makers/pdf-reading.ts');
const { useScene } = await import('../makers/scene.ts');
const { passTime } = await import('../makers/test-clock.ts');
afterAll(() => {
  vi.doUnmock(IN_FORCE);
  vi.resetModules();
});

const FIRST_DAY = dayAfter(Object.values(TABLES.banks).flatMap((versions) => versions.slice(0, -1)));
const nextTable = (bank: Bank) => tableFor(bank, FIRST_DAY);
const percentOf = (bank: Bank) => {
  const published = rateFor(nextTable(bank), 'padrao', 'SAC');
  if (published === undefined) throw new Error(`${bank} has no rate under SAC`);
  return Number(rateTermsOf(published).annualPercent.toFixed(2));
};
const DAY_MS = 86_400_000;

// The sandbox takes a rate of any age, so the older tables price whenever this test runs.
const scene = useScene({ environment: 'sandbox' });
let person: Person;
let before: readonly Offered[];
beforeAll(async () => {
  person = await scene.person();
  before = await simulate();
});

/** An offer in the answer to a simulation. */
interface Offered {
  readonly banco: Bank;
  readonly simulacao_id: number;
  readonly taxa_anual: number;
}

async function simulate(): Promise<readonly Offered[]> {
  const common = { valor_imovel: 500_000, valor_financiado: 250_000, prazo: 240, sistemas: ['SAC'] };
  const { status, body } = await api('createSimulation', {
    key: scene.key,
    body: { lead_id: person.lead, ...common, bancos: BANKS },
  });
  expect(status).toBe(200);
  return body.resultado.resultados;
}
const record = async ({ simulacao_id: id }: Offered) =>
  (await api('getSimulation', { key: scene.key, id })).body.simulacao;
async function textOf(operation: 'getSimulationPdf' | 'getSimulationComparison', { simulacao_id: id }: Offered) {
  const { status, text } = await api(operation, { key: scene.key, id });
  expect(status).toBe(200);
  const { pages } = await readPdf(Buffer.from(text, 'latin1'));
  return pages.flatMap(linesOf).flat().join(' ');
}

it('a next table of every bank that only raises rates and confirms another fee has no faults', () => {
  const next = BANKS.map(nextTable);
  const lock = Object.fromEntries(next.map((table) => [table.version, fingerprint(table)]));
  expect(next.map(({ version }) => version)).toEqual(BANKS.map((bank) => `${bank}-${FIRST_DAY}`));
  expect(tableFaults(TODAY, TABLES, { ...LOCK, ...lock })).toEqual([]);
});

it('each bank’s next table prices from its first day on, and earlier simulations keep their figures', async () => {
  const earlier = await Promise.all(before.map(record));
  expect(earlier.map(({ tabela_versao }) => tabela_versao)).toEqual(BANKS.map((bank) => tableFor(bank, TODAY).version));

  passTime(daysBetween(TODAY, FIRST_DAY) * DAY_MS);
  const after = await simulate();
  expect(after.map(({ banco }) => banco).sort()).toEqual(Array.from(BANKS).sort());
  for (const offered of after) {
    const { banco, tabela_versao, taxas } = await record(offered);
    expect(tabela_versao).toBe(nextTable(banco).version);
    expect(offered.taxa_anual, banco).toBe(percentOf(banco));
    expect(taxas.juros_aa, banco).toBe(percentOf(banco));
    const percent = percentOf(banco).toFixed(2).replace('.', ',');
    expect(await textOf('getSimulationPdf', offered)).toContain(percent);
    expect(await textOf('getSimulationComparison', offered)).toContain(percent);
  }
  expect(await Promise.all(before.map(record))).toEqual(earlier);
  for (const [index, offered] of before.entries()) {
    const percent = earlier[index].taxas.juros_aa.toFixed(2).replace('.', ',');
    expect(await textOf('getSimulationPdf', offered)).toContain(percent);
  }
});

it('the page calculo shows the next table of every bank', () => {
  const [, published] = rates();
  const [, shown] = conditions();
  for (const bank of BANKS) {
    const rate = rateFor(nextTable(bank), 'padrao', 'SAC')?.rate;
    const row = published.find((cells) => cells.includes(bankName(bank)) && cells.includes('padrao'));
    expect(row?.join(' ')).toContain(`${rate?.value.replace('.', ',')}\u00a0%`);
    const cells = shown.find(([name]) => name === bankName(bank));
    expect(cells?.at(-1)).toBe(`\`${nextTable(bank).version}\`, desde ${FIRST_DAY}`);
  }
});
