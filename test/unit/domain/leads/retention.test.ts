import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeadTrace } from '#shared/domain/leads/lead.ts';
import * as retention from '#shared/domain/leads/retention.ts';
import { IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';

const DAY = 86_400_000;
const START = Date.UTC(2027, 0, 31, 12);
const TERMS: retention.RetentionTerms = { sandboxDays: 90, monthsWithoutAnalysis: 24, yearsAfterAnalysis: 5 };
const lead: LeadTrace = { id: 1 as LeadId, version: 1, createdAt: START, updatedAt: START };
const idle: retention.LeadUse = { environment: 'producao', lead, pending: false };

/** When a lead's data end if nobody uses it any more. Each look says when the next one is made. */
function endOf(use: retention.LeadUse, terms = TERMS): string {
  let now = use.lead.createdAt + retention.FIRST_LOOK_AFTER;
  let next: retention.NextLook | undefined;
  let { notice } = use.lead;
  do {
    next = retention.nextLook({ ...use, lead: { ...use.lead, notice } }, terms, now);
    if (next) ({ at: now, notice } = next);
  } while (next);
  return new Date(now).toISOString();
}

describe('nextLook', () => {
  const at = (year: number, month: number, day: number) => Date.UTC(year, month - 1, day, 12);
  it.each<[string, Partial<retention.LeadUse>, string]>([
    ['in the sandbox 90 days after its creation', { environment: 'sandbox' }, '2027-05-01'],
    [
      'in the sandbox 90 days after its last analysis',
      { environment: 'sandbox', analysedAt: START + DAY },
      '2027-05-02',
    ],
    ['24 months after its creation if it has no analysis', {}, '2029-01-31'],
    ['24 months after its last change', { lead: { ...lead, updatedAt: at(2027, 3, 1) } }, '2029-03-01'],
    ['24 months after its CPF was last sent', { lead: { ...lead, reusedAt: at(2027, 3, 2) } }, '2029-03-02'],
    ['24 months after a submission was replayed', { lead: { ...lead, replayedAt: at(2027, 3, 3) } }, '2029-03-03'],
    ['24 months after its last simulation or submission', { usedAt: at(2027, 3, 4) }, '2029-03-04'],
    ['5 years after the end of its last analysis', { usedAt: START, analysedAt: at(2027, 3, 6) }, '2032-03-06'],
    [
      '24 months after its last use if that is later than 5 years after an analysis',
      { analysedAt: at(2027, 3, 6), usedAt: at(2031, 1, 1) },
      '2033-01-01',
    ],
  ])('the data of a lead that nobody uses end %s', (_, use, day) =>
    expect(endOf({ ...idle, ...use })).toBe(`${day}T12:00:00.000Z`),
  );

  it('the data of a lead do not end while an analysis is pending', () => {
    const now = START + 3_650 * DAY;
    expect(retention.nextLook({ ...idle, pending: true, usedAt: START }, TERMS, now)).toEqual({ at: now + DAY });
  });

  it('a longer term that is set after a notice puts off the end, and hides the notice', () => {
    const now = START + 725 * DAY;
    const { notice } = retention.nextLook(idle, TERMS, now)!;
    const noticed = { ...lead, notice };
    expect(retention.noticedEnd(noticed, TERMS)).toBe(now + 30 * DAY);
    const longer = { ...TERMS, monthsWithoutAnalysis: 36 };
    expect(retention.noticedEnd(noticed, longer)).toBeUndefined();
    expect(retention.noticedEnd(noticed, undefined)).toBeUndefined();
    const next = retention.nextLook({ ...idle, lead: noticed }, longer, now + 31 * DAY);
    expect(next).toEqual({ at: now + 121 * DAY });
  });

  it.each(['change', 'reuse', 'simulation', 'submission'])('a notice does not count any more after a %s', (use) => {
    const now = START + 725 * DAY;
    const noticed = { ...idle, lead: { ...lead, notice: retention.nextLook(idle, TERMS, now)!.notice } };
    expect(retention.noticedEnd(USES[use]!(noticed, now).lead, TERMS)).toBeUndefined();
  });

  it('no notice begins while a stored answer can be replayed, because a replay leaves no trace', () => {
    expect((retention.SHORTEST_TERM - retention.NOTICE_DAYS) * DAY).toBeGreaterThan(IDEMPOTENCY_TTL.analyses);
  });
});

/** What can happen to a lead between two looks. Each function changes the row as the table's write does. */
const USES: Readonly<Record<string, (use: retention.LeadUse, now: number) => retention.LeadUse>> = {
  change: (use, now) => ({ ...use, lead: { ...use.lead, version: use.lead.version + 1, updatedAt: now } }),
  reuse: (use, now) => ({ ...use, lead: { ...use.lead, reusedAt: now } }),
  simulation: (use, now) => ({ ...counted(use), usedAt: now }),
  submission: (use, now) => ({ ...counted(use), usedAt: now, pending: true }),
  outcome: (use, now) => (use.pending ? { ...use, pending: false, analysedAt: now } : use),
};
const counted = (use: retention.LeadUse) => ({ ...use, lead: { ...use.lead, uses: (use.lead.uses ?? 0) + 1 } });
const MOVES = [...Object.keys(USES), 'look', 'look', 'look', 'late look', 'other terms'];

it('the data of a lead end only after its term without use and 30 days of a notice without a break', () => {
  const moves = fc.array(fc.record({ what: fc.constantFrom(...MOVES), days: fc.integer({ min: 0, max: 400 }) }), {
    minLength: 10,
    maxLength: 60,
  });
  const someTerms = fc.record({
    sandboxDays: fc.integer({ min: retention.SHORTEST_TERM, max: 120 }),
    monthsWithoutAnalysis: fc.integer({ min: 3, max: 5 }),
    yearsAfterAnalysis: fc.integer({ min: 1, max: 2 }),
  });
  /** Terms that follow each other. No terms come twice, because their notices would count again. */
  const severalTerms = fc.uniqueArray(someTerms, { minLength: 3, selector: (terms) => JSON.stringify(terms) });
  let ends = 0;
  const property = fc.property(fc.constantFrom(...ENVIRONMENTS), moves, severalTerms, (environment, story, all) => {
    let [now, lookAt, last] = [START, START + retention.FIRST_LOOK_AFTER, START];
    let [terms, use] = [all[0]!, { ...idle, environment } as retention.LeadUse];
    /** Since when a notice is shown without a break. Undefined while none is shown. */
    let shownSince: number | undefined;
    const others = all.slice(1);
    for (const { what, days } of story) {
      if (what === 'look' || what === 'late look') {
        now = Math.max(now, lookAt) + (what === 'look' ? 0 : days * DAY);
        const next = retention.nextLook(use, terms, now);
        if (!next) {
          ends += 1;
          const { sandboxDays, monthsWithoutAnalysis, yearsAfterAnalysis } = terms;
          const least = environment === 'sandbox' ? sandboxDays : 28 * monthsWithoutAnalysis;
          const sinceAnalysis = environment === 'sandbox' ? Infinity : now - (use.analysedAt ?? -Infinity);
          expect(use.pending).toBe(false);
          expect(now - last).toBeGreaterThanOrEqual(least * DAY);
          expect(sinceAnalysis).toBeGreaterThanOrEqual(365 * yearsAfterAnalysis * DAY);
          expect(now - shownSince!).toBeGreaterThanOrEqual(retention.NOTICE_DAYS * DAY);
          return;
        }
        expect(next.at).toBeGreaterThan(now);
        lookAt = next.at;
        use = { ...use, lead: { ...use.lead, notice: next.notice } };
      } else {
        now += days * DAY + 1;
        const after = USES[what]?.(use, now);
        if (!after) terms = others.shift() ?? terms;
        else if (after !== use) [use, last] = [after, now];
      }
      const shown = retention.noticedEnd(use.lead, terms) !== undefined;
      shownSince = shown ? (shownSince ?? now) : undefined;
    }
  });
  fc.assert(property, { numRuns: 1_000 });
  expect(ends).toBeGreaterThan(100);
});
