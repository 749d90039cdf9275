import { isObject } from '#infra/local/listen.ts';
import { compareKeys, ORDERS } from './key-condition.ts';
import { type Attribute, attributeOf, type Body, type Image, imageOf } from './request.ts';

type Test = (row: Image) => boolean;

const TOKEN = /\(|\)|<>|<=|>=|=|<|>|[#:]?\w+/g;

/**
 * Throws an Error for an expression that is not made of comparisons with a value, `attribute_exists`,
 * `attribute_not_exists`, AND, OR and parentheses.
 */
export function filterOf(request: Body): Test {
  const expression = request['FilterExpression'];
  if (expression === undefined) return () => true;
  const names = request['ExpressionAttributeNames'];
  const values = imageOf(request['ExpressionAttributeValues'] ?? {});
  const reader: Reader = {
    tokens: String(expression).match(TOKEN) ?? [],
    name: (text) => (isObject(names) ? String(names[text] ?? text) : text),
    value: (text) => attributeOf(values, text),
  };
  const test = readOr(reader);
  if (reader.tokens.length > 0) throw new Error(`${expression} is not understood here`);
  return test;
}

interface Reader {
  readonly tokens: string[];
  name(text: string): string;
  value(text: string): Attribute;
}

function readOr(reader: Reader): Test {
  const tests = [readAnd(reader)];
  while (isNext(reader, 'OR')) tests.push(readAnd(reader));
  return (row) => tests.some((test) => test(row));
}

function readAnd(reader: Reader): Test {
  const tests = [readOne(reader)];
  while (isNext(reader, 'AND')) tests.push(readOne(reader));
  return (row) => tests.every((test) => test(row));
}

function readOne(reader: Reader): Test {
  if (isNext(reader, '(')) {
    const test = readOr(reader);
    expectNext(reader, ')');
    return test;
  }
  const first = take(reader);
  if (first === 'attribute_exists' || first === 'attribute_not_exists') {
    expectNext(reader, '(');
    const name = reader.name(take(reader));
    expectNext(reader, ')');
    return (row) => (row[name] !== undefined) === (first === 'attribute_exists');
  }
  const [name, operator, bound] = [reader.name(first), take(reader), reader.value(take(reader))];
  return (row) => compares(row[name], operator, bound);
}

/** A missing attribute, or an attribute of another type, is neither equal to a value nor ordered. */
function compares(own: Attribute | undefined, operator: string, bound: Attribute): boolean {
  const order = own && orderOf(own, bound);
  if (operator === '<>') return order !== 0;
  const holds = ORDERS.get(operator);
  if (!holds) throw new Error(`the operator ${operator} is not understood here`);
  return order !== undefined && holds(order);
}

function orderOf(own: Attribute, bound: Attribute): number | undefined {
  const [type] = Object.keys(own);
  if (type === undefined || !(type in bound)) return undefined;
  if (type === 'S' || type === 'N') return compareKeys(own, bound);
  return JSON.stringify(own) === JSON.stringify(bound) ? 0 : undefined;
}

function take({ tokens }: Reader): string {
  const token = tokens.shift();
  if (token === undefined) throw new Error('the filter ends too early');
  return token;
}

function isNext({ tokens }: Reader, wanted: string): boolean {
  if (tokens[0]?.toUpperCase() !== wanted) return false;
  tokens.shift();
  return true;
}

function expectNext(reader: Reader, wanted: string): void {
  const token = take(reader);
  if (token !== wanted) throw new Error(`${token} is not understood here: ${wanted} was expected`);
}

/** Returns the request without a filter and a count, so that the engine returns every row of the page. */
export function unfiltered(request: Body): Body {
  const { FilterExpression: _, Select: __, ...query } = request;
  const used = new Set(String(query['KeyConditionExpression']).match(TOKEN));
  // DynamoDB refuses names and values that no expression uses.
  return {
    ...query,
    ExpressionAttributeNames: onlyUsed(query['ExpressionAttributeNames'], used),
    ExpressionAttributeValues: onlyUsed(query['ExpressionAttributeValues'], used),
  };
}

function onlyUsed(placeholders: unknown, used: ReadonlySet<string>): Body | undefined {
  if (!isObject(placeholders)) return undefined;
  const kept = Object.entries(placeholders).filter(([name]) => used.has(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
