import { ASSUMED_AGE } from '../domain/simulations/pricing/borrowers.ts';
import { type Instalment, type Offer, validUntil } from '../domain/simulations/simulation.ts';
import { BANK_IDENTITIES } from '../domain/values/bank.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import { PARTS } from './charts.ts';
import { COLOURS, drawable, PAGE, type Paper, type Placed, TEXT_WIDTH } from './paper.ts';
import type { SimulationRecord } from './simulation-record.ts';
import { DOCUMENT_NAMES, date, INDEXER_NAMES, PRODUCT_NAMES, percent, reais, SYSTEM_NAMES, term } from './wording.ts';

const LABEL = { size: 7.5, colour: COLOURS.quiet } as const;
const NAME = { weight: 'semibold', colour: COLOURS.ink } as const;
const ROW = 17.5;
const COLUMN_GAP = 25;
const COLUMN_WIDTH = (TEXT_WIDTH - COLUMN_GAP) / 2;

type Pair = readonly [label: string, value: string];

function paragraph(paper: Paper, text: string, placed: Placed): void {
  paper.tagged(paper.root, 'P', () => paper.text(text, placed));
}

function sectionHeading(paper: Paper, text: string, x: number, y: number): void {
  paper.tagged(paper.root, 'H2', () => {
    paper.text(text, { x, y, size: 11, weight: 'semibold', colour: COLOURS.accent });
  });
}

/** Bank, kind of document, and that it binds no one. Gives where to go on. */
function masthead(paper: Paper, { offer }: SimulationRecord): number {
  const bank = BANK_IDENTITIES[offer.bank].names[0];
  const y = PAGE.top + 16;
  paper.tagged(paper.root, 'H1', () => {
    paper.text(DOCUMENT_NAMES[offer.product], { x: PAGE.left, y, size: 18, weight: 'semibold', colour: COLOURS.ink });
  });
  paragraph(paper, bank, { x: PAGE.right, y, size: 18, weight: 'semibold', colour: COLOURS.accent, align: 'right' });
  const style = { x: PAGE.left, y: y + 15, size: 8.5, colour: COLOURS.quiet } as const;
  paragraph(paper, 'Simulação indicativa: não é proposta nem aprovação de crédito', style);
  paragraph(paper, PRODUCT_NAMES[offer.product], { ...style, x: PAGE.right, align: 'right' });
  paper.artifact(() => paper.rule(y + 24, COLOURS.accent, 1.5));
  return y + 24;
}

/** Whose simulation it is, which one, and how long it holds. */
function identity(paper: Paper, { opportunity, offer, id }: SimulationRecord, top: number): number {
  const name = drawable(opportunity.customer.name);
  const width = TEXT_WIDTH - 3 * 95;
  // A name as long as the contract lets it be takes more lines, of smaller letters, so that the page still holds all.
  const lineCount = (size: number) => paper.lines(name, width - 20, { ...NAME, size }).length;
  const size = lineCount(12) === 1 ? 12 : lineCount(9.5) <= 4 ? 9.5 : 7.5;
  const style = { ...NAME, size };
  const lines = paper.lines(name, width - 20, style);
  const lead = style.size + 2;
  const pair = ([label, value]: Pair, x: number, y: number) => {
    paragraph(paper, label, { ...LABEL, x, y });
    paragraph(paper, value, { x, y: y + 13, size: 9.5, colour: COLOURS.ink });
  };

  const y = top + 17;
  paragraph(paper, 'Cliente', { ...LABEL, x: PAGE.left, y });
  paper.tagged(paper.root, 'P', () => {
    lines.forEach((line, index) => {
      paper.text(line, { ...style, x: PAGE.left, y: y + 13 + index * lead });
    });
  });
  const below = y + 13 + (lines.length - 1) * lead + 14;
  paragraph(paper, `CPF ${formatCpf(opportunity.customer.cpf)}`, {
    x: PAGE.left,
    y: below,
    size: 9.5,
    colour: COLOURS.ink,
  });
  const x = (column: number) => PAGE.left + width + column * 95;
  pair(['Data da simulação', date(offer.contractDay)], x(0), y);
  pair(['Válida até', date(validUntil(offer.contractDay))], x(1), y);
  pair(['Simulação nº', String(id)], x(2), y);
  return Math.max(below, y + 28) + 12;
}

/** The four figures that a customer looks for first. */
function keyFigures(paper: Paper, { offer }: SimulationRecord, top: number): number {
  const height = 48;
  const entries: readonly Pair[] = [
    ['Valor financiado', reais(offer.principal)],
    ['Primeira parcela', reais(offer.first.total)],
    ['CET (custo efetivo total)', `${percent(offer.effectiveAnnualCost, 2)} a.a.`],
    ['Renda mensal necessária', reais(offer.requiredIncome)],
  ];
  const width = TEXT_WIDTH / entries.length;
  paper.artifact(() => {
    paper.fill(COLOURS.wash, PAGE.left, top, TEXT_WIDTH, height);
    entries.forEach((_, index) => {
      if (index > 0) paper.fill(COLOURS.white, PAGE.left + index * width - 1, top, 2, height);
    });
  });
  entries.forEach(([label, value], index) => {
    const x = PAGE.left + index * width + 11;
    paragraph(paper, label, { ...LABEL, x, y: top + 16 });
    const style = { size: 13, weight: 'semibold', colour: COLOURS.accent } as const;
    paragraph(paper, value, { ...paper.fitted(value, style, width - 20), x, y: top + 36 });
  });
  return top + height;
}

