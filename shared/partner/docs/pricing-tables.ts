// Tables of the page on how offers are computed: what the pricing tables say today, and examples that the engine works out.
import { creditTaxRates } from '#shared/domain/simulations/pricing/credit-tax.ts';
import { mipBand } from '#shared/domain/simulations/pricing/insurance.ts';
import { quote, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { portion } from '#shared/domain/simulations/pricing/ratio.ts';
import {
  creditTaxFor,
  housingRulesFor,
  scenarioFor,
  TABLES,
  tableVersion,
} from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { BankTable, Figure } from '#shared/domain/simulations/pricing/tables/table.ts';
import { limitsOf, termsOf } from '#shared/domain/simulations/pricing/terms.ts';
import type { Offer, QuoteRequest } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank, bankName } from '#shared/domain/values/bank.ts';
import { ageOn, type Day } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos, formatReais } from '#shared/domain/values/money.ts';

export type Row = readonly (string | number)[];
/** A table of a page. */
export type Table = readonly [head: Row, rows: readonly Row[]];

/** A day on which every newest table is in use: the examples' contracts. */
const DAY = '2026-12-15' as Day;

const decimal = (text: string) => text.replace('.', ',');
/** `13,69 %`, unbroken. */
const percent = (value: string | number) => `${decimal(String(value))}\u00a0%`;
const figures = (value: number, digits: number) => decimal(value.toFixed(digits));
const dated = ({ date, source }: Omit<Figure, 'value'>) => `${date}. ${source}`;
/** `R$ 1.234,56`, unbroken. */
const reais = (amount: Centavos) => formatReais(amount).replace(' ', '\u00a0');

const newest = (bank: Bank): BankTable => TABLES.banks[bank].at(-1)!;

/** Every rate that prices, with what it is, its date and its source; systems of one rate share a row. */
export function rates(): Table {
  const rows = BANKS.flatMap((bank): Row[] => {
    const shares = new Map<string, string[]>();
    const cells = new Map<string, Row>();
    for (const { segment, system, indexer, kind, rate, basis, share } of newest(bank).rates) {
      const per = basis === 'monthly' ? 'ao mês' : 'ao ano';
      const added = indexer === 'PREFIXADO' ? '' : ` + ${indexer}`;
      const row = [bankName(bank), segment, `${percent(rate.value)} ${per}${added}`, kind, dated(rate)];
      cells.set(row.join(), row);
      shares.set(row.join(), [...(shares.get(row.join()) ?? []), `${system} até ${percent(share.value)}`]);
    }
    return [...cells].map(([key, row]) => row.toSpliced(3, 0, shares.get(key)!.join(', ')));
  });
  return [['Banco', 'Segmento', 'Taxa', 'Parte do imóvel', 'O que é', 'Data e fonte'], rows];
}

/** How ITBI and registration are paid; a loan on one's own property buys nothing, so it has no ITBI. */
function expensesWords({ homeEquity, financesExpenses }: BankTable): string {
  if (homeEquity) return 'sem ITBI';
  return `ITBI e registro ${financesExpenses ? 'financiáveis' : 'à vista'}`;
}

/** Terms, amounts and costs of each bank's table. */
export function conditions(): Table {
  const ofOthers = limitsOf(housingRulesFor(DAY)).largestFinanced;
  const rows = BANKS.map((bank): Row => {
    const of = newest(bank);
    const { monthlyFee, appraisalFee, leastFinanced, largestFinanced, leastProperty } = termsOf(of);
    const property = leastProperty > 0 ? `; imóvel a partir de ${reais(leastProperty)}` : '';
    return [
      bankName(bank),
      `${of.shortestTerm.value} a ${of.longestTerm.value} meses; ${reais(leastFinanced)} a ${reais(largestFinanced ?? ofOthers)}${property}`,
      `DFI ${percent(of.dfi.value)} ao mês; tarifa ${reais(monthlyFee)}; avaliação ${reais(appraisalFee)}; ${expensesWords(of)}`,
      of.incomeShare.value,
      `\`${of.version}\`, desde ${of.validFrom}`,
    ];
  });
  return [['Banco', 'Prazo e valor', 'Custos', 'Parte da renda', 'Tabela em uso'], rows];
}

/** The bands of all tables: five years each, but for the market's last. */
const BANDS = [20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 77, 80];

/** MIP of each bank by age, percent a month with at most 10 decimals; banks that publish none share the market's column. */
export function mip(): Table {
  const [own, market] = [true, false].map((has) => BANKS.filter((bank) => newest(bank).mip.anchors.length > 0 === has));
  const columns = [...own!.map((bank) => [bank]), market!].filter((banks) => banks.length > 0);
  const cell = (bank: Bank, age: number) => {
    const { numerator, denominator } = termsOf(newest(bank)).mipRates(age);
    const value = Number((numerator * 10n ** 13n) / denominator + 5n) / 10;
    const isPublished = newest(bank).mip.anchors.some((anchor) => mipBand(anchor.age) === mipBand(age));
    return `${decimal(String(Math.floor(value) / 1e10))}${isPublished ? ' *' : ''}`;
  };
  const rows = BANDS.map(
    (to, index): Row => [`${(BANDS[index - 1] ?? 17) + 1} a ${to}`, ...columns.map(([bank]) => cell(bank!, to))],
  );
  const names = columns.map((banks) => banks.map(bankName).join(', '));
  return [['Idade', ...names], rows];
}

