import type { Instalment } from '../domain/simulations/simulation.ts';
import { type Centavos, centavos } from '../domain/values/money.ts';
import { LABEL, paragraph, sectionHeading } from './blocks.ts';
import { COLOURS, LEAST_SIZE, PAGE, type Paper, type Style, TEXT_WIDTH } from './paper.ts';
import { date, figure } from './wording.ts';

/** Both numbers are multiples of 12, so that a page ends with a year. */
const ROWS_BELOW_CHARTS = 24;
const ROWS_ON_A_PAGE = 60;

const PITCH = 11.5;
const HEAD_HEIGHT = 17;
const LEAST_GAP = 6;
const INSET = 3;

interface Column {
  readonly heading: string;
  readonly of: (row: Instalment) => string;
  /** Amount that is summed in the last row. Undefined for a column without a sum. */
  readonly sum?: (row: Instalment) => number;
}

/** Returns an amount that is often 0. A dash is easier to read than a column of zeros. */
const amountOrDash = (amount: Centavos) => (amount === 0 ? '–' : figure(amount));

const COLUMNS: readonly Column[] = [
  { heading: 'Nº', of: (row) => String(row.number) },
  { heading: 'Vencimento', of: (row) => date(row.dueDate) },
  { heading: 'Amortização', of: (row) => figure(row.amortization), sum: (row) => row.amortization },
  { heading: 'Juros', of: (row) => figure(row.interest), sum: (row) => row.interest },
  { heading: 'Seguro MIP', of: (row) => amountOrDash(row.mip), sum: (row) => row.mip },
  { heading: 'Seguro DFI', of: (row) => amountOrDash(row.dfi), sum: (row) => row.dfi },
  { heading: 'Tarifa', of: (row) => amountOrDash(row.fee), sum: (row) => row.fee },
  { heading: 'Parcela', of: (row) => figure(row.total), sum: (row) => row.total },
  { heading: 'Saldo devedor', of: (row) => figure(row.balance) },
];

const columnsOf = (schedule: readonly Instalment[]): readonly Column[] =>
  COLUMNS.filter(({ sum }) => sum === undefined || schedule.some((row) => sum(row) > 0));

interface Grid {
  /** Width of the letters in percent. It is below 100 only if the amounts are too long for the page. */
  readonly stretch: number;
  readonly columns: readonly PlacedColumn[];
}

interface PlacedColumn {
  readonly heading: string;
  readonly right: number;
}

function gridFor(paper: Paper, columns: readonly Column[], cells: readonly (readonly string[])[]): Grid {
  const style = { size: LEAST_SIZE, weight: 'semibold' } as const;
  // All digits have the same width, so the longest text of a column is also its widest.
  const natural = columns.map(({ heading }, column) => {
    let longest = '';
    for (const row of cells) {
      const text = row[column] ?? '';
      if (text.length > longest.length) longest = text;
    }
    return { heading, width: Math.max(paper.widthOf(heading, style), paper.widthOf(longest, style)) };
  });
  const room = TEXT_WIDTH - 2 * INSET;
  const needed = natural.reduce((sum, { width }) => sum + width, 0);
  const share = Math.min(1, (room - LEAST_GAP * (columns.length - 1)) / needed);
  const stretch = Math.floor(share * 10_000) / 100;
  const gap = (room - needed * share) / (columns.length - 1);
  let right = PAGE.left + INSET - gap;
  const placed = natural.map(({ heading, width }) => {
    right += gap + width * share;
    return { heading, right };
  });
  return { stretch, columns: placed };
}

/**
 * `top` is the y of the heading on the first page. `nextPage` returns the y at which the table continues, in points.
 */
export function scheduleTable(
  paper: Paper,
  schedule: readonly Instalment[],
  top: number,
  nextPage: () => number,
): void {
  const columns = columnsOf(schedule);
  const sums = columns.map(({ sum }) =>
    sum ? figure(centavos(schedule.reduce((total, row) => total + sum(row), 0))) : '',
  );
  const lines = schedule.map((row) => ({ number: row.number, cells: columns.map(({ of }) => of(row)) }));
  const grid = gridFor(paper, columns, lines.map(({ cells }) => cells).concat([sums]));
  const figures: Style = { size: LEAST_SIZE, stretch: grid.stretch, weight: 'regular', colour: COLOURS.ink };
  const strong: Style = { size: LEAST_SIZE, stretch: grid.stretch, weight: 'semibold', colour: COLOURS.ink };
  const headings: Style = { size: LEAST_SIZE, stretch: grid.stretch, weight: 'semibold', colour: COLOURS.white };

  let y = sectionHeading(paper, 'Todas as parcelas', PAGE.left, top);
  paragraph(paper, 'Valores em reais', LABEL, { x: PAGE.right, y: top + 11, align: 'right' });
  const table = paper.element(paper.root, 'Table');

  const cell = (text: string, style: Style, { right }: PlacedColumn) =>
    paper.text(text, style, { x: right, y: y - 3, align: 'right' });

  const head = (tag: (draw: () => void) => void) => {
    paper.artifact(() => paper.fill(COLOURS.accent, PAGE.left, y, TEXT_WIDTH, HEAD_HEIGHT));
    y += HEAD_HEIGHT - 1.5;
    for (const column of grid.columns) tag(() => cell(column.heading, headings, column));
    y += 1.5;
  };

  const headRow = paper.element(table, 'TR');
  head((draw) => paper.tagged(headRow, 'TH', draw, { scope: 'Column' }));
  headRow.end();

  let rowsLeft = ROWS_BELOW_CHARTS;
  for (const { number, cells } of lines) {
    if (rowsLeft === 0) {
      y = nextPage();
      // A repeated header row is only for the eye, not for reading aloud.
      head((draw) => paper.artifact(draw, 'Pagination'));
      rowsLeft = ROWS_ON_A_PAGE;
    }
    rowsLeft -= 1;
    paper.artifact(() => {
      if (number % 2 === 0) paper.fill(COLOURS.wash, PAGE.left, y, TEXT_WIDTH, PITCH);
      if (number % 12 === 0) paper.rule(y + PITCH, COLOURS.rule);
    });
    y += PITCH;
    const row = paper.element(table, 'TR');
    for (const [index, column] of grid.columns.entries()) {
      const draw = () => cell(cells[index] ?? '', column.heading === 'Parcela' ? strong : figures, column);
      if (index === 0) paper.tagged(row, 'TH', draw, { scope: 'Row' });
      else paper.tagged(row, 'TD', draw);
    }
    row.end();
  }

  paper.artifact(() => paper.rule(y, COLOURS.accent, 1));
  y += PITCH + 2;
  const sumRow = paper.element(table, 'TR');
  const sumName: Style = { size: LEAST_SIZE, weight: 'semibold' };
  const place = { x: PAGE.left + INSET, y: y - 3 };
  paper.tagged(sumRow, 'TH', () => paper.text('Soma', sumName, place), { scope: 'Row' });
  for (const [index, column] of grid.columns.entries())
    if (index > 0) paper.tagged(sumRow, 'TD', () => cell(sums[index] ?? '', strong, column));
  sumRow.end();
  table.end();
}
