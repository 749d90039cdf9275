import { expect, it } from 'vitest';
import { allowance, secondsUntilAdmitted } from '../../../../shared/domain/partners/rate.ts';

it.each([
  // One call of the minute before weighs as a whole one until its minute has passed.
  [120, 1, 1, 119],
  [120, 1, 59, 119],
  [120, 0, 0, 120],
  [120, 120, 0, 0],
  [120, 120, 30, 60],
  [120, 61, 30, 89],
  [2, 5, 0, -3],
])('of %i calls a minute, %i in the minute before leave at second %i room for %i', (limit, previous, second, room) => {
  expect(allowance(limit, previous, second)).toBe(room);
});

it('a refused caller is told the first second at which there is room', () => {
  for (const [limit, previous, current, second] of [
    [120, 120, 60, 30],
    [3, 3, 0, 0],
    [7, 5, 4, 13],
  ] as const) {
    const wait = secondsUntilAdmitted(limit, previous, current, second);
    expect(current < allowance(limit, previous, second + wait - 1)).toBe(false);
    expect(current < allowance(limit, previous, second + wait)).toBe(true);
  }
});
