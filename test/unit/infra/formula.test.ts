import { expect, it } from 'vitest';
import { type Formula, percentOf, textOf, valueAt } from '#infra/formula.ts';

const point = { a: 1, b: 2, zero: 0, none: undefined };

/** A formula, its text in CloudWatch, and its value at `point`. */
const FORMULAS: readonly (readonly [Formula, string, number | undefined])[] = [
  [7, '7', 7],
  ['b', 'b', 2],
  ['none', 'none', undefined],
  [['a', '+', ['b', '*', 2]], 'a + (b * 2)', 5],
  [[['a', '*', 3], '/', 'b'], 'a * 3 / b', 1.5],
  [['a', '/', ['b', '-', 1]], 'a / (b - 1)', 1],
  [['a', '/', 'zero'], 'a / zero', undefined],
  [['zero', '/', 'zero'], 'zero / zero', undefined],
  [['a', '+', 'none'], 'a + none', undefined],
  [{ fill: 'none' }, 'FILL(none, 0)', 0],
  [{ fill: 'b' }, 'FILL(b, 0)', 2],
  [percentOf('a', 'b'), '100 * FILL(a, 0) / b', 50],
  [percentOf('a', { quota: 'b' }), '100 * FILL(a, 0) / SERVICE_QUOTA(b)', undefined],
  [percentOf('none', 'b'), '100 * FILL(none, 0) / b', 0],
  [{ sum: ['a', 'none', 'b'] }, 'SUM([a, none, b])', 3],
  [{ sum: ['none'] }, 'SUM([none])', undefined],
  [{ sum: 'FILL(METRICS(), 0)' }, 'SUM(FILL(METRICS(), 0))', 3],
  [{ max: 'METRICS()' }, 'MAX(METRICS())', 2],
  [{ epoch: 'b' }, 'EPOCH(b)', 0],
  [{ epoch: 'none' }, 'EPOCH(none)', undefined],
  [{ if: { epoch: 'b' }, atLeast: 1, gives: 'a', else: 100 }, 'IF(EPOCH(b) >= 1, a, 100)', 100],
  [{ if: 'b', atLeast: 2, gives: 'a', else: 0 }, 'IF(b >= 2, a, 0)', 1],
  [{ if: 'a', atLeast: 2, gives: 'a', else: 100 }, 'IF(a >= 2, a, 100)', 100],
  [{ if: 'none', atLeast: 2, gives: 'a', else: 100 }, 'IF(none >= 2, a, 100)', undefined],
];

it.each(FORMULAS)('textOf and valueAt read %j as CloudWatch reads %j', (formula, text, value) => {
  expect(textOf(formula)).toBe(text);
  expect(valueAt(formula, point)).toBe(value);
});

it('valueAt takes the time of a point as seconds since 1970', () => {
  expect(valueAt({ epoch: 'b' }, point, Date.parse('2027-01-01T03:00:00Z'))).toBe(1_798_772_400);
});
