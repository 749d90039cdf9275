import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { repeatedName } from '#shared/domain/values/repeated-name.ts';
import { jsonFaultOf } from '#shared/http/json-fault.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['', 'ends', 1, 1],
  ['{"a": 1,}', 'trailingComma', 1, 9],
  ['{\n  "a": 1,\n  "b": [1, 2,]\n}', 'trailingComma', 3, 14],
  ["{'a': 1}", 'singleQuotes', 1, 2],
  ['{"a": NaN}', 'bareWord', 1, 7],
  ['{"a": "x', 'openText', 1, 7],
  ['{"a": "x\ny"}', 'openText', 1, 7],
  ['{"a": 1 "b": 2}', 'missingComma', 1, 9],
  ['{"a": 1} // fim', 'comment', 1, 10],
  ['{"a": 350000,00}', 'decimalComma', 1, 14],
  ['{"a": 1.350.000}', 'brokenNumber', 1, 12],
  ['{"a": 01}', 'brokenNumber', 1, 8],
  ['{"ação 😀": 1;}', 'unexpected', 1, 13],
])('jsonFaultOf says of %j: %s at line %i, column %i', (text, cause, line, column) => {
  expect(jsonFaultOf(text)).toEqual({ cause, line, column });
});

it('jsonFaultOf finds a fault exactly if JSON.parse refuses the text', () => {
  const words = ['true', 'null', '"a"', '\u0000', "'", '/', '😀'];
  const piece = fc.constantFrom(...'{}[]",:0123.eE+-\\u tfn\n'.split(''), ...words);
  const broken = fc.tuple(fc.json(), fc.nat(), fc.nat(2), piece).map(([text, drawn, cut, put]) => {
    const at = drawn % (text.length + 1);
    return text.slice(0, at) + put + text.slice(at + cut);
  });
  const pieces = fc.array(piece).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.json(), pieces, broken), (text) => {
      const fault = jsonFaultOf(text);
      expect(fault === undefined).toBe(isJson(text));
      if (fault) expect(Math.min(fault.line, fault.column)).toBeGreaterThan(0);
    }),
    { numRuns: 2000 },
  );
});

it('repeatedName finds the same name as a reader that keeps objects as lists of pairs', () => {
  fc.assert(
    fc.property(value(), (tree) => {
      const text = written(tree);
      expect(isJson(text)).toBe(true);
      expect(repeatedName(text)).toBe(firstRepeated(tree));
    }),
    { numRuns: 500 },
  );
});

/** JSON whose objects are lists of pairs in their order, with repeated names. */
type Tree = string | number | boolean | null | readonly Tree[] | Pairs;
interface Pairs {
  readonly pairs: readonly (readonly [string, Tree])[];
}
const isPairs = (tree: Tree): tree is Pairs => typeof tree === 'object' && tree !== null && 'pairs' in tree;

function value(): fc.Arbitrary<Tree> {
  // Few names, so that they repeat. Some contain characters that a careless reader would take for structure.
  const name = fc.constantFrom('a', 'b', 'c', '"', '\\', '{', ',', ':', '', 'é');
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.record({ pairs: fc.array(fc.tuple(name, tie('tree')), { maxLength: 3 }) }),
    ),
  }));
  return tree;
}

function written(tree: Tree): string {
  if (isPairs(tree))
    return `{${tree.pairs.map(([name, inner]) => `${JSON.stringify(name)}: ${written(inner)}`).join(',')}}`;
  return Array.isArray(tree) ? `[${tree.map(written).join(', ')}]` : JSON.stringify(tree);
}

/** Returns the path of the first name, in the order of the text, that its object already has. */
function firstRepeated(tree: Tree, path: readonly string[] = []): string | undefined {
  if (typeof tree !== 'object' || tree === null) return undefined;
  const pairs = isPairs(tree) ? tree.pairs : tree.map((item, index) => [String(index), item] as const);
  for (const [index, [name, inner]] of pairs.entries()) {
    const place = [...path, name];
    if (pairs.slice(0, index).some(([earlier]) => earlier === name)) return place.join('.');
    const found = firstRepeated(inner, place);
    if (found !== undefined) return found;
  }
  return undefined;
}
