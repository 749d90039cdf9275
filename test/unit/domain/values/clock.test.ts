import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as clock from '#shared/domain/values/clock.ts';

const day = (text: string) => text as clock.Day;
const runs = { numRuns: process.env['SOAK'] ? 100_000 : 300 };
const anyDay = fc
  .date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2199-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10) as clock.Day);

describe('Day', () => {
  test.each(['2026-01-01', '2024-02-29', '2000-02-29', '0001-01-01', '2026-12-31'])(
    'parseDay and dayOf return %s as a day',
    (text) => {
      expect(clock.parseDay(text)).toBe(text);
      expect(clock.dayOf(text)).toBe(text);
    },
  );

  const NO_DAYS =
    '2026-02-29 1900-02-29 2026-04-31 2026-13-01 2026-00-10 2026-01-00 0000-01-01 2026-1-1 26-01-01 2026/01/01';
  test.each([...NO_DAYS.split(' '), '2026-01-01T00:00:00Z', ' 2026-01-01', ''])(
    'parseDay returns undefined and dayOf throws for %j',
    (text) => {
      expect(clock.parseDay(text)).toBeUndefined();
      expect(() => clock.dayOf(text)).toThrow(RangeError);
    },
  );

  test('parseDay and daysInMonth agree with the Gregorian calendar of Date', () => {
    fc.assert(
      fc.property(anyDay, (date) => {
        expect(clock.parseDay(date)).toBe(date);
        const { year, month } = clock.dayParts(date);
        expect(clock.daysInMonth(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
      }),
      runs,
    );
  });

  test('daysBetween counts whole days, also across a change to summer time', () => {
    expect(clock.daysBetween(day('2026-03-01'), day('2027-03-01'))).toBe(365);
    expect(clock.daysBetween(day('2028-02-28'), day('2028-03-01'))).toBe(2);
    expect(clock.daysBetween(day('2026-03-01'), day('2026-02-28'))).toBe(-1);
    // In São Paulo the clocks changed twice between these days, which must not count.
    expect(clock.daysBetween(day('2018-10-01'), day('2019-03-01'))).toBe(151);
  });
});

test.each([
  ['2026-01-31', 1, '2026-02-28'],
  ['2028-01-31', 1, '2028-02-29'],
  ['2026-03-31', 1, '2026-04-30'],
  ['2026-12-15', 1, '2027-01-15'],
  ['2028-02-29', 12, '2029-02-28'],
  ['2028-02-29', 48, '2032-02-29'],
  ['2026-03-31', -1, '2026-02-28'],
  ['2026-01-15', -420, '1991-01-15'],
])('addMonths from %s by %d months returns %s', (start, months, expected) => {
  expect(clock.addMonths(day(start), months)).toBe(expected);
});

test.each([
  ['2026-11-21', 30, '2026-12-21'],
  ['2028-02-28', 2, '2028-03-01'],
  ['2026-01-01', -1, '2025-12-31'],
])('addDays from %s by %d days returns %s', (start, days, expected) => {
  expect(clock.addDays(day(start), days)).toBe(expected);
});

test('monthsBetween returns the most months that addMonths can add without passing the later day', () => {
  fc.assert(
    fc.property(anyDay, anyDay, (from, to) => {
      const months = clock.monthsBetween(from, to);
      expect(clock.addMonths(from, months) <= to).toBe(true);
      expect(clock.addMonths(from, months + 1) > to).toBe(true);
    }),
    runs,
  );
});

test.each([
  ['1990-05-17', '2026-05-16', 35],
  ['1990-05-17', '2026-05-17', 36],
  ['2008-02-29', '2026-02-28', 17],
  ['2008-02-29', '2026-03-01', 18],
  ['2008-02-29', '2028-02-29', 20],
  ['2026-05-18', '2026-05-17', -1],
])('ageOn of a person born on %s is, on %s, %d years', (birth, on, age) =>
  expect(clock.ageOn(day(birth), day(on))).toBe(age),
);

test.each([
  ['2026-06-15T02:59:59.999Z', '2026-06-14'],
  ['2026-06-15T03:00:00.000Z', '2026-06-15'],
  ['2026-01-01T02:00:00.000Z', '2025-12-31'],
])('dayInSaoPaulo of %s returns %s', (moment, expected) => {
  expect(clock.dayInSaoPaulo(Date.parse(moment))).toBe(expected);
});

test.each(['2026-11-21', '2028-02-29'])('startInSaoPaulo of %s is the first moment of that day', (text) => {
  const start = clock.startInSaoPaulo(day(text));
  expect(clock.dayInSaoPaulo(start)).toBe(text);
  expect(clock.dayInSaoPaulo(start - 1)).toBe(clock.addDays(day(text), -1));
});

// This test fails if Brazil has summer time again and Node knows it.
test('dayInSaoPaulo returns the day that Node has for America/Sao_Paulo at each midnight from 2019 on', () => {
  const there = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' });
  const midnights = Array.from({ length: 9_000 }, (_, days) => Date.parse('2019-03-01T03:00:00Z') + days * 86_400_000);
  const moments = midnights.flatMap((midnight) => [midnight - 1, midnight]);
  expect(moments.filter((at) => clock.dayInSaoPaulo(at) !== there.format(at))).toEqual([]);
});

test.each([
  ['2026-11-01T02:59:59.999Z', '2026-10-31T23:59:59.999-03:00'],
  ['2026-01-01T03:00:00.000Z', '2026-01-01T00:00:00.000-03:00'],
])('timestampInSaoPaulo writes %s as %s, which is the same moment', (moment, expected) => {
  expect(clock.timestampInSaoPaulo(Date.parse(moment))).toBe(expected);
  expect(Date.parse(expected)).toBe(Date.parse(moment));
});

test('timestamp writes a moment in UTC with milliseconds', () => {
  expect(clock.timestamp(1_763_640_000_000)).toBe('2025-11-20T12:00:00.000Z');
});
