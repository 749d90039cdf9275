import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BANK_IDENTITIES, BANKS } from '../../../../shared/domain/values/bank.ts';
import {
  drawId,
  drawOpportunityId,
  ID_EPOCH,
  idTime,
  type LeadId,
  type OpportunityId,
  opportunityOf,
  simulationIdOf,
} from '../../../../shared/domain/values/ids.ts';

const runs = { numRuns: process.env['SOAK'] ? 100_000 : 300 };
/** The last moment that 41 bits hold. */
const anyMoment = fc.integer({ min: ID_EPOCH, max: ID_EPOCH + 2 ** 41 - 1 });

describe('an id', () => {
  test('starts in 2026 and fills 53 bits at most', () => {
    expect(ID_EPOCH).toBe(Date.parse('2026-01-01T00:00:00Z'));
    const last = drawId<LeadId>(ID_EPOCH + 2 ** 41 - 1, () => 4095);
    expect(last).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('is its moment and 12 random bits, in the order of time', () => {
    fc.assert(
      fc.property(anyMoment, fc.nat(4095), fc.nat(4095), (now, low, high) => {
        const drawn: number[] = [];
        const random = (value: number) => (below: number) => {
          drawn.push(below);
          return value;
        };
        const id = drawId<LeadId>(now, random(low));
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(idTime(id)).toBe(now);
        expect(id % 4096).toBe(low);
        expect(drawId<LeadId>(now + 1, random(high))).toBeGreaterThan(id);
        expect(drawn).toEqual([4096, 4096]);
      }),
      runs,
    );
  });

  test('is drawn at random where nothing else is given', () => {
    const now = ID_EPOCH + 1;
    const ids = new Set(Array.from({ length: 64 }, () => drawId<LeadId>(now)));
    expect(ids.size).toBeGreaterThan(1);
    for (const id of ids) expect(idTime(id)).toBe(now);
  });
});

describe('an opportunity’s simulations', () => {
  /** An opportunity's id, drawn with this as its random part. */
  const drawn = (now: number, answers: 1 | 2, low: number) =>
    drawOpportunityId(now, answers, (below) => {
      expect(below).toBe(answers === 1 ? 512 : 64);
      return low % below;
    });
  const ids = (id: OpportunityId, answers: 1 | 2) =>
    BANKS.flatMap((bank) =>
      ([1, 2] as const)
        .filter((answer) => answer <= answers)
        .map((answer) => simulationIdOf(id, BANK_IDENTITIES[bank].id, answer)),
    );

  test.each([1, 2] as const)('share its id but for the bank and its answer, of %i a bank', (answers) => {
    fc.assert(
      fc.property(anyMoment, fc.nat(511), (now, low) => {
        const opportunityId = drawn(now, answers, low);
        expect(idTime(opportunityId)).toBe(now);
        expect(opportunityOf(opportunityId)).toBe(opportunityId);
        const simulations = ids(opportunityId, answers);
        expect(new Set(simulations).size).toBe(BANKS.length * answers);
        for (const simulationId of simulations) {
          expect(opportunityOf(simulationId)).toBe(opportunityId);
          expect(idTime(simulationId)).toBe(now);
          expect(simulationId).not.toBe(opportunityId);
        }
      }),
      runs,
    );
  });

  test('are told apart from those of every other opportunity of their millisecond', () => {
    const now = ID_EPOCH + 1;
    const once = Array.from({ length: 512 }, (_, low) => drawn(now, 1, low));
    const twice = Array.from({ length: 64 }, (_, low) => drawn(now, 2, low));
    const same = new Set<number>(once);
    for (const id of twice) expect(same.has(id)).toBe(true);
    const second = twice.flatMap((id) => ids(id, 2).filter((_, index) => index % 2 === 1));
    const all = [...once, ...once.flatMap((id) => ids(id, 1)), ...second];
    expect(new Set(all).size).toBe(all.length);
  });
});
