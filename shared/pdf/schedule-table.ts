import type { Instalment } from '../domain/simulations/simulation.ts';
import { centavos } from '../domain/values/money.ts';
import { COLOURS, type Element, PAGE, type Paper, TEXT_WIDTH } from './paper.ts';
import { date, figure } from './wording.ts';

/** Instalments on the first page of the schedule, below the charts, and on each page after it: whole years. */
export const ROWS_BELOW_CHARTS = 24;
export const ROWS_ON_A_PAGE = 60;

const PITCH = 11.5;
const HEAD_HEIGHT = 17;
const LARGEST_SIZE = 7.5;
const LEAST_GAP = 7;

interface Column {
  readonly heading: string;
  readonly of: (row: Instalment) => string;
  /** The column's sum, in the last line. */
  readonly sum?: (row: Instalment) => number;
}

const COLUMNS: readonly Column[] = [
  { heading: 'Nº', of: (row) => String(row.number) },
  { heading: 'Vencimento', of: (row) => date(row.dueDate) },
  { heading: 'Amortização', of: (row) => figure(row.amortization), sum: (row) => row.amortization },
  { heading: 'Juros', of: (row) => figure(row.interest), sum: (row) => row.interest },
  { heading: 'Seguro MIP', of: (row) => figure(row.mip), sum: (row) => row.mip },
  { heading: 'Seguro DFI', of: (row) => figure(row.dfi), sum: (row) => row.dfi },
  { heading: 'Tarifa', of: (row) => figure(row.fee), sum: (row) => row.fee },
  { heading: 'Parcela', of: (row) => figure(row.total), sum: (row) => row.total },
  { heading: 'Saldo devedor', of: (row) => figure(row.balance) },
];
const TOTAL = COLUMNS.findIndex(({ heading }) => heading === 'Parcela');

/** How many pages a schedule of so many instalments takes. */
export function schedulePages(instalments: number): number {
  return 1 + Math.ceil(Math.max(0, instalments - ROWS_BELOW_CHARTS) / ROWS_ON_A_PAGE);
}

interface Grid {
  /** Size of the figures: smaller only where amounts are too long for the page's width. */
  readonly size: number;
  /** The right edge of each column. */
  readonly edges: readonly number[];
}

function gridFor(paper: Paper, cells: readonly (readonly string[])[]): Grid {
  const headings = COLUMNS.map(({ heading }) => paper.widthOf(heading, { size: LARGEST_SIZE, weight: 'semibold' }));
  // Digits are of one width, so that the longest text of a column is its widest.
  const widest = COLUMNS.map((_, column) =>
    cells.reduce((longest, row) => (row[column]!.length > longest.length ? row[column]! : longest), ''),
  );
  const widthsAt = (size: number) =>
    widest.map((text, column) =>
      Math.max(paper.widthOf(text, { size, weight: 'semibold' }), (headings[column]! * size) / LARGEST_SIZE),
    );
  const room = TEXT_WIDTH - LEAST_GAP * (COLUMNS.length - 1) - 8;
  const natural = widthsAt(LARGEST_SIZE).reduce((sum, width) => sum + width, 0);
  const size = natural <= room ? LARGEST_SIZE : Math.floor((LARGEST_SIZE * room * 100) / natural) / 100;
  const widths = widthsAt(size);
  const gap = (TEXT_WIDTH - 8 - widths.reduce((sum, width) => sum + width, 0)) / (COLUMNS.length - 1);
  let edge = PAGE.left + 4;
  const edges = widths.map((width, column) => {
    edge += width + (column === 0 ? 0 : gap);
    return edge;
  });
  return { size, edges };
}

/**
 * Every instalment as a row, the head on each page, the sums at the end. `top` is where the heading of the first page
 * goes; `nextPage` turns the page and gives where to go on, in points. The figures are those given, to the centavo.
 */
export function scheduleTable(
  paper: Paper,
  parent: Element,
  schedule: readonly Instalment[],
  top: number,
  nextPage: () => number,
): void {
  const sums = COLUMNS.map(({ sum }) =>
    sum ? figure(centavos(schedule.reduce((total, row) => total + sum(row), 0))) : '',
  );
  const cells = schedule.map((row) => COLUMNS.map(({ of }) => of(row)));
  const { size, edges } = gridFor(paper, [...cells, sums]);

  paper.tagged(parent, 'H2', () => {
    paper.text('Todas as parcelas', {
      x: PAGE.left,
      y: top + 11,
      size: 11,
      weight: 'semibold',
      colour: COLOURS.accent,
    });
  });
  paper.tagged(parent, 'P', () => {
    paper.text('Valores em reais', { x: PAGE.right, y: top + 11, size: 7.5, colour: COLOURS.quiet, align: 'right' });
  });
  const table = paper.element(parent, 'Table');
  let y = top + 17;

  const cellAt = (column: number, text: string, weight: 'regular' | 'semibold') =>
    paper.text(text, { x: edges[column]!, y: y - 3.5, size, weight, align: 'right' });

  const head = (tag: (column: number, draw: () => void) => void) => {
    paper.artifact(() => paper.fill(COLOURS.accent, PAGE.left, y, TEXT_WIDTH, HEAD_HEIGHT));
    y += HEAD_HEIGHT - 1.5;
    paper.doc.fillColor(COLOURS.white);
    COLUMNS.forEach(({ heading }, column) => {
      tag(column, () => cellAt(column, heading, 'semibold'));
    });
    paper.doc.fillColor(COLOURS.ink);
    y += 1.5;
  };

  const headRow = paper.element(table, 'TR');
  head((_, draw) => paper.tagged(headRow, 'TH', draw, { scope: 'Column' }));
  headRow.end();

  let left = ROWS_BELOW_CHARTS;
  schedule.forEach(({ number }, index) => {
    if (left === 0) {
      y = nextPage();
      // A head that is repeated is there to be seen: read aloud, the first one speaks for the column.
      head((_, draw) => paper.artifact(draw, 'Pagination'));
      left = ROWS_ON_A_PAGE;
    }
    left -= 1;
    paper.artifact(() => {
      if (number % 2 === 0) paper.fill(COLOURS.wash, PAGE.left, y, TEXT_WIDTH, PITCH);
      if (number % 12 === 0) paper.rule(y + PITCH, COLOURS.rule);
    });
    paper.doc.fillColor(COLOURS.ink);
    y += PITCH;
    const row = paper.element(table, 'TR');
    cells[index]!.forEach((text, column) => {
      const draw = () => cellAt(column, text, column === TOTAL ? 'semibold' : 'regular');
      if (column === 0) paper.tagged(row, 'TH', draw, { scope: 'Row' });
      else paper.tagged(row, 'TD', draw);
    });
    row.end();
  });

  paper.artifact(() => paper.rule(y, COLOURS.accent, 1));
  paper.doc.fillColor(COLOURS.ink);
  y += PITCH + 2;
  const sumRow = paper.element(table, 'TR');
  paper.tagged(sumRow, 'TH', () => paper.text('Soma', { x: PAGE.left + 4, y: y - 3.5, size, weight: 'semibold' }), {
    scope: 'Row',
  });
  sums.slice(1).forEach((text, index) => {
    paper.tagged(sumRow, 'TD', () => cellAt(index + 1, text, 'semibold'));
  });
  sumRow.end();
  table.end();
}
