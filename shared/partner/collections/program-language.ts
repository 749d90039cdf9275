import type { FlowRequest, Place } from './flow.ts';

// What the languages of the programs have in common: how each writes a call, a body and a value of an answer.

/** A request with the name of its answer, and its body as a value in which `{{name}}` is a variable. */
export interface Call extends FlowRequest {
  readonly answer: string;
  readonly value: unknown;
}

export interface Language {
  readonly label: string;
  /** Name of the program's file. */
  readonly file: string;
  readonly opening: string;
  readonly closing?: string;
  readonly call: (request: Call) => string;
  /** Takes a value out of an answer. */
  readonly keep: (answer: string, name: string, place: Place) => string;
}

export const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const isVariable = (value: unknown) => (typeof value === 'string' ? /^\{\{(\w+)\}\}$/.exec(value)?.[1] : undefined);
export const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);

/** How a language writes a body. */
export interface Notation {
  readonly open: string;
  readonly close: string;
  readonly field: (name: string) => string;
  readonly list: (items: readonly string[]) => string;
  readonly plain: (value: unknown) => string;
  readonly variable: (name: string) => string;
}

/** A body in a language's notation, a field a line. */
export function written(value: unknown, notation: Notation): string {
  const name = isVariable(value);
  if (name) return notation.variable(name);
  if (Array.isArray(value)) return notation.list(value.map((item) => written(item, notation)));
  if (typeof value !== 'object' || value === null) return notation.plain(value);
  const fields = Object.entries(value).map(
    ([field, part]) => `  ${notation.field(field)}${indented(written(part, notation), '  ')},`,
  );
  return `${notation.open}\n${fields.join('\n')}\n${notation.close}`;
}

export const single = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
export const variables = (prefix: string, now: string) => (name: string) =>
  ({ cpf: single('900.000.001-75'), consentimento_timestamp: now })[name] ?? prefix + camel(name);

/** A body as JSON text, with what is put in the place of each variable. */
export const jsonWith = (value: unknown, variable: (name: string) => string) =>
  JSON.stringify(value, null, 2).replace(/"\{\{(\w+)\}\}"/g, (_, name: string) => variable(name));

export const pathWith = (path: string, variable: (name: string) => string) =>
  path.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variable(name));
export const idIn = (path: string) => /\{\{(\w+)\}\}/.exec(path)?.[1];
export const last = (place: Place) => String(place.at(-1));
