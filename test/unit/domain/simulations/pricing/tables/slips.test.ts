// Slips that a person may make who copies a bank's file and types new figures. Each slip is the only fault of its table.
// Nobody can tell those in PASSING from news: a second person compares them with the bank's page.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Changes, faultsOf, figure, type Subject } from '#test/makers/next-version.ts';

/** Returns a rate as it is on the bank's page today. */
const today = (value: string, source: string, date = '2026-11') => figure(value, date, source);
/** Returns the same rate in several rows. */
const inRows = (rate: unknown, ...rows: readonly number[]): Changes =>
  Object.fromEntries(rows.map((row) => [`rates.${row}.rate`, rate]));
const SHEET = { date: '2026', source: 'a sheet' };

/** What was done, at which bank, and the changes to a table without faults. */
type Slip = readonly [what: string, of: Subject, changes: Changes];

const REFUSED: readonly Slip[] = [
  // Names and days.
  ['a name without a month', 'inter', { version: 'inter-x' }],
  ['a name with a letter O for a zero', 'inter', { version: 'inter-2O26-12' }],
  ['a name with the month 13', 'inter', { version: 'inter-2026-13' }],
  ['a name with the month 00', 'inter', { version: 'inter-2026-00' }],
  ['a name with a month of one digit', 'inter', { version: 'inter-2026-1' }],
  ['a name with only a year', 'inter', { version: 'inter-2026' }],
  ['a name with an underscore', 'inter', { version: 'inter_2026-12' }],
  ['a name with a suffix', 'inter', { version: 'inter-2026-12-final' }],
  ['a name with a capital letter', 'inter', { version: 'Inter-2026-12' }],
  ['the name of another bank', 'inter', { version: 'itau-2026-12' }],
  ['the name of a copied file', 'inter', { version: 'inter-2026-11' }],
  ['a name of next year', 'inter', { version: 'inter-2027-12' }],
  ['a bank of another file', 'inter', { bank: 'itau' }],
  ['the first day of the copied file', 'inter', { validFrom: '2026-11-21' }],
  ['a first day a year too early', 'inter', { validFrom: '2025-12-15' }],
  ['a first day a year too late', 'inter', { validFrom: '2027-12-15' }],
  ['a first day a month too early', 'inter', { validFrom: '2026-11-30' }],
  ['a first day two months too late', 'inter', { validFrom: '2027-02-01' }],
  ['a first day in the order of Brazil', 'inter', { validFrom: '15-12-2026' }],
  ['a first day that no month has', 'inter', { validFrom: '2026-12-32' }],
  // Rates.
  ['a comma in a rate', 'itau', inRows(today('13,49', 'Itaú'), 0)],
  ['a percent sign in a rate', 'itau', inRows(today('13.49%', 'Itaú'), 0)],
  ['a space in a rate', 'itau', inRows(today('13. 49', 'Itaú'), 0)],
  ['an empty rate', 'itau', inRows(today('', 'Itaú'), 0)],
  ['a rate without its point', 'itau', inRows(today('1349', 'Itaú'), 0)],
  ['a rate with the point one digit to the left', 'itau', inRows(today('1.349', 'Itaú'), 0)],
  ['a rate with the point one digit to the right', 'itau', inRows(today('134.9', 'Itaú'), 0)],
  ['a rate with exchanged first digits', 'itau', inRows(today('31.49', 'Itaú'), 0)],
  ['a rate with a wrong first digit', 'itau', inRows(today('23.49', 'Itaú'), 0)],
  ['a rate with a wrong second digit', 'itau', inRows(today('16.49', 'Itaú'), 0)],
  ['a rate without its first digit', 'itau', inRows(today('3.49', 'Itaú'), 0)],
  ['a rate with one digit twice', 'itau', inRows(today('133.49', 'Itaú'), 0)],
  ['a negative rate', 'itau', inRows(today('-13.49', 'Itaú'), 0)],
  ['a fraction of the annual rate', 'itau', inRows(today('0.1349', 'Itaú'), 0)],
  ['a monthly rate in a table of annual rates', 'itau', inRows(today('1.06', 'Itaú'), 0)],
  ['an annual rate in a table of monthly rates', 'cashme', inRows(today('13.89', 'CashMe'), 0, 1)],
  ['a nominal basis for an effective rate', 'itau', { 'rates.0.basis': 'nominal' }],
  ['a monthly basis for an annual rate', 'itau', { 'rates.0.basis': 'monthly' }],
  ['a new rate with the date and source of the old rate', 'itau', { 'rates.0.rate': '13.49' }],
  ['a new rate in only one system', 'bradesco', inRows(today('12.59', 'Bradesco'), 0)],
  ['the rate of high incomes in the row of all customers', 'itau', inRows(today('11.70', 'Itaú'), 0)],
  ['the rate of all customers in the row of high incomes', 'itau', inRows(today('13.69', 'Itaú'), 2)],
  [
    'the rates of two segments exchanged',
    'itau',
    { ...inRows(today('11.70', 'Itaú'), 1), ...inRows(today('11.90', 'Itaú'), 2) },
  ],
  ['the rate of another bank by its source', 'itau', inRows(today('12.99', 'Bradesco'), 0)],
  ['a rate without a source', 'itau', inRows(today('13.49', ''), 0)],
  ['a rate without a date', 'itau', inRows(today('13.49', 'Itaú', ''), 0)],
  ['a date of the future', 'itau', inRows(today('13.49', 'Itaú', '2027-11'), 0)],
  ['a date with exchanged digits', 'itau', inRows(today('13.49', 'Itaú', '2062-11'), 0)],
  ['a date in the order of Brazil', 'itau', inRows(today('13.49', 'Itaú', '11/2026'), 0)],
  ['a date with the month 13', 'itau', inRows(today('13.49', 'Itaú', '2026-13'), 0)],
  ['a date of the year before', 'itau', inRows(today('13.49', 'Itaú', '2025-11'), 0)],
  ['a new date on the old rate', 'itau', inRows(today('13.69', 'Itaú'), 0)],
  ['a new date on the old rate of BRB', 'brb', inRows(today('12.00', 'BRB', '2026-11-20'), 0, 1)],
  ['a CET above the rate', 'itau', inRows(today('14.42', 'Itaú'), 0)],
  ['a CET by its source', 'itau', inRows(today('13.49', 'Itaú, CET do simulador'), 0)],
  ['a rate with its TR', 'santander', inRows(today('13.79', 'Santander'), 0)],
  ['a rate with its TR by its source', 'itau', inRows(today('13.49', 'Itaú, já com TR'), 0)],
  ['the nominal rate for the effective rate', 'itau', inRows(today('12.90', 'Itaú'), 0)],
  ['a nominal rate by its source', 'itau', inRows(today('13.49', 'Itaú, taxa nominal'), 0)],
  ['an advertised minimum as the ordinary rate', 'bradesco', inRows(today('11.49', 'Bradesco'), 0, 1)],
  ['an advertised minimum by its source', 'itau', inRows(today('13.49', 'Itaú, a partir de'), 0)],
  ['an average by its source', 'itau', inRows(today('13.49', 'Itaú, média do Banco Central'), 0)],
  ['a new day under an old sheet', 'itau', { dfi: { value: '0.00554', date: '2026-11', source: 'a sheet' } }],
  ['a rate row that is lost', 'itau', { 'rates.1': undefined }],
  ['a segment that does not exist', 'itau', { 'rates.1.segment': 'uniclass' }],
  ['a row with the segment of another row', 'itau', { 'rates.1.segment': 'padrao' }],
  ['another indexer', 'itau', { 'rates.0.indexer': 'IPCA' }],
  ['another kind of rate', 'itau', { 'rates.0.kind': 'promocional' }],
  // Other figures of a bank.
  ['a share of 80 that becomes 90', 'itau', { 'rates.0.share': '90' }],
  ['a share of 80 that becomes 8', 'itau', { 'rates.0.share': '8' }],
  ['a share as a fraction', 'itau', { 'rates.0.share': '0.80' }],
  ['a term in years', 'itau', { longestTerm: '35' }],
  ['a term with exchanged digits', 'itau', { longestTerm: '240' }],
  ['a shortest term with a digit too many', 'itau', { shortestTerm: '600' }],
  ['both terms exchanged', 'itau', { shortestTerm: '420', longestTerm: '60' }],
  ['a least loan with a zero too many', 'itau', { leastFinanced: '980000.00' }],
  ['a least loan with a zero too few', 'itau', { leastFinanced: '9800.00' }],
  ['a least loan with a point between thousands', 'itau', { leastFinanced: '98.000' }],
  ['a largest loan that is lost', 'cashme', { largestFinanced: undefined }],
  ['a largest loan with a zero too few', 'cashme', { largestFinanced: '1500000.00' }],
  ['a largest loan of another bank', 'itau', { largestFinanced: { value: '15000000.00', ...SHEET } }],
  ['a least property that is lost', 'inter', { leastProperty: undefined }],
  ['a least property with another digit', 'inter', { leastProperty: '300000.00' }],
  ['a DFI with a zero too few', 'itau', { dfi: '0.0554' }],
  ['a DFI with a zero too many', 'itau', { dfi: '0.000554' }],
  ['a DFI with exchanged digits', 'itau', { dfi: '0.00545' }],
  ['a fee in centavos', 'inter', { monthlyFee: '2500' }],
  ['a fee that becomes 0', 'inter', { monthlyFee: '0.00' }],
  ['a fee with three decimals', 'inter', { monthlyFee: '25.000' }],
  ['an appraisal fee with a zero too many', 'itau', { appraisalFee: '35000.00' }],
  ['an appraisal fee with another digit', 'itau', { appraisalFee: '3600.00' }],
  ['a share of the income of 30 without its point', 'inter', { incomeShare: '30' }],
  ['a share of the income upside down', 'itau', { incomeShare: '3/1' }],
  ['a share of the income of 30 instead of 33 percent', 'itau', { incomeShare: '3/10' }],
  ['financed expenses switched off', 'itau', { financesExpenses: false }],
  ['a housing loan as home equity', 'itau', { homeEquity: true }],
  [
    'states of another bank',
    'itau',
    { excludedStates: { values: ['DF'], date: '2026-11-20', address: 'https://www.itau.com.br' } },
  ],
  [
    'a date older than that of the copied figure',
    'itau',
    { dfi: { value: '0.00554', date: '2024-12', source: 'a sheet' } },
  ],
  // Premiums.
  ['a premium with a zero too few', 'itau', { 'mip.anchors.1.rate': '0.421' }],
  ['a premium with a zero too many', 'itau', { 'mip.anchors.1.rate': '0.00421' }],
  ['a premium with exchanged digits', 'itau', { 'mip.anchors.1.rate': '0.0412' }],
  ['a premium that is lost', 'itau', { 'mip.anchors.3': undefined }],
  ['all premiums lost', 'itau', { 'mip.anchors': [] }],
  ['a premium at another age', 'itau', { 'mip.anchors.1.age': 44 }],
  ['another table of the market', 'itau', { 'mip.market': 'market-mip-2052' }],
  // The other tables.
  ['a limit of the SFH with a zero too few', 'housingRules', { sfhProperty: '225000.00' }],
  ['a limit of the programme that is lost', 'housingRules', { programmeIncome: undefined }],
  ['an indexer with the point one digit to the left', 'scenarios', { 'indexers.TR': '0.2' }],
  ['a tax with a zero too many', 'creditTax', { dailyRate: '0.00082' }],
  ['a band of the market that is lost', 'marketMip', { 'bands.3': undefined }],
];

