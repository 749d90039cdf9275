import { Argument, type Command, Option } from 'commander';
import type { Operation } from '#shared/administration/operation.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { momentText } from './arguments.ts';
import { UsageError } from './errors.ts';
import { type Shape, shapeOf } from './shape.ts';

// How people type the fields of an operation. A field inside an object has a dotted name: `consultant.name`.

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface TypedField {
  readonly name: string;
  readonly shape: Shape;
  readonly isNeeded: boolean;
  readonly isArgument: boolean;
}

/** `--partner` for `partner_id`, `--consultant-name` for `consultant.name`. */
export const flagOf = (name: string): string => `--${name.replace(/[._]id$/, '').replace(/[._]/g, '-')}`;

/** Returns a text of the API with options in place of its ids. */
const withFlags = (text: string) => text.replace(/\b[a-z]+_id\b/g, flagOf);

/** An id of the thing that the operation is about is an argument. */
export function typedFields({ noun, params, query, body }: Operation): readonly TypedField[] {
  const isArgument = (name: string) => name.endsWith('_id') && (name !== 'partner_id' || noun === 'partners');
  const inPath = Array.from(shapeOf(params, 'input').fields);
  const sent = shapeOf(body ?? query, 'input');
  return inPath
    .map(([name, shape]) => ({ name, shape, isNeeded: true, isArgument: isArgument(name) }))
    .concat(Array.from(sent.fields).flatMap(([name, shape]) => fieldsIn(name, shape, sent.needed.includes(name))))
    .filter(({ name }) => name !== 'cursor');
}

function fieldsIn(name: string, shape: Shape, isNeeded: boolean): TypedField[] {
  if (shape.fields.size === 0) return [{ name, shape, isNeeded: isNeeded && !shape.isFlag, isArgument: false }];
  return Array.from(shape.fields).flatMap(([inner, part]) => fieldsIn(`${name}.${inner}`, part, false));
}

/** An option or argument whose value commander stores under the field's name. */
class FieldOption extends Option {
  readonly #name: string;

  constructor(name: string, flags: string, about: string) {
    super(flags, about);
    this.#name = name;
  }

  override attributeName(): string {
    return this.#name;
  }
}

const placeholder = (name: string, { type, format, choices }: Shape) => {
  if (choices.length > 0) return 'name';
  if (format === 'date-time') return 'moment';
  if (/[._]id$/.test(name)) return 'id';
  return type === 'array' ? 'list' : type === 'integer' || name === 'limit' ? 'number' : 'text';
};

/**
 * Adds the option or the argument of a field. A secret that must be given has neither: the program always asks for it.
 */
export function addField(command: Command, { name, shape, isNeeded, isArgument }: TypedField): void {
  const { description = '', isFlag, isSecret, fallback, choices } = shape;
  if (isArgument) return void command.addArgument(new Argument(`<${flagOf(name).slice(2)}>`, description));
  if (isSecret && isNeeded) return;
  const hints = [
    withFlags(description.replace(' on a page', '')),
    shape.format === 'date-time' ? 'Also 90m, 2h or 3d ago.' : '',
    isNeeded ? 'Needed.' : '',
    fallback === undefined || isFlag ? '' : `(default: ${fallback})`,
  ];
  const about = hints.filter((hint) => hint !== '').join(' ');
  const flag = isFlag && fallback === true ? flagOf(name).replace('--', '--no-') : flagOf(name);
  if (isSecret) return void command.addOption(new FieldOption(name, flag, `Read it from standard input. ${about}`));
  if (isFlag) return void command.addOption(new FieldOption(name, flag, about));
  const option = new FieldOption(name, `${flag} <${placeholder(name, shape)}>`, about);
  // Not option.choices(), because a bad value is refused by the schema, as everywhere.
  if (choices.length > 0) option.argChoices = Array.from(choices);
  command.addOption(option);
}

/** Returns the value that a text means. A text without a meaning stays as it is, and the schema refuses it. */
function valueTyped(typed: unknown, { type, format, isNullable, items, isFlag, choices }: Shape, now: Clock): unknown {
  if (typeof typed !== 'string') return isFlag && choices.length > 0 ? String(typed) : typed;
  if (isNullable && typed === 'null') return null;
  if (format === 'date-time') return momentText(typed, now);
  if (type === 'array' && items) return typed.split(',').map((one) => valueTyped(one.trim(), items, now));
  return type === 'integer' && /^\d{1,16}$/.test(typed) ? Number(typed) : typed;
}

export function fieldsOf(typed: Fields, fields: readonly TypedField[], now: Clock): Fields {
  const values = new Map<string, unknown>();
  for (const { name, shape } of fields) {
    const value = typed[name];
    if (value === undefined) continue;
    const [outer = '', inner] = name.split('.');
    const read = valueTyped(value, shape, now);
    const before = values.get(outer);
    const parts = isFields(before) ? Object.entries(before) : [];
    values.set(outer, inner === undefined ? read : Object.fromEntries(parts.concat([[inner, read]])));
  }
  return Object.fromEntries(values);
}

export const picked = (fields: Fields, shape: object = {}): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => name in shape && value !== undefined));

/**
 * Throws a UsageError that names the options whose value is missing or wrong. Skips `unread` fields, which are read
 * later.
 */
export function checkFields({ params, query, body }: Operation, fields: Fields, unread: readonly string[] = []): void {
  const faults = [params, query, body].flatMap((schema) => {
    const given = picked(fields, schema?.shape);
    const { error } = schema?.safeParse(given) ?? {};
    return (error?.issues ?? []).map(({ path, message }) => ({
      field: path.join('.'),
      reason: reasonOf(given, path, message),
    }));
  });
  refuseFaults(faults.filter(({ field }) => !unread.includes(field)));
}

const reasonOf = (given: Fields, path: readonly PropertyKey[], message: string) => {
  const value = path.reduce<unknown>((at, name) => (isFields(at) ? at[String(name)] : undefined), given);
  return value === undefined ? 'is missing' : message;
};

export function refuseFaults(faults: readonly { readonly field: string; readonly reason: string }[]): void {
  const sentences = faults.map(({ field, reason }) => {
    const flag = field === '' ? '' : flagOf(field.replace(/\.\d+$/, ''));
    const said = inWords(reason);
    return said.startsWith('name ') ? `${flag}: ${said}` : `${flag} ${said}`.trim();
  });
  if (sentences.length > 0) throw new UsageError(sentences.join('; '));
}

const inWords = (reason: string) =>
  withFlags(reason)
    .replace(
      /^Invalid option: expected one of (.*)$/s,
      (_, values: string) => `must be one of ${values.replaceAll('"', '').replaceAll('|', ', ')}`,
    )
    .replace(/^Invalid input: expected (\w+).*$/s, 'must be of this kind: $1')
    .replace(/^Too (big|small): /, 'is too $1: ');
