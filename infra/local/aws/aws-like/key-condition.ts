import type { Attribute, Body, Image } from './request.ts';
import type { KeyNames } from './rows.ts';

/** Which rows a query is about, and what they are sorted by. */
interface Condition {
  readonly sort: string | undefined;
  holds(image: Image): boolean;
}

const EQUALITY = /^\s*(#?\w+)\s*=\s*(:\w+)\s*(?:AND\s+(.+?)\s*)?$/i;
const BETWEEN = /^(#?\w+)\s+BETWEEN\s+(:\w+)\s+AND\s+(:\w+)$/i;
const BEGINS = /^begins_with\s*\(\s*(#?\w+)\s*,\s*(:\w+)\s*\)$/i;
const COMPARED = /^(#?\w+)\s*(=|<=|>=|<|>)\s*(:\w+)$/;
/** Whether a comparison holds of a value that is below (negative), at, or above its bound. */
const ORDERS = {
  '=': (order: number) => order === 0,
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const;

/** Orders two values of a key as DynamoDB does: text by its UTF-8 bytes, numbers by value. */
function compareKeys(a: Attribute, b: Attribute): number {
  if (typeof a['S'] === 'string' && typeof b['S'] === 'string')
    return Buffer.compare(Buffer.from(a['S']), Buffer.from(b['S']));
  if (typeof a['N'] === 'string' && typeof b['N'] === 'string') return Number(a['N']) - Number(b['N']);
  throw new Error('keys are texts or numbers here');
}

/** Reads a query's KeyConditionExpression: equality first, then at most one condition on the sort key. Throws for others. */
export function keyCondition(request: Body, { partition, sort }: KeyNames): Condition {
  const expression = String(request['KeyConditionExpression']);
  const names = (request['ExpressionAttributeNames'] ?? {}) as Readonly<Record<string, string>>;
  const values = (request['ExpressionAttributeValues'] ?? {}) as Readonly<Record<string, Attribute>>;
  const name = (text: string) => names[text] ?? text;
  const value = (text: string) => values[text]!;

  const [, first, equal, rest] = EQUALITY.exec(expression) ?? [];
  if (!first || name(first) !== partition) throw new Error(`${expression} is not understood here`);
  const range = rest === undefined ? () => true : rangeOf(rest, sort, name, value);
  return {
    sort,
    holds: (image) => {
      const [own, sorted] = [image[partition], sort === undefined ? undefined : image[sort]];
      // A row without the index's keys is not in it.
      if (!own || (sort !== undefined && !sorted)) return false;
      return compareKeys(own, value(equal!)) === 0 && (!sorted || range(sorted));
    },
  };
}

function rangeOf(
  text: string,
  sort: string | undefined,
  name: (text: string) => string,
  value: (text: string) => Attribute,
): (own: Attribute) => boolean {
  const [match, test] = parsedRange(text, value);
  if (!match || name(match) !== sort) throw new Error(`${text} is not understood here`);
  return test;
}

function parsedRange(
  text: string,
  value: (text: string) => Attribute,
): [name: string | undefined, test: (own: Attribute) => boolean] {
  const between = BETWEEN.exec(text);
  if (between) {
    const [from, to] = [value(between[2]!), value(between[3]!)];
    return [between[1], (own) => compareKeys(own, from) >= 0 && compareKeys(own, to) <= 0];
  }
  const begins = BEGINS.exec(text);
  if (begins) return [begins[1], (own) => String(own['S']).startsWith(String(value(begins[2]!)['S']))];
  const compared = COMPARED.exec(text);
  if (!compared) return [undefined, () => false];
  const [holds, bound] = [ORDERS[compared[2] as keyof typeof ORDERS], value(compared[3]!)];
  return [compared[1], (own) => holds(compareKeys(own, bound))];
}

/** Orders rows as a query gives them: by its sort key; rows of one sort key by the table's own key. */
export function ordered(condition: Condition, table: KeyNames, backwards: boolean): (a: Image, b: Image) => number {
  const names = [condition.sort, table.partition, table.sort].filter((name) => name !== undefined);
  return (a, b) => {
    const difference = names.map((name) => compareKeys(a[name]!, b[name]!)).find((order) => order !== 0) ?? 0;
    return backwards ? -difference : difference;
  };
}