const PASSING: readonly Slip[] = [
  ['a rate with exchanged last digits', 'itau', inRows(today('13.94', 'Itaú'), 0)],
  ['a rate with another last digit', 'itau', inRows(today('13.48', 'Itaú'), 0)],
  ['a rate that is a whole point off', 'itau', inRows(today('12.49', 'Itaú'), 0)],
  ['the new rate of another bank under the bank’s own source', 'itau', inRows(today('12.59', 'Itaú'), 0)],
  ['a rate dated some months too early', 'itau', inRows(today('13.49', 'Itaú', '2026-08'), 0)],
  ['another source of the same bank', 'itau', { 'rates.0.rate': today('13.49', 'Itaú Personnalité') }],
  ['a first day some days too late', 'itau', { validFrom: '2026-12-20' }],
];

test.each(REFUSED)('tableFaults refuses %s', (_, of, changes) => {
  expect(faultsOf(of, changes)).not.toEqual([]);
});

test.each(PASSING)('tableFaults cannot tell %s from news', (_, of, changes) => {
  expect(faultsOf(of, changes)).toEqual([]);
});

test('the decision about tables says how many slips there are, how many are refused, and how many pass', () => {
  const decisions = new URL('../../../../../../shared/domain/simulations/DECISIONS.md', import.meta.url);
  const text = readFileSync(decisions, 'utf8').replace(/\s+/g, ' ');
  expect(text).toContain(
    `Of the ${REFUSED.length + PASSING.length} slips in \`slips.test.ts\`, ${REFUSED.length} are refused`,
  );
  expect(text).toContain(`the test names the ${PASSING.length} that look like news`);
});
