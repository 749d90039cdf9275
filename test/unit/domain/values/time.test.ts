import { expect, test } from 'vitest';
import type { EpochSeconds, Instant, Milliseconds, Seconds } from '#shared/domain/values/time.ts';
import { days, hours, minutes, seconds } from '#shared/domain/values/time.ts';

type Fits<From, To> = From extends To ? true : false;

test('seconds, minutes, hours and days return milliseconds', () => {
  expect(seconds(90)).toBe(90_000);
  expect(minutes(1.5)).toBe(90_000);
  expect(hours(1)).toBe(minutes(60));
  expect(days(2)).toBe(hours(48));
});

test('a time in one unit does not compile as a time in another unit', () => {
  // The compiler computes these types. A wrong value here fails `npm run types`.
  const secondsAsMilliseconds: Fits<Seconds, Milliseconds> = false;
  const momentAsSpan: Fits<Instant, Milliseconds> = false;
  const ttlAsMoment: Fits<EpochSeconds, Instant> = false;
  const differenceAsSpan: Fits<number, Milliseconds> = true;
  expect(secondsAsMilliseconds).toBe(false);
  expect(momentAsSpan).toBe(false);
  expect(ttlAsMoment).toBe(false);
  expect(differenceAsSpan).toBe(true);
});
