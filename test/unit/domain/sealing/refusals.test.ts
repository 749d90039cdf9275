import { expect, it } from 'vitest';
import { percentOfLimit, retirementRefusal, unsettledRefusal } from '#shared/domain/sealing/rotation.ts';

const SETTLED = Date.UTC(2026, 10, 22, 12);

it('rows of an older index key may not be moved while a function may still write them', () => {
  const next = { name: 'b', from: SETTLED - 1_000, settledAt: SETTLED };
  const early = 'Functions may still write under the older index key until 2026-11-22T12:00:00.000Z: try again then.';
  expect(unsettledRefusal({ name: 'a', next }, SETTLED - 1)).toBe(early);
  expect(unsettledRefusal({ name: 'a', next }, SETTLED)).toBeUndefined();
  const none = 'There is one index key: keys rotate-index makes another.';
  expect(unsettledRefusal({ name: 'a', next: undefined }, SETTLED)).toBe(none);
});

it.each([
  ['refuses a version that does not exist', 3, SETTLED, 'There is no sealing key version 3.'],
  ['refuses the current version', 2, SETTLED, 'Version 2 is the current one: rotate first.'],
  [
    'refuses an older version that functions may still use',
    1,
    SETTLED - 1,
    'Functions may still seal by an older version until 2026-11-22T12:00:00.000Z: try again then.',
  ],
  ['allows an older version that no function uses any more', 1, SETTLED, undefined],
])('retirementRefusal %s', (_, version, now, refusal) => {
  expect(retirementRefusal(version, { current: 2, versions: [1, 2], settledAt: SETTLED }, now)).toBe(refusal);
});

it('a sealing key has reached 100 % of its limit after 2^32 encryptions', () => {
  expect([0, 2 ** 31, 2 ** 32].map(percentOfLimit)).toEqual([0, 50, 100]);
});
