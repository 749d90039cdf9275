import { stripVTControlCharacters } from 'node:util';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | undefined;
  /** May be cut where the line is too short; what people copy, such as ids, is never cut. */
  readonly shrinks?: true;
}

const GAP = 2;
/** No column is cut below this many characters. */
const NARROWEST = 6;

/** Rows under their titles, in lines of at most `width` characters where the columns that shrink allow it. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number | undefined): string {
  if (rows.length === 0) return '(none)\n';
  const cells = rows.map((row) => columns.map(({ value }) => clean(value(row))));
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((line) => length(line[index]!))),
  );
  if (width !== undefined) fit(widths, columns, width);
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => {
        const cut = shorten(text, widths[index]!);
        return cut + ' '.repeat(widths[index]! - length(cut) + GAP);
      })
      .join('')
      .trimEnd();
  const head = columns.map(({ title }) => title.toUpperCase());
  return `${[head, ...cells].map(line).join('\n')}\n`;
}

/** Names and values, one a line. */
export function record(pairs: readonly (readonly [string, string | number | undefined])[]): string {
  const widest = Math.max(...pairs.map(([name]) => name.length));
  return pairs
    .map(([name, value]) => `${name.padEnd(widest + GAP)}${clean(value)}`.trimEnd())
    .join('\n')
    .concat('\n');
}

function fit(widths: number[], columns: readonly Column<never>[] | readonly Column<unknown>[], width: number): void {
  const total = () => widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1);
  while (total() > width) {
    const widest = widths.reduce(
      (best, one, index) => (columns[index]!.shrinks && one > (widths[best] ?? NARROWEST) ? index : best),
      -1,
    );
    if (widest < 0) return;
    widths[widest]! -= 1;
  }
}

const length = (text: string) => [...text].length;

function shorten(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}

/** One line without anything that would steer the terminal or turn its text round. */
export const clean = (value: string | number | undefined): string =>
  stripVTControlCharacters(String(value ?? '-').normalize('NFC')).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');

/** A moment (milliseconds since 1970) in UTC to the second; a dash for none. */
export const moment = (at: number | undefined): string =>
  at === undefined ? '-' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`;

/** What the audit names, in one line. */
export const factsText = (facts: object) =>
  Object.entries(facts)
    .map((pair) => pair.join('='))
    .join(' ');
