import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as ids from '#shared/domain/values/ids.ts';

const runs = { numRuns: process.env['SOAK'] ? 100_000 : 300 };
/** The last moment whose ids fit into 53 bits. */
const LAST_MOMENT = ids.ID_EPOCH + 2 ** 41 - 1;
/** Any moment whose next millisecond still has ids. */
const anyMoment = fc.integer({ min: ids.ID_EPOCH, max: LAST_MOMENT - 1 });

test('drawId counts from 2026, fills at most 53 bits and throws when they are used up', () => {
  expect(ids.ID_EPOCH).toBe(Date.parse('2026-01-01T00:00:00Z'));
  const last = ids.drawId<ids.LeadId>(LAST_MOMENT, () => 4095);
  expect(last).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => ids.drawId<ids.LeadId>(LAST_MOMENT + 1)).toThrow(RangeError);
});

test('drawId makes an id of its moment and 12 random bits, so that ids sort by time', () => {
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

test('simulationIdOf gives both answers of thirty banks their own ids, which lead back to the opportunity', () => {
  fc.assert(
    fc.property(anyMoment, fc.nat(4095), (now, low) => {
      const opportunityId = ids.drawOpportunityId(now, (below) => low % below);
      const all = Array.from({ length: ids.LARGEST_BANK_ID }, (_, index) => index + 1).flatMap((bankId) =>
        ([1, 2] as const).map((answer) => ids.simulationIdOf(opportunityId, bankId, answer)),
      );
      expect(new Set([...all, opportunityId]).size).toBe(61);
      const isOf = (id: number) => ids.opportunityOf(id) === opportunityId && ids.idTime(id) === now;
      // One expect for all ids: sixty of them in each of 100,000 runs would take most of the test's time.
      expect([opportunityId, ...all].filter((id) => !Number.isSafeInteger(id) || !isOf(id))).toEqual([]);
    }),
    runs,
  );
});

test.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('idOf throws for the number %d', (number) => {
  expect(() => ids.idOf<ids.LeadId>(number)).toThrow(RangeError);
});

test('idOf returns a safe integer as an id', () => {
  expect(ids.idOf<ids.LeadId>(114_901_623_046_123)).toBe(114_901_623_046_123);
});

test.each([
  ['0aZ9x', true],
  ['0aZ9', false],
  ['0aZ9xx', false],
  ['0aZ-x', false],
])('isKeyId of %j returns %s', (text, expected) => {
  expect(ids.isKeyId(text)).toBe(expected);
});

test.each([
  [`evt_${'a2'.repeat(16)}`, true],
  [`evt_${'a2'.repeat(15)}`, false],
  [`evt_${'a1'.repeat(16)}`, false],
  [`EVT_${'a2'.repeat(16)}`, false],
])('isEventId of %j returns %s', (text, expected) => {
  expect(ids.isEventId(text)).toBe(expected);
});
