import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as clock from '#shared/domain/values/clock.ts';

const day = (text: string) => text as clock.Day;
const runs = { numRuns: process.env['SOAK'] ? 100_000 : 300 };
const anyDay = fc
  .date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2199-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10) as clock.Day);

describe('days', () => {
  test.each(['2026-01-01', '2024-02-29', '2000-02-29', '0001-01-01', '2026-12-31'])('%s is one', (text) => {
    expect(clock.parseDay(text)).toBe(text);
    expect(clock.dayOf(text)).toBe(text);
  });

  const NONE =
    '2026-02-29 1900-02-29 2026-04-31 2026-13-01 2026-00-10 2026-01-00 0000-01-01 2026-1-1 26-01-01 2026/01/01';
  test.each([...NONE.split(' '), '2026-01-01T00:00:00Z', ' 2026-01-01', ''])('%j is none', (text) => {
    expect(clock.parseDay(text)).toBeUndefined();
    expect(() => clock.dayOf(text)).toThrow(RangeError);
  });

  test('are those of the Gregorian calendar', () => {
    fc.assert(
      fc.property(anyDay, (date) => {
        expect(clock.parseDay(date)).toBe(date);
        const { year, month } = clock.dayParts(date);
        expect(clock.daysInMonth(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
      }),
      runs,
    );
  });

  test('lie whole days apart', () => {
    expect(clock.daysBetween(day('2026-03-01'), day('2027-03-01'))).toBe(365);
    expect(clock.daysBetween(day('2028-02-28'), day('2028-03-01'))).toBe(2);
    expect(clock.daysBetween(day('2026-03-01'), day('2026-02-28'))).toBe(-1);
    // Two changes to summer time lay between in São Paulo: days have no hours.
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
])('months later: %s and %d months: %s', (start, months, expected) => {
  expect(clock.addMonths(day(start), months)).toBe(expected);
});

test.each([
  ['2026-11-21', 30, '2026-12-21'],
  ['2028-02-28', 2, '2028-03-01'],
  ['2026-01-01', -1, '2025-12-31'],
])('days later: %s and %d days: %s', (start, days, expected) => {
  expect(clock.addDays(day(start), days)).toBe(expected);
});

test('months later: are counted as they are added: the most that do not pass the day', () => {
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
])('ages: born on %s, on %s: %d', (birth, on, age) => expect(clock.ageOn(day(birth), day(on))).toBe(age));

test.each([
  ['2026-06-15T02:59:59.999Z', '2026-06-14'],
  ['2026-06-15T03:00:00.000Z', '2026-06-15'],
  ['2026-01-01T02:00:00.000Z', '2025-12-31'],
])('moments: %s in São Paulo is on %s', (moment, expected) => {
  expect(clock.dayInSaoPaulo(Date.parse(moment))).toBe(expected);
});

test('moments: are on the day of the time zone that Node knows: a summer time decreed anew would show here', () => {
  const there = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' });
  const midnights = Array.from({ length: 9_000 }, (_, days) => Date.parse('2019-03-01T03:00:00Z') + days * 86_400_000);
  const moments = midnights.flatMap((midnight) => [midnight - 1, midnight]);
  expect(moments.filter((at) => clock.dayInSaoPaulo(at) !== there.format(at))).toEqual([]);
});

test('moments: are written in UTC with milliseconds', () => {
  expect(clock.timestamp(1_763_640_000_000)).toBe('2025-11-20T12:00:00.000Z');
});
