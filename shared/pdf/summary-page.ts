import { dateText, rateName } from '../contract/simulation-notices.ts';
import { insuranceCost } from '../domain/simulations/pricing/cost-sheet.ts';
import { portion, ratioOf } from '../domain/simulations/pricing/ratio.ts';
import { endsOf } from '../domain/simulations/pricing/schedule.ts';
import { type Offer, validUntil } from '../domain/simulations/simulation.ts';
import { bankName } from '../domain/values/bank.ts';
import { centavos } from '../domain/values/money.ts';
import { HEADING, keyFigures, type Pair, pairSection, ROW, sectionHeading } from './blocks.ts';
import { partsOf } from './charts.ts';
import type { SimulationRecord } from './cost-page.ts';
import { identity, masthead } from './identity.ts';
import { COLOURS, PAGE, type Paper, type Style, TEXT_WIDTH } from './paper.ts';
import {
  conditionsPublication,
  DOCUMENT_NAMES,
  date,
  INDEXER_NAMES,
  PRODUCT_NAMES,
  percent,
  reais,
  SYSTEM_NAMES,
  term,
} from './wording.ts';

const COLUMN_GAP = 25;
const COLUMN_WIDTH = (TEXT_WIDTH - COLUMN_GAP) / 2;
const LEFT = { left: PAGE.left, width: COLUMN_WIDTH } as const;
const RIGHT = { left: PAGE.left + COLUMN_WIDTH + COLUMN_GAP, width: COLUMN_WIDTH } as const;

const GAP = 16;
const BAR_TOP = 18;
const BAR_HEIGHT = 10;
/** Gaps, headings and the bar of the composition. */
const BETWEEN_LINES = 3 * GAP + 2 * HEADING + BAR_TOP + BAR_HEIGHT;

const definedPairs = (pairs: readonly (Pair | undefined)[]): readonly Pair[] =>
  pairs.filter((pair) => pair !== undefined);

const amount = (label: string, value: number): Pair | undefined =>
  value === 0 ? undefined : [label, reais(centavos(value))];

/** Names both costs if they differ. */
const costs = ({ effectiveAnnualCost: official, projection: { annualCost } }: Offer): Pair =>
  official === annualCost
    ? ['Custo efetivo total (CET)', `${percent(official, 2)} a.a.`]
    : ['CET a.a.: oficial | projetado', `${percent(official, 2)} | ${percent(annualCost, 2)}`];

function figuresOf(offer: Offer): readonly Pair[] {
  const last: Pair =
    offer.product === 'HOME_EQUITY'
      ? ['Valor líquido a receber', reais(centavos(offer.principal - offer.iof))]
      : ['Dinheiro na contratação', reais(offer.cashNeeded)];
  return [
    ['Valor financiado', reais(offer.principal)],
    ['Primeira parcela', reais(offer.first.total)],
    costs(offer),
    last,
  ];
}

function valuePairs({ offer, schedule }: SimulationRecord): readonly Pair[] {
  const inExpenses = offer.product === 'HOME_EQUITY' ? 'das quais, despesas' : 'dos quais, ITBI e registro';
  return definedPairs([
    ['Valor do imóvel', reais(offer.propertyValue)],
    ['Valor financiado', reais(offer.principal)],
    amount(inExpenses, offer.expenses),
    ['Parte financiada do imóvel (LTV)', percent((offer.principal * 100) / offer.propertyValue, 2)],
    amount('FGTS usado na compra', offer.fgts),
    ['Prazo', term(offer.term)],
    [`Primeira parcela, em ${date(offer.first.dueDate)}`, reais(offer.first.total)],
    [`Última parcela, em ${date(endsOf(schedule).last.dueDate)}`, reais(offer.lastTotal)],
  ]);
}

function ratePairs({ offer, schedule }: SimulationRecord): readonly Pair[] {
  return definedPairs([
    ['Sistema', SYSTEM_NAMES[offer.system]],
    ['Indexador', INDEXER_NAMES[offer.indexer]],
    ['Juros efetivos ao ano', percent(offer.annualRate, 2)],
    ['O que é esta taxa', `${rateName(offer)} (${dateText(offer.rateDate)})`],
    ['Juros efetivos ao mês', percent(offer.monthlyRate, 4)],
    ['Custo dos seguros (CESH)', percent(insuranceCost(offer.principal, offer.contractDay, schedule), 4)],
    ['Seguro DFI ao mês, sobre o imóvel', percent(offer.dfiRate)],
    amount('Tarifa em cada parcela', offer.monthlyFee),
  ]);
}

function cashPairs(offer: Offer): readonly Pair[] {
  const parts = definedPairs([
    amount('Entrada', offer.downPayment),
    amount('ITBI e registro (estimativa)', offer.cashExpenses),
    amount('Avaliação do imóvel', offer.appraisalFee),
  ]);
  return parts.length > 1 ? parts.concat(definedPairs([amount('Total em dinheiro', offer.cashNeeded)])) : parts;
}

/** The share of the second borrower is the record's `participacao`. */
function insuredShares(second: string): string {
  const hundredths = portion(10_000, ratioOf(second));
  return `${percent((10_000 - hundredths) / 100, 2)} e ${percent(hundredths / 100, 2)}`;
}

function incomePairs(offer: Offer): readonly Pair[] {
  const { income, secondBorrower } = offer;
  const highest = offer.expenses > 0 ? 'Maior valor, sem despesas' : 'Maior valor por essa renda';
  return definedPairs([
    ['Renda mensal necessária', reais(offer.requiredIncome)],
    ['Primeira parcela, da renda', percent((offer.first.total * 100) / offer.requiredIncome, 2)],
    income && ['Renda informada', income.sufficient ? 'suficiente' : 'insuficiente'],
    income?.highest === undefined ? undefined : [highest, reais(income.highest)],
    secondBorrower && ['MIP dos proponentes', insuredShares(secondBorrower.share)],
  ]);
}

