import { expect, it } from 'vitest';
import { insuranceCost } from '#shared/domain/simulations/pricing/cost-sheet.ts';
import * as tables from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { limitsOf } from '#shared/domain/simulations/pricing/terms.ts';
import { BANK_IDENTITIES, BANKS } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { centavos, formatReais } from '#shared/domain/values/money.ts';
import { pageSource } from '#shared/partner/docs/contents.ts';
import { expand } from '#shared/partner/docs/markdown.ts';
import { conditions } from '#shared/partner/docs/pricing-tables.ts';

const DAY = '2026-12-15' as Day;
const SOURCE = pageSource('calculo');
const PAGE = expand(SOURCE).replaceAll('\u00a0', ' ');
/** Returns the cells of the rows whose first cell is this name. */
const row = (name: string) =>
  PAGE.split('\n')
    .filter((line) => line.startsWith(`| ${name} |`))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
/** Returns the centavos of an amount such as `R$ 1.234,56`. */
const amount = (name: string, at = 0) => Number(row(name)[at]!.at(-1)!.replace(/\D/g, ''));

it('the page calculo says the limits and figures that are in force', () => {
  const rules = tables.housingRulesFor(DAY);
  const limits = limitsOf(rules);
  const tax = tables.creditTaxFor(DAY);
  const months = limits.oldestAtTheEnd;
  for (const text of [
    ...[limits.sfhProperty, limits.sfhFee, limits.largestFinanced!].map(formatReais),
    ...[limits.programme!.income, limits.programme!.property].map(formatReais),
    `${rules.sfhRate.value} % ao ano`,
    `${rules.expenses.value} % do imóvel`,
    `até ${tax.longest.value} dias`,
    `${limits.longestTerm} meses`,
    `${Math.floor(months / 12)} anos e ${months % 12} meses`,
    `${tax.dailyRate.value.replace('.', ',')} % ao dia`,
    `${tax.additionalRate.value.replace('.', ',')} % do principal`,
  ])
    expect(SOURCE).toContain(text);
  // The rate of the CESH, shown by an example with one premium a year after the contract.
  const rows = [{ mip: centavos(1_000_000), dfi: centavos(0), dueDate: '2027-12-15' as Day }];
  expect(insuranceCost(centavos(1_000_000), DAY, rows)).toBeCloseTo(100 / 1.008 ** 12, 4);
  expect(SOURCE).toContain('0,8 % ao mês');
});

it('the page calculo shows every rate, table and indexer with its date and source', () => {
  for (const bank of BANKS) {
    const table = tables.TABLES.banks[bank].at(-1)!;
    const shown = row(BANK_IDENTITIES[bank].names[0]);
    for (const { segment, system, rate, share } of table.rates) {
      const source = `${rate.date}. ${rate.source}`;
      const cells = shown.find((one) => one[1] === segment && one.includes(source));
      expect(cells?.[2]).toContain(`${rate.value.replace('.', ',')} %`);
      expect(cells?.[3]).toContain(`${system} até ${share.value} %`);
    }
    expect(PAGE).toContain(`\`${table.version}\`, desde ${table.validFrom}`);
  }
  for (const [indexer, { date, source }] of Object.entries(tables.scenarioFor(DAY).indexers))
    expect(row(indexer)[0]).toContain(`${date}. ${source}`);
});

it('a reader who computes the examples of the page calculo by hand gets the same figures', () => {
  const { rate } = tables.rateFor(tables.tableFor('itau', DAY), 'padrao', 'SAC')!;
  const monthly = (1 + Number(rate.value) / 100) ** (1 / 12) - 1;
  expect(row('Juros ao mês')[0]!.at(-1)).toBe(`${(monthly * 100).toFixed(4).replace('.', ',')} %`);
  expect(amount('Amortização')).toBe(300_000_00 / 240);
  expect(amount('Juros do 1º mês')).toBe(Math.round(300_000_00 * monthly));
  expect(amount('DFI')).toBe(Math.round(500_000_00 * 0.0000554));
  const [, premium] = /× ([\d,]+) %/.exec(row('MIP do 1º mês')[0]![1]!)!;
  expect(amount('MIP do 1º mês')).toBe(Math.round(300_000 * Number(premium!.replace(',', '.'))));
  const parts = ['Amortização', 'Juros do 1º mês', 'MIP do 1º mês', 'Tarifa'].map((name) => amount(name));
  expect(amount('Primeira parcela')).toBe(parts.reduce((sum, part) => sum + part, amount('DFI')));
  expect(amount('Renda necessária')).toBe(3 * amount('Primeira parcela'));
  expect(amount('Recursos no dia')).toBe(amount('Entrada') + 20_000_00 + 3_500_00);
  expect(amount('IOF', 1)).toBe(amount('IOF diário') + amount('IOF adicional'));
  expect(amount('IOF adicional')).toBe(300_000_00 * 0.0038);
  expect(amount('Recebido')).toBe(300_000_00 - 3_000_00 - amount('IOF', 1));
});

it('the page calculo shows each bank’s MIP by age, and marks the values that the bank publishes', () => {
  const shown = row('41 a 45')[0]!;
  expect(shown.slice(0, 5)).toEqual(['41 a 45', '0,042 *', '0,0421 *', '0,04 *', '0,02664 *']);
  expect(shown.at(-1)).toBe('0,02519');
  expect(row('76 a 77')[0]!.at(-1)).toBe('0,45716');
  expect(row('78 a 80')[0]!.at(-1)).toBe('0,46892');
  // Itaú's published ages 47 and 57 are two bands apart.
  const between = Math.sqrt(0.05917 * 0.15394).toFixed(10);
  expect(row('51 a 55')[0]![2]).toBe(between.replace('.', ','));
});

it('the table of conditions says how each bank’s ITBI is paid: financed, in cash, or not at all', () => {
  const [, rows] = conditions();
  const paid = rows.map((cells) => cells.join(' ').match(/sem ITBI|ITBI e registro (financiáveis|à vista)/)?.[0]);
  const wanted = BANKS.map((bank) => {
    const { homeEquity, financesExpenses } = tables.tableFor(bank, DAY);
    return homeEquity ? 'sem ITBI' : `ITBI e registro ${financesExpenses ? 'financiáveis' : 'à vista'}`;
  });
  expect(new Set(wanted).size).toBe(3);
  expect(paid).toEqual(wanted);
});
