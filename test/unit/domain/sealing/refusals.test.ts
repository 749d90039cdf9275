import { expect, it } from 'vitest';
import { type HeldKeys, oldKeys, percentOfLimit, retirementRefusal } from '#shared/domain/sealing/rotation.ts';

const SETTLED = Date.UTC(2026, 10, 22, 12);
const index = (...names: string[]) => names.map((name) => ({ name, from: 0 }));
const KEYS: HeldKeys = { state: 'a', current: 2, versions: [1, 2], index: index('old', 'new'), settledAt: SETTLED };

it.each([
  ['refuses if no key is old', { ...KEYS, versions: [2], index: index('new') }, SETTLED, 'There is no old key'],
  ['refuses while functions may still write with old keys', KEYS, SETTLED - 1, 'until 2026-11-22T12:00:00.000Z'],
])('retirementRefusal %s', (_, keys, now, refusal) => {
  expect(retirementRefusal(keys, now)).toContain(refusal);
});

it.each([
  ['an old sealing key', { ...KEYS, index: index('new') }],
  ['an old index key', { ...KEYS, versions: [2] }],
])('retirementRefusal allows %s that no function writes with any more', (_, keys) => {
  expect(retirementRefusal(keys, SETTLED)).toBeUndefined();
});

it('oldKeys returns every key but the current sealing key and the newest index key', () => {
  const keys = { current: 3, versions: [1, 2, 3], index: index('a', 'b', 'c') };
  expect(oldKeys(keys)).toEqual({ versions: [1, 2], names: ['a', 'b'] });
});

it('a sealing key has reached 100 % of its limit after 2^32 encryptions', () => {
  expect([0, 2 ** 31, 2 ** 32].map(percentOfLimit)).toEqual([0, 50, 100]);
});
