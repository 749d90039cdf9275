import { creditTaxRates } from '#shared/domain/simulations/pricing/credit-tax.ts';
import { mipBand } from '#shared/domain/simulations/pricing/insurance.ts';
import { quote, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { portion } from '#shared/domain/simulations/pricing/ratio.ts';
import {
  creditTaxFor,
  housingRulesFor,
  lastDayOfUse,
  RATE_DAYS,
  scenarioFor,
  TABLES,
  tableFor,
  tableVersion,
} from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { BankTable, Figure, Versioned } from '#shared/domain/simulations/pricing/tables/table.ts';
import { limitsOf, termsOf } from '#shared/domain/simulations/pricing/terms.ts';
import type { Offer, QuoteRequest } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank, bankName } from '#shared/domain/values/bank.ts';
import { addDays, ageOn, type Day, dayOf } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos, formatReais } from '#shared/domain/values/money.ts';

export type Row = readonly (string | number)[];
export type Table = readonly [head: Row, rows: readonly Row[]];

/** Every newest table is in use on this day, because a later table moves DAY to the table's first day. */
export const DAY = dayOfExamples();

function dayOfExamples(): Day {
  const { banks, housingRules, creditTax, scenarios } = TABLES;
  const versions: readonly Versioned[] = Object.values(banks).flat();
  const firstDays = versions.concat(housingRules, creditTax, scenarios).map(({ validFrom }) => dayOf(validFrom));
  return firstDays.reduce((latest, day) => (day > latest ? day : latest), dayOf('2026-12-15'));
}

const BIRTH_DATE = dayOf('1990-05-17');

const decimal = (text: string) => text.replace('.', ',');
/** `13,69 %`, with a space that does not break. */
const percent = (value: string | number) => `${decimal(String(value))}\u00a0%`;
const figures = (value: number, digits: number) => decimal(value.toFixed(digits));
const dated = ({ date, source }: Omit<Figure, 'value'>) => `${date}. ${source}`;
/** `R$ 1.234,56`, with a space that does not break. */
const reais = (amount: Centavos) => formatReais(amount).replace(' ', '\u00a0');

const newest = (bank: Bank): BankTable => tableFor(bank, DAY);

/** Each rate has the day from which production refuses it. Systems with the same rate share a row. */
export function rates(): Table {
  const rows = BANKS.flatMap((bank): Row[] => {
    const byRate = new Map<string, { readonly row: Row; readonly shares: string[] }>();
    for (const published of newest(bank).rates) {
      const { segment, system, indexer, kind, rate, basis, share } = published;
      const per = basis === 'monthly' ? 'ao mês' : 'ao ano';
      const added = indexer === 'PREFIXADO' ? '' : ` + ${indexer}`;
      const refused = addDays(lastDayOfUse(newest(bank), published, RATE_DAYS), 1);
      const row = [bankName(bank), segment, `${percent(rate.value)} ${per}${added}`, kind, dated(rate), refused];
      const entry = byRate.get(row.join()) ?? { row, shares: [] };
      entry.shares.push(`${system} até ${percent(share.value)}`);
      byRate.set(row.join(), entry);
    }
    return Array.from(byRate.values(), ({ row, shares }) => row.toSpliced(3, 0, shares.join(', ')));
  });
  return [['Banco', 'Segmento', 'Taxa', 'Parte do imóvel', 'O que é', 'Data e fonte', 'Recusada desde'], rows];
}

/** A loan on the borrower's own property buys nothing, so it has no ITBI. */
function expensesWords({ homeEquity, financesExpenses }: BankTable): string {
  if (homeEquity) return 'sem ITBI';
  return `ITBI e registro ${financesExpenses ? 'financiáveis' : 'à vista'}`;
}

export function conditions(): Table {
  const ofOthers = limitsOf(housingRulesFor(DAY)).largestFinanced;
  const rows = BANKS.map((bank): Row => {
    const of = newest(bank);
    const { monthlyFee, appraisalFee, leastFinanced, largestFinanced, leastProperty } = termsOf(of);
    const { excludedStates } = of;
    const states = excludedStates
      ? `; exclui ${excludedStates.values.join(', ')} (página vista em ${excludedStates.date})`
      : '';
    const property = leastProperty > 0 ? `; imóvel a partir de ${reais(leastProperty)}` : '';
    return [
      bankName(bank),
      `${of.shortestTerm.value} a ${of.longestTerm.value} meses; ${reais(leastFinanced)} a ${reais(largestFinanced ?? ofOthers)}${property}${states}`,
      `DFI ${percent(of.dfi.value)} ao mês; tarifa ${reais(monthlyFee)}; avaliação ${reais(appraisalFee)}; ${expensesWords(of)}`,
      of.incomeShare.value,
      termsOf(of).conditionsDate.replace('/', ' a '),
      `\`${of.version}\`, desde ${of.validFrom}`,
    ];
  });
  return [['Banco', 'Prazo e valor', 'Custos', 'Parte da renda', 'Data das condições', 'Tabela em uso'], rows];
}

/** Last age of each band of ages, for all tables. The bands have five years, except the market's last ones. */
const BANDS = [20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 77, 80];

/** The MIP is in percent a month with at most 10 decimals. Banks that publish no MIP share the market's column. */
export function mip(): Table {
  const publishes = (bank: Bank) => newest(bank).mip.anchors.length > 0;
  const columns = BANKS.filter(publishes).map((bank) => ({ bank, name: bankName(bank) }));
  const others = BANKS.filter((bank) => !publishes(bank));
  // The market's column is the same for all other banks, so any of them shows it.
  const [other] = others;
  if (other) columns.push({ bank: other, name: others.map(bankName).join(', ') });
  const cell = (bank: Bank, age: number) => {
    const { numerator, denominator } = termsOf(newest(bank)).mipRates(age);
    const value = Number((numerator * 10n ** 13n) / denominator + 5n) / 10;
    const isPublished = newest(bank).mip.anchors.some((anchor) => mipBand(anchor.age) === mipBand(age));
    return `${decimal(String(Math.floor(value) / 1e10))}${isPublished ? ' *' : ''}`;
  };
  const rows = BANDS.map(
    (to, index): Row => [`${(BANDS[index - 1] ?? 17) + 1} a ${to}`, ...columns.map(({ bank }) => cell(bank, to))],
  );
  return [['Idade', ...columns.map(({ name }) => name)], rows];
}

export function scenario(): Table {
  const { indexers, version } = scenarioFor(DAY);
  const rows = Object.entries(indexers).map(
    ([indexer, figure]): Row => [indexer, `${percent(figure.value)} ao ano`, dated(figure), `\`${version}\``],
  );
  return [['Indexador', 'Suposto', 'Data e fonte', 'Versão'], rows];
}

function offerOf(bank: Bank, request: Partial<QuoteRequest>): Offer {
  const asked = { contractDay: DAY, birthDate: BIRTH_DATE, financeExpenses: false, ...request };
  const quoted = quote(bank, asked);
  if ('refusal' in quoted) throw new Error(`the example at ${bank} is refused: ${quoted.refusal.reason.kind}`);
  return quoted.offer;
}

const sum = (amounts: readonly Centavos[]) => centavos(amounts.reduce((all, amount) => all + amount, 0));

export function homeExample(): Table {
  const offer = offerOf('itau', {
    propertyValue: centavos(500_000_00),
    financedValue: centavos(300_000_00),
    term: 240,
    system: 'SAC',
  });
  const { first, projection } = offer;
  const of = tableVersion(offer.bank, offer.tableVersion);
  const age = ageOn(BIRTH_DATE, first.dueDate);
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
