import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '#shared/domain/simulations/pricing/tables/lock.ts';
import { type Bounds, figureFaults, MIP, PLAUSIBLE } from '#shared/domain/simulations/pricing/tables/plausible.ts';

const FROM = '2026-11-21';
const faults = (value: string, bounds: Bounds, date = '2026', source = 'a sheet') =>
  figureFaults({ value, date, source }, bounds, FROM);

describe('figureFaults', () => {
  test.each(Object.entries<Bounds>(PLAUSIBLE))('figureFaults accepts both bounds of %s', (_, bounds) => {
    expect(faults(bounds.least, bounds)).toEqual([]);
    expect(faults(bounds.most, bounds)).toEqual([]);
  });

  test.each([
    ['annualRate', '3.99', '30.01'],
    ['largestFinanced', '499999.99', '50000000.01'],
    ['incomeShare', '0.149', '0.51'],
    ['oldestAtTheEnd', '719', '972'],
  ] as const)('figureFaults reports a figure of %s beyond its bounds', (row, below, above) => {
    const bounds: Bounds = PLAUSIBLE[row];
    expect(faults(below, bounds)).toEqual([`${below} is below ${bounds.least}`]);
    expect(faults(above, bounds)).toEqual([`${above} is above ${bounds.most}`]);
  });

  test('figureFaults accepts plain decimals, and whole numbers or fractions if the bounds say so', () => {
    const none = (value: string) => [`'${value}' is not a number`];
    for (const value of ['', '12,5', '12.', '.5', '1e1', '-12', '+12', ' 12', '12 ', '12.5.1', '25/2'])
      expect(faults(value, PLAUSIBLE.annualRate)).toEqual(none(value));
    for (const value of ['120', '420']) expect(faults(value, PLAUSIBLE.longestTerm)).toEqual([]);
    for (const value of ['360.0', '36x', 'x360', '720/2'])
      expect(faults(value, PLAUSIBLE.longestTerm)).toEqual(none(value));
    for (const value of ['1/3', '0.3', '3/10', '30/100', '3/010', '0.25'])
      expect(faults(value, PLAUSIBLE.incomeShare)).toEqual([]);
    expect(faults('1', PLAUSIBLE.incomeShare)).toEqual(['1 is above 1/2']);
    for (const value of ['1/0', '1/00', '1/', '/3', '1/3/1', 'x1/3', '1/3x', '1/3.5'])
      expect(faults(value, PLAUSIBLE.incomeShare)).toEqual(none(value));
  });

  test('figureFaults reports a figure with more decimals than its kind may have', () => {
    expect(faults('11.1234', PLAUSIBLE.annualRate)).toEqual([]);
    expect(faults('11.12345', PLAUSIBLE.annualRate)).toEqual(['11.12345 has more than 4 decimals']);
    expect(faults('25.05', PLAUSIBLE.monthlyFee)).toEqual([]);
    expect(faults('25.050', PLAUSIBLE.monthlyFee)).toEqual(['25.050 has more than 2 decimals']);
    expect(faults('0.0123456789', MIP)).toEqual([]);
  });

  test('figureFaults accepts a date of year, month or day that is not after the table’s first day', () => {
    const none = ['has no date of publication'];
    for (const date of ['2026', '2026-11', '2026-11-21', '2015-01', '2025-12'])
      expect(faults('12', PLAUSIBLE.annualRate, date)).toEqual([]);
    const others = '26 20266 x2026 2026- 2026-00 2026-13 2026-1 2026-11-2 2026-11-211 2026-02-30'.split(' ');
    for (const date of ['', ...others, '2026-11-21 ']) expect(faults('12', PLAUSIBLE.annualRate, date)).toEqual(none);
    for (const date of ['2026-11-22', '2026-12', '2027'])
      expect(faults('12', PLAUSIBLE.annualRate, date)).toEqual([`was published in ${date}, after 2026-11-21`]);
  });
});

describe('fingerprint', () => {
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');

  test('fingerprint is the SHA-256 of the content with sorted keys and without undefined values', () => {
    const text = '{"a":[1,"x",{"b":null,"c":true}],"d":{"e":"2"}}';
    const a = [1, 'x', { c: true, b: null }];
    expect(fingerprint({ d: { e: '2' }, a })).toBe(sha(text));
    expect(fingerprint({ d: { e: '2', f: undefined }, a, g: undefined })).toBe(sha(text));
  });

  test('fingerprint differs for another figure and for another order of a list', () => {
    const different = [{ a: ['1', '2'] }, { a: ['2', '1'] }, { a: ['12'] }, { a: '12' }, { b: ['1', '2'] }, {}];
    expect(new Set(different.map(fingerprint)).size).toBe(6);
  });
});
