import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as ids from '#shared/domain/values/ids.ts';

const runs = { numRuns: process.env['SOAK'] ? 100_000 : 300 };
/** The last moment that 41 bits hold. */
const anyMoment = fc.integer({ min: ids.ID_EPOCH, max: ids.ID_EPOCH + 2 ** 41 - 1 });

test('an id starts in 2026 and fills 53 bits at most', () => {
  expect(ids.ID_EPOCH).toBe(Date.parse('2026-01-01T00:00:00Z'));
  const last = ids.drawId<ids.LeadId>(ids.ID_EPOCH + 2 ** 41 - 1, () => 4095);
  expect(last).toBe(Number.MAX_SAFE_INTEGER);
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