function compositionRows(offer: Offer) {
  const { first } = offer;
  const [repaid, interest] = partsOf([first]);
  const rate = `${percent(offer.monthlyRate, 4)} ao mês sobre o saldo devedor`;
  const age = offer.secondBorrower ? 'pelas idades' : 'pela idade';
  return [
    { colour: repaid.colour, name: 'Amortização', what: 'reduz o saldo devedor', amount: first.amortization },
    { colour: interest.colour, name: 'Juros', what: rate, amount: first.interest },
    { colour: COLOURS.mip, name: 'Seguro MIP', what: `morte e invalidez permanente, ${age}`, amount: first.mip },
    { colour: COLOURS.dfi, name: 'Seguro DFI', what: 'danos físicos ao imóvel', amount: first.dfi },
    { colour: COLOURS.fee, name: 'Tarifa', what: 'administração do contrato', amount: first.fee },
  ].filter((row) => row.amount > 0);
}

function composition(paper: Paper, { offer }: SimulationRecord, top: number, height: number): void {
  const { first } = offer;
  sectionHeading(paper, 'Composição da primeira parcela', PAGE.left, top);
  const barTop = top + BAR_TOP;
  const rows = compositionRows(offer);
  const draw = () => {
    let x: number = PAGE.left;
    for (const { colour, amount } of rows) {
      const width = (TEXT_WIDTH * amount) / first.total;
      paper.fill(colour, x, barTop, Math.max(width - 0.75, width / 2), BAR_HEIGHT);
      x += width;
    }
  };
  const alt = `Barra da primeira parcela: ${rows.map(({ name }) => name.toLowerCase()).join(', ')}.`;
  paper.tagged(paper.root, 'Figure', draw, { alt, bbox: [PAGE.left, barTop, PAGE.right, barTop + BAR_HEIGHT] });

  const table = paper.element(paper.root, 'Table');
  const line = (name: () => void, value: () => void) => {
    const row = paper.element(table, 'TR');
    paper.tagged(row, 'TH', name, { scope: 'Row' });
    paper.tagged(row, 'TD', value);
    row.end();
  };
  let y = barTop + BAR_HEIGHT;
  for (const { colour, name, what, amount } of rows) {
    y += height;
    paper.artifact(() => {
      paper.fill(colour, PAGE.left, y - 12, 7, 7);
      paper.rule(y, COLOURS.faintRule);
    });
    line(
      () => {
        paper.text(name, { size: 9.5 }, { x: PAGE.left + 13, y: y - 5.5 });
        paper.text(what, { size: 9, colour: COLOURS.quiet }, { x: PAGE.left + 100, y: y - 5.5 });
      },
      () => paper.text(reais(amount), { size: 9.5 }, { x: PAGE.right, y: y - 5.5, align: 'right' }),
    );
  }
  y += height;
  const strong: Style = { size: 9.5, weight: 'semibold' };
  line(
    () => paper.text('Primeira parcela', strong, { x: PAGE.left, y: y - 5.5 }),
    () => paper.text(reais(first.total), strong, { x: PAGE.right, y: y - 5.5, align: 'right' }),
  );
  table.end();
}

function tableDates({ bank, rateKind, rateDate, conditionsDate }: Offer): string {
  const isLowest = rateKind === 'a_partir_de';
  if (conditionsDate === rateDate && !isLowest) return `a tabela do ${bankName(bank)} de ${dateText(rateDate)}`;
  const rate = isLowest
    ? `a menor taxa que o ${bankName(bank)} anuncia (a do cliente pode ser maior), de ${dateText(rateDate)}`
    : `a taxa do ${bankName(bank)} publicada em ${dateText(rateDate)}`;
  if (conditionsDate === undefined) return rate;
  return `${rate} e as demais condições de ${conditionsPublication(conditionsDate)}`;
}

export function summaryPage(paper: Paper, record: SimulationRecord): void {
  const { offer, opportunity, id, agent } = record;
  let y = masthead(paper, {
    title: DOCUMENT_NAMES[offer.product],
    subject: bankName(offer.bank),
    underSubject: PRODUCT_NAMES[offer.product],
    tables: tableDates(offer),
    bank: 'do banco',
    agent,
  });
  const facts: readonly Pair[] = [
    ['Data da simulação', date(offer.contractDay)],
    ['Preços desta tabela até', date(validUntil(offer))],
    ['Simulação nº', String(id)],
  ];
  y = identity(paper, opportunity, facts, agent, y);
  y = keyFigures(paper, figuresOf(offer), y);
  const pairs = {
    values: valuePairs(record),
    rates: ratePairs(record),
    cash: cashPairs(offer),
    income: incomePairs(offer),
  };
  const lines =
    Math.max(pairs.values.length, pairs.rates.length) +
    Math.max(pairs.cash.length, pairs.income.length) +
    (compositionRows(offer).length + 1);
  // Long names leave less room, so the rows are lower.
  const row = Math.min(ROW, (PAGE.bottom - y - BETWEEN_LINES) / lines);
  const top = y + GAP;
  y = Math.max(
    pairSection(paper, 'Valores e prazo', pairs.values, { ...LEFT, top, row }),
    pairSection(paper, 'Taxas', pairs.rates, { ...RIGHT, top, row }),
  );
  const middle = y + GAP;
  y = Math.max(
    pairSection(paper, 'Dinheiro na contratação', pairs.cash, { ...LEFT, top: middle, row }),
    pairSection(paper, 'Renda', pairs.income, { ...RIGHT, top: middle, row }),
  );
  composition(paper, record, y + GAP, row);
}