/** The scenario of the indexers. */
export function scenario(): Table {
  const { indexers, version } = scenarioFor(DAY);
  const rows = Object.entries(indexers).map(
    ([indexer, figure]): Row => [indexer, `${percent(figure.value)} ao ano`, dated(figure), `\`${version}\``],
  );
  return [['Indexador', 'Suposto', 'Data e fonte', 'Versão'], rows];
}

function offerOf(bank: Bank, request: Partial<QuoteRequest>): Offer {
  const asked = { contractDay: DAY, birthDate: '1990-05-17' as Day, financeExpenses: false, ...request };
  const quoted = quote(bank, asked);
  if ('refusal' in quoted) throw new Error(`the example at ${bank} is refused: ${quoted.refusal.reason.kind}`);
  return quoted.offer;
}

const sum = (amounts: readonly Centavos[]) => centavos(amounts.reduce((all, amount) => all + amount, 0));

/** A home bought under SAC, figure by figure. */
export function homeExample(): Table {
  const offer = offerOf('itau', {
    propertyValue: centavos(500_000_00),
    financedValue: centavos(300_000_00),
    term: 240,
    system: 'SAC',
  });
  const { first, projection } = offer;
  const of = tableVersion(offer.bank, offer.tableVersion);
  const age = ageOn(offer.birthDate!, first.dueDate);
  const { numerator, denominator } = termsOf(of).mipRates(age);
  const mip = figures((Number(numerator) / Number(denominator)) * 100, 10);
  const rate = percent(figures(offer.annualRate, 2));
  const price = reais(offer.propertyValue);
  const loan = reais(offer.principal);
  const rows: Row[] = [
    ['Juros ao mês', `(1 + ${rate})^(1/12) − 1`, percent(figures(offer.monthlyRate, 4))],
    ['Amortização', `${loan} ÷ ${offer.term}`, reais(first.amortization)],
    ['Juros do 1º mês', `${loan} × juros ao mês`, reais(first.interest)],
    ['MIP do 1º mês', `${loan} × ${percent(mip)} (${age} anos no vencimento)`, reais(first.mip)],
    ['DFI', `${price} × ${percent(offer.dfiRate)}`, reais(first.dfi)],
    ['Tarifa', 'da tabela', reais(first.fee)],
    ['Primeira parcela', 'soma das cinco partes', reais(first.total)],
    ['Última parcela', 'amortização + juros + tarifa, sem seguros', reais(offer.lastTotal)],
    ['Renda necessária', `primeira parcela ÷ ${of.incomeShare.value}`, reais(offer.requiredIncome)],
    ['Entrada', `${price} − ${loan}`, reais(offer.downPayment)],
    ['Recursos no dia', 'entrada + 4 % de ITBI e registro + avaliação', reais(offer.cashNeeded)],
    [
      'CET',
      `juro que iguala as ${offer.term} parcelas a ${loan} − ${reais(offer.appraisalFee)}`,
      `${percent(figures(offer.effectiveAnnualCost, 2))} ao ano`,
    ],
    [
      'CET projetado',
      `o mesmo com TR de ${percent(projection.indexPercent)} ao ano`,
      `${percent(figures(projection.annualCost, 2))} ao ano`,
    ],
  ];
  return [['Figura', 'Conta', 'Resultado'], rows];
}

/** The tax on a loan secured by a property, figure by figure. */
export function taxExample(): Table {
  const offer = offerOf('cashme', {
    propertyValue: centavos(800_000_00),
    financedValue: centavos(300_000_00),
    term: 120,
    system: 'PRICE',
  });
  const published = creditTaxFor(DAY);
  const { additional } = creditTaxRates(published);
  const atOnce = portion(offer.principal, additional);
  const daily = centavos(offer.iof - atOnce);
  const loan = reais(offer.principal);
  const first = sum(
    scheduleOf(offer)
      .slice(0, 12)
      .map((row) => row.amortization),
  );
  const rest = centavos(offer.principal - first);
  const rows: Row[] = [
    [
      'IOF diário',
      `${percent(published.dailyRate.value)} ao dia: ${reais(first)} (12 primeiras) pelos seus dias, ${reais(rest)} por ${published.longest.value}`,
      reais(daily),
    ],
    ['IOF adicional', `${percent(published.additionalRate.value)} de ${loan}`, reais(atOnce)],
    ['IOF', 'soma, retida do que se recebe', reais(offer.iof)],
    [
      'Recebido',
      `${loan} − IOF − avaliação de ${reais(offer.appraisalFee)}`,
      reais(centavos(offer.principal - offer.iof - offer.appraisalFee)),
    ],
    ['CET', 'juro que iguala as parcelas ao recebido', `${percent(figures(offer.effectiveAnnualCost, 2))} ao ano`],
  ];
  return [['Figura', 'Conta', 'Resultado'], rows];
}
