import { expect, it } from 'vitest';
import { insuranceCost } from '#shared/domain/simulations/pricing/cost-sheet.ts';
import { creditTaxRates } from '#shared/domain/simulations/pricing/credit-tax.ts';
import { portion } from '#shared/domain/simulations/pricing/ratio.ts';
import * as tables from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { limitsOf, termsOf } from '#shared/domain/simulations/pricing/terms.ts';
import { BANK_IDENTITIES, BANKS } from '#shared/domain/values/bank.ts';
import { addMonths } from '#shared/domain/values/clock.ts';
import { centavos, formatReais } from '#shared/domain/values/money.ts';
import { pageSource } from '#shared/partner/docs/contents.ts';
import { expand } from '#shared/partner/docs/markdown.ts';
import { conditions, DAY } from '#shared/partner/docs/pricing-tables.ts';

const SOURCE = pageSource('calculo');
const PAGE = expand(SOURCE).replaceAll('\u00a0', ' ');
/** Returns the cells of the rows whose first cell is this name. */
const row = (name: string) =>
  PAGE.split('\n')
    .filter((line) => line.startsWith(`| ${name} |`))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
/** Returns the centavos of an amount such as `R$ 1.234,56`. */
const amount = (name: string, at = 0) => Number(row(name)[at]!.at(-1)!.replace(/\D/g, ''));

/** Returns the number in a text such as `1.234,56` or `1/3`. */
function numberOf(text: string): number {
  const [value, divisor = 1] = text.replaceAll('.', '').replace(',', '.').split('/').map(Number);
  return Number(value) / divisor;
}
/** Returns the result, in centavos, of the account that the page shows next to a figure, such as `R$ 1,00 × 5 %`. */
function computed(name: string): number {
  const account = row(name)[0]![1]!
    .replace('primeira parcela', row('Primeira parcela')[0]!.at(-1)!)
    .replace(/^(.*) % de (.*)$/, '$2 × $1 %');
  const [, left, sign, right, percent] = /^R\$ ([\d.,]+) ([×÷−]) (?:R\$ )?([\d.,/]+)( %)?/.exec(account)!;
  const [a, b] = [numberOf(left!) * 100, numberOf(right!) / (percent ? 100 : 1)];
  if (sign === '−') return a - b * 100;
  return Math.round(sign === '×' ? a * b : a / b);
}

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
  const rows = [{ mip: centavos(1_000_000), dfi: centavos(0), dueDate: addMonths(DAY, 12) }];
  expect(insuranceCost(centavos(1_000_000), DAY, rows)).toBeCloseTo(100 / 1.008 ** 12, 4);
  expect(SOURCE).toContain('0,8 % ao mês');
});

it('the page calculo dates every rate and indexer with its source, and the other figures of each table once', () => {
  for (const bank of BANKS) {
    const table = tables.TABLES.banks[bank].at(-1)!;
    const shown = row(BANK_IDENTITIES[bank].names[0]);
    for (const { segment, system, rate, share } of table.rates) {
      const source = `${rate.date}. ${rate.source}`;
      const cells = shown.find((one) => one[1] === segment && one.includes(source));
      expect(cells?.[2]).toContain(`${rate.value.replace('.', ',')} %`);
      expect(cells?.[3]).toContain(`${system} até ${share.value} %`);
    }
    const conditions = shown.find((one) => one.at(-1) === `\`${table.version}\`, desde ${table.validFrom}`);
    expect(conditions?.at(-2)).toBe(termsOf(table).conditionsDate.replace('/', ' a '));
  }
  for (const [indexer, { date, source }] of Object.entries(tables.scenarioFor(DAY).indexers))
    expect(row(indexer)[0]).toContain(`${date}. ${source}`);
});

it('a reader who computes the examples of the page calculo by hand gets the same figures', () => {
  const [itau, cashme] = [termsOf(tables.tableFor('itau', DAY)), termsOf(tables.tableFor('cashme', DAY))];
  const { rate } = tables.rateFor(itau.table, 'padrao', 'SAC')!;
  const { additional } = creditTaxRates(tables.creditTaxFor(DAY));
  const monthly = (1 + Number(rate.value) / 100) ** (1 / 12) - 1;
  expect(row('Juros ao mês')[0]!.at(-1)).toBe(`${(monthly * 100).toFixed(4).replace('.', ',')} %`);
  expect(amount('Amortização')).toBe(300_000_00 / 240);
  expect(amount('Juros do 1º mês')).toBe(Math.round(300_000_00 * monthly));
  expect(amount('DFI')).toBe(portion(centavos(500_000_00), itau.dfiRate));
  const [, premium] = /× ([\d,]+) %/.exec(row('MIP do 1º mês')[0]![1]!)!;
  expect(amount('MIP do 1º mês')).toBe(Math.round(300_000 * Number(premium!.replace(',', '.'))));
  for (const name of ['Amortização', 'MIP do 1º mês', 'DFI', 'Entrada', 'Renda necessária', 'IOF adicional'])
    expect(computed(name), name).toBe(amount(name));
  const parts = ['Amortização', 'Juros do 1º mês', 'MIP do 1º mês', 'Tarifa'].map((name) => amount(name));
  expect(amount('Primeira parcela')).toBe(parts.reduce((sum, part) => sum + part, amount('DFI')));
  expect(amount('Renda necessária')).toBe(portion(centavos(amount('Primeira parcela')), itau.incomePerInstalment));
  expect(amount('Recursos no dia')).toBe(amount('Entrada') + 20_000_00 + itau.appraisalFee);
  expect(amount('IOF', 1)).toBe(amount('IOF diário') + amount('IOF adicional'));
  expect(amount('IOF adicional')).toBe(portion(centavos(300_000_00), additional));
  expect(amount('Recebido')).toBe(300_000_00 - cashme.appraisalFee - amount('IOF', 1));
});

it('the page calculo shows each bank’s MIP by age, and marks the values that the bank publishes', () => {
  const bands = Array.from(PAGE.matchAll(/^\| ((\d+) a (\d+)) \|/gm));
  const shown = (age: number) => row(bands.find(([, , from, to]) => Number(from) <= age && age <= Number(to))![1]!)[0]!;
  const head = row('Idade')[0]!;
  const decimal = (rate: string) => rate.replace(/\.?0+$/, '').replace('.', ',');
  for (const bank of BANKS) {
    const { anchors, market } = tables.tableFor(bank, DAY).mip;
    const at = head.findIndex((names) => names.split(', ').includes(BANK_IDENTITIES[bank].names[0]));
    expect(at, bank).toBeGreaterThan(0);
    for (const { age, rate } of anchors) expect(shown(age)[at], `${bank} ${age}`).toBe(`${decimal(rate.value)} *`);
    if (anchors.length > 0) continue;
    for (const { to, rate } of tables.marketMip(market).bands.filter(({ to }) => to > 40 && to % 5 === 0))
      expect(shown(to)[at], `${bank} ${to}`).toBe(decimal(rate.value));
  }
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
