import { callerText } from '#shared/administration/caller-name.ts';
import { EMPTY, LINES } from './exceptions.ts';
import { type Fields, isFields } from './options.ts';
import { isTable, type Shape } from './shape.ts';
import { type Column, moment, record, table } from './table.ts';

interface View {
  /** Names of the fields that the caller has sent: they need no column. */
  readonly given: readonly string[];
  /** `name:12` may be cut to 12 characters in a narrow terminal, `at:minute` is a moment without seconds. */
  readonly columns: string | undefined;
  readonly width: number | undefined;
}

const UNSHOWN: readonly string[] = ['ok', 'dry_run', 'next_cursor', 'done', 'total'];
const MOST_TEXTS = 12;

const rowsOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
export const titleOf = (name: string) => name.replace(/_id$/, '').replaceAll('_', ' ');
const shownFields = ({ fields }: Shape) => Array.from(fields).filter(([name]) => !UNSHOWN.includes(name));
const jsonOf = (value: unknown) => JSON.stringify(value, null, 2);

function textOf(name: string, shape: Shape | undefined, value: unknown): string {
  if (Array.isArray(value)) return listText(name, shape, value);
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && !Number.isInteger(value)) return value.toPrecision(2);
  if (isFields(value)) return objectText(shape, value);
  if (shape?.format === 'date-time') return moment(Date.parse(String(value)));
  if (value === shape?.cap) return `${value} or more`;
  return callerText(String(value));
}

function listText(name: string, shape: Shape | undefined, values: readonly unknown[]): string {
  if (values.length === 0) return EMPTY[name] ?? '-';
  const texts = values.slice(0, MOST_TEXTS).map((value) => textOf(name, shape?.items, value));
  const more = values.length - texts.length;
  return `${texts.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns only the values if the schema names the fields, else pairs such as `key=a1B2c`, the shortest first. */
function objectText(shape: Shape | undefined, value: Fields): string {
  if (shape !== undefined && shape.fields.size > 0)
    return Array.from(shape.fields)
      .map(([name, part]) => textOf(name, part, value[name]))
      .join(' ');
  return (
    Object.entries(value)
      .map(([name, fact]) => `${name}=${textOf(name, undefined, fact)}`)
      .sort((one, other) => one.length - other.length || one.localeCompare(other))
      .join(' ') || '-'
  );
}

function columnsOf({ fields }: Shape, { given, columns }: View): Column<Fields>[] {
  // An answer may have a second list, with other fields.
  const wanted = columns?.split(' ').filter((column) => fields.has(column.split(':', 1)[0] ?? ''));
  const shown = wanted?.length ? wanted : Array.from(fields.keys()).filter((name) => !given.includes(name));
  return shown.map((column) => {
    const [name = '', least] = column.split(':');
    const value = (row: Fields) => textOf(name, fields.get(name), row[name]);
    if (least === 'minute') return { title: titleOf(name), value: (row) => value(row).replace(/:\d\dZ$/, 'Z') };
    return least === undefined
      ? { title: titleOf(name), value }
      : { title: titleOf(name), value, shrinks: Number(least) };
  });
}

function rowsText(rows: readonly Fields[], shape: Shape, view: View): string {
  if (rows.length === 0) return '(none)\n';
  const { columns, width = Number.POSITIVE_INFINITY } = view;
  const isFlat = !Array.from(shape.fields.values()).some(isTable);
  const text = isFlat ? table(rows, columnsOf(shape, view), view.width) : '';
  const isNarrow = text.split('\n').every((line) => line.length <= width);
  const isTabular = columns !== undefined || (isFlat && isNarrow && shape.fields.size < 10);
  return isTabular ? text : rows.map((row) => recordText(row, shape, { ...view, columns: undefined })).join('\n');
}

function recordText(row: Fields, shape: Shape, view: View): string {
  const pairs: (readonly [string, string])[] = [];
  const below: string[] = [];
  for (const [name, part] of shownFields(shape)) {
    const value = row[name];
    const line = LINES[name];
    const title = titleOf(name);
    if (line) pairs.push(...rowsOf(value).map(line));
    else if (isTable(part) && part.items && rowsOf(value).length > 0)
      below.push(`\n${title}:\n${indented(rowsText(rowsOf(value), part.items, view))}`);
    else if (part.isLoose && isFields(value)) below.push(`\n${title}:\n${indented(`${jsonOf(value)}\n`)}`);
    else pairs.push(...pairsOf(name, title, part, value));
  }
  return `${pairs.length > 0 ? record(pairs) : ''}${below.join('')}`;
}

function pairsOf(name: string, title: string, part: Shape, value: unknown): (readonly [string, string])[] {
  if (part.fields.size === 0 || !isFields(value)) return [[title, textOf(name, part, value)]];
  // An object that is named after its own id needs no name in front of its fields.
  const own = part.fields.has(`${name}_id`) ? '' : `${title} `;
  return Array.from(part.fields).flatMap(([field, inner]) =>
    pairsOf(field, `${own}${titleOf(field)}`, inner, value[field]),
  );
}

const indented = (text: string) => text.replace(/^(?=.)/gm, '  ');

export function answerText(answer: Fields, shape: Shape, view: View): string {
  const shown = shownFields(shape);
  const [[name, part] = ['', shape]] = shown;
  const value = answer[name];
  if (typeof answer['lines'] === 'string') return answer['lines'];
  if (shown.length !== 1) return recordText(answer, shape, view);
  if (part.isLoose) return `${jsonOf(value)}\n`;
  if (isTable(part) && part.items) return rowsText(rowsOf(value), part.items, view);
  return isFields(value) ? recordText(value, part, view) : recordText(answer, shape, view);
}