/** Names on the left, values at the right edge, a thin rule below each. */
function pairTable(paper: Paper, pairs: readonly Pair[], left: number, top: number): number {
  const right = left + COLUMN_WIDTH;
  const table = paper.element(paper.root, 'Table');
  pairs.forEach(([label, value], index) => {
    const y = top + index * ROW + 12;
    const row = paper.element(table, 'TR');
    const nameStyle = { size: 9, colour: COLOURS.quiet } as const;
    const valueStyle = { size: 9.5, weight: 'semibold', colour: COLOURS.ink } as const;
    const room = COLUMN_WIDTH - paper.widthOf(label, nameStyle) - 8;
    paper.tagged(row, 'TH', () => paper.text(label, { ...nameStyle, x: left, y }), { scope: 'Row' });
    paper.tagged(row, 'TD', () =>
      paper.text(value, { ...paper.fitted(value, valueStyle, room), x: right, y, align: 'right' }),
    );
    row.end();
    paper.artifact(() => paper.rule(y + 5.5, COLOURS.faintRule, 0.5, left, right));
  });
  table.end();
  return top + pairs.length * ROW;
}

function conditions(paper: Paper, { offer, schedule }: SimulationRecord, top: number): number {
  const last = schedule.at(-1)!;
  const values: readonly Pair[] = [
    ['Valor do imóvel', reais(offer.propertyValue)],
    ['Valor financiado (principal)', reais(offer.principal)],
    [
      offer.product === 'HOME_EQUITY' ? 'dos quais, despesas' : 'dos quais, despesas (ITBI e registro)',
      reais(offer.expenses),
    ],
    ['Prazo', term(offer.term)],
    [`Primeira parcela, em ${date(offer.first.dueDate)}`, reais(offer.first.total)],
    [`Última parcela, em ${date(last.dueDate)}`, reais(offer.lastTotal)],
    ['Soma de todas as parcelas', reais(offer.total)],
    ['Renda mensal necessária', reais(offer.requiredIncome)],
  ];
  const rates: readonly Pair[] = [
    ['Sistema de amortização', SYSTEM_NAMES[offer.system]],
    ['Indexador', INDEXER_NAMES[offer.indexer]],
    ['Juros efetivos ao ano', percent(offer.annualRate, 2)],
    ['Juros efetivos ao mês', percent(offer.monthlyRate, 4)],
    ['CET ao ano', percent(offer.effectiveAnnualCost, 2)],
    ['Avaliação do imóvel, paga no início', reais(offer.appraisalFee)],
    ['Tarifa em cada parcela', reais(offer.monthlyFee)],
    ['Seguro DFI ao mês, sobre o imóvel', percent(offer.dfiRate)],
  ];
  const right = PAGE.left + COLUMN_WIDTH + COLUMN_GAP;
  sectionHeading(paper, 'Valores e prazo', PAGE.left, top + 11);
  const leftEnd = pairTable(paper, values, PAGE.left, top + 17);
  sectionHeading(paper, 'Taxas e custos', right, top + 11);
  return Math.max(leftEnd, pairTable(paper, rates, right, top + 17));
}

