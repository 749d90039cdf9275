import { COLOURS, PAGE, type Paper, type Place, type Style, TEXT_WIDTH } from './paper.ts';

// Most functions return the y at which the next block can begin, in points.

export const ROW = 17;
export const HEADING = 17;
export const LABEL: Style = { size: 8.5, colour: COLOURS.quiet };
const BODY: Style = { size: 9, colour: COLOURS.ink };
const LINE = 12.5;

export type Pair = readonly [label: string, value: string];

export function paragraph(paper: Paper, text: string, style: Style, place: Place): void {
  paper.tagged(paper.root, 'P', () => paper.text(text, style, place));
}

/**
 * The first baseline is at `y`, and `lead` is the distance to the next baseline. Returns the y of the last baseline.
 */
export function wrapped(
  paper: Paper,
  text: string,
  style: Style,
  { x, y, width, lead }: Readonly<Record<'x' | 'y' | 'width' | 'lead', number>>,
): number {
  const lines = paper.lines(text, width, style);
  paper.tagged(paper.root, 'P', () => {
    for (const [index, line] of lines.entries()) paper.text(line, style, { x, y: y + index * lead });
  });
  return y + (lines.length - 1) * lead;
}

export const textBlock = (paper: Paper, text: string, top: number, place: { left: number; width: number }): number =>
  wrapped(paper, text, BODY, { x: place.left, y: top + LINE - 3, width: place.width, lead: LINE }) + 3;

export function sectionHeading(paper: Paper, text: string, x: number, top: number): number {
  paper.tagged(paper.root, 'H2', () => {
    paper.text(text, { size: 11, weight: 'semibold', colour: COLOURS.accent }, { x, y: top + 11 });
  });
  return top + HEADING;
}

type PairsPlaced = Readonly<Record<'left' | 'top' | 'width' | 'row', number>>;

function pairTable(paper: Paper, pairs: readonly Pair[], { left, top, width, row: height }: PairsPlaced): number {
  if (pairs.length === 0) return top;
  const right = left + width;
  const table = paper.element(paper.root, 'Table');
  pairs.forEach(([label, value], index) => {
    const y = top + (index + 1) * height - 5;
    const row = paper.element(table, 'TR');
    const nameStyle: Style = { size: 9, colour: COLOURS.quiet };
    const valueStyle: Style = { size: 9.5, weight: 'semibold', colour: COLOURS.ink };
    const room = width - paper.widthOf(label, nameStyle) - 8;
    paper.tagged(row, 'TH', () => paper.text(label, nameStyle, { x: left, y }), { scope: 'Row' });
    paper.tagged(row, 'TD', () =>
      paper.text(value, paper.fitted(value, valueStyle, room), { x: right, y, align: 'right' }),
    );
    row.end();
    paper.artifact(() => paper.rule(y + 5, COLOURS.faintRule, 0.5, left, right));
  });
  table.end();
  return top + pairs.length * height;
}

export function pairSection(paper: Paper, heading: string, pairs: readonly Pair[], placed: PairsPlaced): number {
  const { left, top, width, row } = placed;
  if (pairs.length === 0) return top;
  return pairTable(paper, pairs, { left, top: sectionHeading(paper, heading, left, top), width, row });
}

export function keyFigures(paper: Paper, entries: readonly Pair[], top: number): number {
  const height = 48;
  const width = TEXT_WIDTH / entries.length;
  paper.artifact(() => {
    paper.fill(COLOURS.wash, PAGE.left, top, TEXT_WIDTH, height);
    entries.forEach((_, index) => {
      if (index > 0) paper.fill(COLOURS.white, PAGE.left + index * width - 1, top, 2, height);
    });
  });
  entries.forEach(([label, value], index) => {
    const x = PAGE.left + index * width + 10;
    paragraph(paper, label, paper.fitted(label, LABEL, width - 16), { x, y: top + 16 });
    const style: Style = { size: 13, weight: 'semibold', colour: COLOURS.accent };
    paragraph(paper, value, paper.fitted(value, style, width - 18), { x, y: top + 36 });
  });
  return top + height;
}

export function bulletList(
  paper: Paper,
  notes: readonly string[],
  top: number,
  { left, width }: { readonly left: number; readonly width: number } = { left: PAGE.left, width: TEXT_WIDTH },
): number {
  const list = paper.element(paper.root, 'L');
  let y = top + 10;
  for (const note of notes) {
    const item = paper.element(list, 'LI');
    paper.artifact(() => paper.fill(COLOURS.accent, left, y - 4, 2.5, 2.5));
    paper.tagged(item, 'LBody', () => {
      for (const line of paper.lines(note, width - 10, BODY)) {
        paper.text(line, BODY, { x: left + 10, y });
        y += LINE;
      }
    });
    item.end();
    y += 3;
  }
  list.end();
  return y - 10;
}

export const bulletListHeight = (paper: Paper, notes: readonly string[], width: number = TEXT_WIDTH): number =>
  notes.reduce((height, note) => height + paper.lines(note, width - 10, BODY).length * LINE + 3, 0);

export interface GridColumn {
  readonly heading: string;
  /**
   * Distance from the table's left edge to the right edge of the figures. 0 for the first column, whose names are
   * aligned left.
   */
  readonly edge: number;
}

/** If `sums` is true, the last row is a sum and is drawn in semibold. */
export function gridTable(
  paper: Paper,
  { left, top, width }: { readonly left: number; readonly top: number; readonly width: number },
  columns: readonly GridColumn[],
  rows: readonly (readonly string[])[],
  sums = false,
): number {
  const [, firstFigures] = columns;
  const nameRoom = (firstFigures?.edge ?? width) - 90;
  const table = paper.element(paper.root, 'Table');
  const line = (y: number, cells: readonly string[], style: Style, head: boolean) => {
    const row = paper.element(table, 'TR');
    let edgeBefore = 0;
    for (const [index, { edge }] of columns.entries()) {
      const text = cells[index] ?? '';
      const isName = index === 0;
      const room = isName ? nameRoom : edge - edgeBefore - 8;
      const place: Place = isName ? { x: left, y } : { x: left + edge, y, align: 'right' };
      const draw = () => paper.text(text, paper.fitted(text, style, room), place);
      if (head) paper.tagged(row, 'TH', draw, { scope: 'Column' });
      else if (isName) paper.tagged(row, 'TH', draw, { scope: 'Row' });
      else paper.tagged(row, 'TD', draw);
      edgeBefore = edge;
    }
    row.end();
  };
  let y = top + 12;
  const headings = columns.map(({ heading }) => heading);
  line(y, headings, LABEL, true);
  paper.artifact(() => paper.rule(y + 5, COLOURS.rule, 0.75, left, left + width));
  rows.forEach((cells, index) => {
    y += ROW;
    const strong = sums && index === rows.length - 1;
    line(y, cells, { size: 9.5, weight: strong ? 'semibold' : 'regular', colour: COLOURS.ink }, false);
    if (!strong) paper.artifact(() => paper.rule(y + 5, COLOURS.faintRule, 0.5, left, left + width));
  });
  table.end();
  return y + 5;
}
