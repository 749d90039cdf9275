import { isObject } from '#infra/local/listen.ts';
import { type Attribute, attributeOf, type Body, type Image, imageOf } from './request.ts';
import type { KeyNames } from './rows.ts';

interface Condition {
  readonly sort: string | undefined;
  holds(image: Image): boolean;
}

const EQUALITY = /^\s*(#?\w+)\s*=\s*(:\w+)\s*(?:AND\s+(.+?)\s*)?$/i;
const BETWEEN = /^(#?\w+)\s+BETWEEN\s+(:\w+)\s+AND\s+(:\w+)$/i;
const BEGINS = /^begins_with\s*\(\s*(#?\w+)\s*,\s*(:\w+)\s*\)$/i;
const COMPARED = /^(#?\w+)\s*(=|<=|>=|<|>)\s*(:\w+)$/;
/** Whether an operator holds for a value below (`order` is negative), at or above its bound. */
export const ORDERS: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['=', (order: number) => order === 0],
  ['<', (order: number) => order < 0],
  ['<=', (order: number) => order <= 0],
  ['>', (order: number) => order > 0],
  ['>=', (order: number) => order >= 0],
]);

/** Compares two key values as DynamoDB does: texts by their UTF-8 bytes, numbers by value. */
export function compareKeys(a: Attribute, b: Attribute): number {
  if (typeof a['S'] === 'string' && typeof b['S'] === 'string')
    return Buffer.compare(Buffer.from(a['S']), Buffer.from(b['S']));
  if (typeof a['N'] === 'string' && typeof b['N'] === 'string') return Number(a['N']) - Number(b['N']);
  throw new Error('keys are texts or numbers here');
}

/** Throws an Error unless the expression is an equality, followed by at most one condition on the sort key. */
export function keyCondition(request: Body, { partition, sort }: KeyNames): Condition {
  const expression = String(request['KeyConditionExpression']);
  const names = request['ExpressionAttributeNames'];
  const values = imageOf(request['ExpressionAttributeValues'] ?? {});
  const name = (text: string) => (isObject(names) ? String(names[text] ?? text) : text);
  const value = (text: string) => attributeOf(values, text);

  const [, first, equal, rest] = EQUALITY.exec(expression) ?? [];
  if (!first || !equal || name(first) !== partition) throw new Error(`${expression} is not understood here`);
  const wanted = value(equal);
  const range = rest === undefined ? () => true : rangeOf(rest, sort, name, value);
  return {
    sort,
    holds: (image) => {
      const [own, sorted] = [image[partition], sort === undefined ? undefined : image[sort]];
      // An index contains only rows that have its keys.
      if (!own || (sort !== undefined && !sorted)) return false;
      return compareKeys(own, wanted) === 0 && (!sorted || range(sorted));
    },
  };
}

function rangeOf(
  text: string,
  sort: string | undefined,
  name: (text: string) => string,
  value: (text: string) => Attribute,
): (own: Attribute) => boolean {
  const [match, test] = parseRange(text, value);
  if (!match || name(match) !== sort) throw new Error(`${text} is not understood here`);
  return test;
}

function parseRange(
  text: string,
  value: (text: string) => Attribute,
): [name: string | undefined, test: (own: Attribute) => boolean] {
  const [, between, from, to] = BETWEEN.exec(text) ?? [];
  if (from && to) {
    const least = value(from);
    const most = value(to);
    return [between, (own) => compareKeys(own, least) >= 0 && compareKeys(own, most) <= 0];
  }
  const [, begins, prefix] = BEGINS.exec(text) ?? [];
  if (prefix) {
    const start = String(value(prefix)['S']);
    return [begins, (own) => String(own['S']).startsWith(start)];
  }
  const [, compared, operator = '', other] = COMPARED.exec(text) ?? [];
  const holds = ORDERS.get(operator);
  if (!holds || !other) return [undefined, () => false];
  const bound = value(other);
  return [compared, (own) => holds(compareKeys(own, bound))];
}

export function ordered(condition: Condition, table: KeyNames, backwards: boolean): (a: Image, b: Image) => number {
  const names = [condition.sort, table.partition, table.sort].filter((name) => name !== undefined);
  return (a, b) => {
    const difference =
      names.map((name) => compareKeys(attributeOf(a, name), attributeOf(b, name))).find((order) => order !== 0) ?? 0;
    return backwards ? -difference : difference;
  };
}
