import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as ids from '#shared/domain/values/ids.ts';

const runs = { numRuns: process.env['SOAK'] ? 100_000 : 300 };
/** Ids of this moment are the last that fill 53 bits. */
const LAST_MOMENT = ids.ID_EPOCH + 2 ** 41 - 1;
/** A moment that has another one behind it. */
const anyMoment = fc.integer({ min: ids.ID_EPOCH, max: LAST_MOMENT - 1 });

test('an id starts in 2026 and fills 53 bits at most', () => {
  expect(ids.ID_EPOCH).toBe(Date.parse('2026-01-01T00:00:00Z'));
  const last = ids.drawId<ids.LeadId>(LAST_MOMENT, () => 4095);
  expect(last).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => ids.drawId<ids.LeadId>(LAST_MOMENT + 1)).toThrow(RangeError);
});

test('an id is its moment and 12 random bits, in the order of time', () => {
  fc.assert(
    fc.property(anyMoment, fc.nat(4095), fc.nat(4095), (now, low, high) => {
      const drawn: number[] = [];
      const random = (value: number) => (below: number) => {
        drawn.push(below);
        return value;
      };
      const id = ids.drawId<ids.LeadId>(now, random(low));
      expect(Number.isSafeInteger(id)).toBe(true);
      expect(ids.idTime(id)).toBe(now);
      expect(id % 4096).toBe(low);
      expect(ids.drawId<ids.LeadId>(now + 1, random(high))).toBeGreaterThan(id);
      expect(drawn).toEqual([4096, 4096]);
    }),
    runs,
  );
});

test('an opportunity’s simulations share its id but for the bank and its answer, for thirty banks that answer twice', () => {
  fc.assert(
    fc.property(anyMoment, fc.nat(4095), (now, low) => {
      const opportunityId = ids.drawOpportunityId(now, (below) => low % below);
      const all = Array.from({ length: ids.LARGEST_BANK_ID }, (_, index) => index + 1).flatMap((bankId) =>
        ([1, 2] as const).map((answer) => ids.simulationIdOf(opportunityId, bankId, answer)),
      );
      expect(new Set([...all, opportunityId]).size).toBe(61);
      const isOf = (id: number) => ids.opportunityOf(id) === opportunityId && ids.idTime(id) === now;
      // One expectation for all: a hundred thousand times sixty of them are most of the test's time.
      expect([opportunityId, ...all].filter((id) => !Number.isSafeInteger(id) || !isOf(id))).toEqual([]);
    }),
    runs,
  );
});

test.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('the number %d is refused as an id', (number) => {
  expect(() => ids.idOf<ids.LeadId>(number)).toThrow(RangeError);
});

test('a whole number that a double holds exactly is taken as an id', () => {
  expect(ids.idOf<ids.LeadId>(114_901_623_046_123)).toBe(114_901_623_046_123);
});

test.each([
  ['0aZ9x', true],
  ['0aZ9', false],
  ['0aZ9xx', false],
  ['0aZ-x', false],
])('whether %j has the form of a key’s id: %s', (text, expected) => {
  expect(ids.isKeyId(text)).toBe(expected);
});

test.each([
  [`evt_${'a2'.repeat(16)}`, true],
  [`evt_${'a2'.repeat(15)}`, false],
  [`evt_${'a1'.repeat(16)}`, false],
  [`EVT_${'a2'.repeat(16)}`, false],
])('whether %j has the form of an event’s id: %s', (text, expected) => {
  expect(ids.isEventId(text)).toBe(expected);
});
