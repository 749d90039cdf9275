import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatedName } from '../../../shared/http/json-fault.ts';

describe('a name that an object has twice', () => {
  it('is found where a reader that makes lists of pairs finds it', () => {
    fc.assert(
      fc.property(value(), (tree) => {
        const text = written(tree);
        expect(() => JSON.parse(text)).not.toThrow();
        expect(repeatedName(text)).toBe(firstRepeated(tree));
      }),
      { numRuns: 500 },
    );
  });
});

/** JSON whose objects are lists of pairs in their order, repeated names included. */
type Tree = string | number | boolean | null | readonly Tree[] | Pairs;
interface Pairs {
  readonly pairs: readonly (readonly [string, Tree])[];
}
const isPairs = (tree: Tree): tree is Pairs => typeof tree === 'object' && tree !== null && 'pairs' in tree;

function value(): fc.Arbitrary<Tree> {
  // Few names, so that they repeat; some hold what a careless reader would take for structure.
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

/** The path of the first name, in the order of the text, that its object has had before. */
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
