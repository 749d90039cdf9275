import { beforeEach, describe, expect, test } from 'vitest';
import type { Analyses, Consents } from '../../shared/domain/analyses/ports.ts';
import type { Leads } from '../../shared/domain/leads/ports.ts';
import type { Clock } from '../../shared/domain/values/clock.ts';
import type { LeadId } from '../../shared/domain/values/ids.ts';
import { keepLead } from '../makers/lead.ts';
import { makeSubmissionDraft, newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const START = 1_780_000_000_000;

/** What every adapter of Consents keeps to. */
export function describeConsents(
  make: (clock: Clock) => { consents: Consents; analyses: Analyses; leads: Leads },
): void {
  let now = START;
  let ports: ReturnType<typeof make>;
  beforeEach(() => {
    now = START;
    ports = make(() => now);
  });

  describe('the consents of a lead', () => {
    test('are one for each submission, as it was given, newest first', async () => {
      const { consents, analyses, leads } = ports;
      const tenancy = newTenancy();
      const lead = await keepLead(leads, tenancy);
      expect(await consents.ofLead(tenancy, lead.id)).toEqual([]);
      const kept = [];
      for (const ip of ['177.45.10.20', '2001:db8::7']) {
        now += 1;
        const version = ip.includes(':') ? { textVersion: 'termo 7' } : {};
        const consent = { givenAt: '2026-01-02T12:00:00-03:00', ip, channel: 'web', ...version };
        const draft = makeSubmissionDraft(tenancy, lead, { consent });
        const claimed = await analyses.claim(draft, newClaim(tenancy, START));
        if (typeof claimed === 'string' || !('done' in claimed)) throw new Error('nothing was submitted');
        const analysisIds = claimed.done.analyses.map(({ id }) => id);
        kept.unshift({ ...consent, leadId: lead.id, analysisIds, banks: draft.banks, keyId: draft.caller.keyId });
      }
      expect(await consents.ofLead(tenancy, lead.id)).toEqual(
        kept.map((consent) => ({ ...consent, id: expect.any(Number) })),
      );
    });

    test('come in pages of the whole, each once, also of one millisecond', async () => {
      const { consents, analyses, leads } = ports;
      const tenancy = newTenancy();
      const lead = await keepLead(leads, tenancy);
      expect(await consents.page(tenancy, lead.id, { limit: 2, offset: 0 })).toEqual({ items: [], more: false });
      for (let index = 0; index < 5; index++) {
        await analyses.claim(makeSubmissionDraft(tenancy, lead), newClaim(tenancy, START));
      }
      const all = (await consents.ofLead(tenancy, lead.id))!;
      expect(all).toHaveLength(5);
      for (const offset of [0, 1, 2, 3, 4, 5, 9]) {
        expect(await consents.page(tenancy, lead.id, { limit: 2, offset })).toEqual({
          items: all.slice(offset, offset + 2),
          more: offset < 3,
        });
      }
    });

    test('are undefined where there is no such lead in the tenancy', async () => {
      const { consents, leads } = ports;
      const tenancy = newTenancy();
      const { id } = await keepLead(leads, tenancy);
      const page = { limit: 20, offset: 0 };
      for (const [of, leadId] of [
        [tenancy, 1 as LeadId],
        [{ ...tenancy, environment: 'sandbox' }, id],
        [newTenancy(), id],
      ] as const) {
        expect(await consents.ofLead(of, leadId)).toBeUndefined();
        expect(await consents.page(of, leadId, page)).toBeUndefined();
      }
    });
  });
}
