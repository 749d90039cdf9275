import { expect, it } from 'vitest';
import { allowance, RateExceeded, secondsUntilAdmitted } from '../../../../shared/domain/partners/api-key.ts';

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

it.each([
  ['in this minute', 120, 120, 60, 30, 1],
  ['when the next minute begins, where this one has no room left', 120, 0, 120, 10, 51],
  ['in the next minute, which this one weighs on', 2, 0, 3, 0, 61],
  ['at the first second of the next minute', 120, 120, 119, 59, 1],
  ['never, where nothing is allowed: a minute and a second', 0, 0, 0, 0, 61],
])('there is room %s', (_, limit, previous, current, second, wait) => {
  expect(secondsUntilAdmitted(limit, previous, current, second)).toBe(wait);
});

it('a refused call names the rate and when to come back', () => {
  expect(new RateExceeded(120, 7)).toMatchObject({ code: 'rate_limited', retryAfter: 7, limit: 120 });
});