/** The first instalment, part by part, below a bar in the charts' colours. */
function composition(paper: Paper, { offer }: SimulationRecord, top: number): number {
  const { first } = offer;
  sectionHeading(paper, 'Composição da primeira parcela', PAGE.left, top + 11);
  const barTop = top + 19;
  const draw = () => {
    let x: number = PAGE.left;
    for (const part of PARTS) {
      const width = (TEXT_WIDTH * part.of(first)) / first.total;
      paper.fill(part.colour, x, barTop, width, 10);
      x += width;
    }
  };
  const alt = `Barra da primeira parcela: ${PARTS.map(({ name }) => name.toLowerCase()).join(', ')}.`;
  paper.tagged(paper.root, 'Figure', draw, { alt, bbox: [PAGE.left, barTop, PAGE.right, barTop + 10] });

  const [repaid, interest, small] = PARTS;
  const rows = [
    { part: repaid, name: 'Amortização', what: 'reduz o saldo devedor', amount: first.amortization },
    {
      part: interest,
      name: 'Juros',
      what: `${percent(offer.monthlyRate, 4)} ao mês sobre o saldo devedor`,
      amount: first.interest,
    },
    { part: small, name: 'Seguro MIP', what: 'morte e invalidez permanente, pela idade', amount: first.mip },
    { part: small, name: 'Seguro DFI', what: 'danos físicos ao imóvel', amount: first.dfi },
    { part: small, name: 'Tarifa', what: 'administração do contrato', amount: first.fee },
  ];
  const table = paper.element(paper.root, 'Table');
  const line = (cells: readonly (() => void)[]) => {
    const row = paper.element(table, 'TR');
    cells.forEach((cell, index) => {
      paper.tagged(row, index === 0 ? 'TH' : 'TD', cell, index === 0 ? { scope: 'Row' } : {});
    });
    row.end();
  };
  let y = barTop + 10;
  for (const { part, name, what, amount } of rows) {
    y += ROW;
    paper.artifact(() => {
      paper.fill(part.colour, PAGE.left, y - 12, 7, 7);
      paper.rule(y, COLOURS.faintRule);
    });
    line([
      () => paper.text(name, { x: PAGE.left + 13, y: y - 5.5, size: 9.5, colour: COLOURS.ink }),
      () => paper.text(what, { x: PAGE.left + 100, y: y - 5.5, size: 9, colour: COLOURS.quiet }),
      () => paper.text(reais(amount), { x: PAGE.right, y: y - 5.5, size: 9.5, colour: COLOURS.ink, align: 'right' }),
    ]);
  }
  y += ROW;
  const strong = { y: y - 5.5, size: 9.5, weight: 'semibold', colour: COLOURS.ink } as const;
  line([
    () => paper.text('Primeira parcela', { ...strong, x: PAGE.left }),
    () => paper.text(reais(first.total), { ...strong, x: PAGE.right, align: 'right' }),
  ]);
  table.end();
  return y;
}

/** What is paid to notary, registry and town beside the loan. */
function deedCosts({ product, expenses }: Offer): string {
  if (product === 'HOME_EQUITY') return 'registro da garantia e outros custos de cartório';
  return expenses > 0
    ? 'escritura e outros custos de cartório'
    : 'ITBI, escritura, registro e outros custos de cartório';
}

/** What the simulation takes for granted, and what its CET counts and leaves out. */
export function notesOf(offer: Offer, schedule: readonly Instalment[]): readonly string[] {
  const moves = offer.indexer !== 'PREFIXADO';
  const left = [
    ...(moves ? [`a variação do indexador ${INDEXER_NAMES[offer.indexer]}, contada como zero`] : []),
    ...((offer.iof ?? 0) > 0 ? [] : ['IOF, contado como zero']),
    deedCosts(offer),
  ];
  return [
    `Simulação indicativa, feita com a tabela ${offer.tableVersion} e válida até ${date(validUntil(offer.contractDay))}. Não é proposta nem aprovação: o banco confirma as condições na análise de crédito.`,
    `O CET de ${percent(offer.effectiveAnnualCost, 2)} ao ano inclui os juros, os seguros MIP e DFI, a tarifa de cada parcela e a avaliação do imóvel, paga no início.`,
    `O CET não inclui: ${left.join('; ')}.`,
    ...(offer.expenses > 0
      ? [
          `ITBI e registro, estimados em ${reais(offer.expenses)}, são financiados com o imóvel: entram no CET pelos juros, não como custo.`,
        ]
      : []),
    ...(moves ? ['As parcelas e o saldo devedor são mostrados sem a correção do indexador e mudam com ela.'] : []),
    `O seguro MIP é calculado sobre o saldo devedor, pela idade em cada vencimento${
      offer.birthDate
        ? ''
        : `; sem a data de nascimento, a idade na data da simulação foi tomada como ${ASSUMED_AGE} anos`
    }.${schedule.length > 1 ? ' A última parcela não tem seguros, que são pagos adiantados.' : ''}`,
  ];
}

function notes(paper: Paper, { offer, schedule }: SimulationRecord, top: number): void {
  sectionHeading(paper, 'O que considerar', PAGE.left, top + 11);
  const list = paper.element(paper.root, 'L');
  const style = { size: 8.5, colour: COLOURS.ink } as const;
  let y = top + 27;
  for (const note of notesOf(offer, schedule)) {
    const item = paper.element(list, 'LI');
    paper.artifact(() => paper.fill(COLOURS.accent, PAGE.left, y - 4, 2.5, 2.5));
    paper.tagged(item, 'LBody', () => {
      for (const line of paper.lines(note, TEXT_WIDTH - 10, style)) {
        paper.text(line, { ...style, x: PAGE.left + 10, y });
        y += 12;
      }
    });
    item.end();
    y += 3;
  }
  list.end();
}

/** The first page: all that the customer signs up to, on one sheet. */
export function summaryPage(paper: Paper, record: SimulationRecord): void {
  let y = masthead(paper, record);
  y = identity(paper, record, y);
  y = keyFigures(paper, record, y);
  y = conditions(paper, record, y + 22);
  y = composition(paper, record, y + 24);
  notes(paper, record, y + 24);
}
