import { stripVTControlCharacters } from 'node:util';
import type { Instant } from '#shared/domain/values/time.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | undefined;
  /** Number of characters that a cut column keeps at least. Values that people copy, such as ids, are never cut. */
  readonly shrinks?: true | number;
}

const GAP = 2;
/** Characters that a column keeps at least, if it does not name another number. */
const NARROWEST = 6;

interface PrintedColumn {
  readonly title: string;
  readonly cells: readonly string[];
  readonly least: number;
  width: number;
}

/** Returns rows under their titles. Lines have at most `width` characters, if the columns that may shrink allow it. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number | undefined): string {
  if (rows.length === 0) return '(none)\n';
  const printed = columns.map(({ title, value, shrinks }): PrintedColumn => {
    const cells = rows.map((row) => clean(value(row)));
    const width = Math.max(title.length, ...cells.map(length));
    return { title, cells, least: shrinks === true ? NARROWEST : (shrinks ?? width), width };
  });
  if (width !== undefined) fit(printed, width);
  const lineOf = (textOf: (column: PrintedColumn) => string | undefined) =>
    printed
      .map((column) => padded(textOf(column) ?? '', column.width))
      .join('')
      .trimEnd();
  const head = lineOf(({ title }) => title.toUpperCase());
  const lines = rows.map((_, index) => `${lineOf(({ cells }) => cells[index])}\n`);
  return `${head}\n${lines.join('')}`;
}

export function record(pairs: readonly (readonly [string, string | number | undefined])[]): string {
  const widest = Math.max(...pairs.map(([name]) => name.length));
  return pairs
    .map(([name, value]) => `${name.padEnd(widest + GAP)}${clean(value)}`.trimEnd())
    .join('\n')
    .concat('\n');
}

/** Takes width from the widest columns that may shrink, until the line fits or none can become narrower. */
function fit(columns: readonly PrintedColumn[], width: number): void {
  const total = () => columns.reduce((sum, column) => sum + column.width, 0) + GAP * (columns.length - 1);
  while (total() > width) {
    const [first, ...others] = columns.filter((column) => column.width > column.least);
    if (!first) return;
    const widest = others.reduce((best, column) => (column.width > best.width ? column : best), first);
    widest.width -= 1;
  }
}

function padded(text: string, width: number): string {
  const cut = shorten(text, width);
  return cut + ' '.repeat(width - length(cut) + GAP);
}

const length = (text: string) => Array.from(text).length;

function shorten(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}

/** Drops characters that control the terminal or change the direction of text. */
export const clean = (value: string | number | undefined): string =>
  stripVTControlCharacters(String(value ?? '-').normalize('NFC')).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');

/** Returns a moment in UTC to the second, or a dash if there is none. */
export const moment = (at: Instant | undefined): string =>
  at === undefined ? '-' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`;
