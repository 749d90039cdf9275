import { beforeEach, describe, expect, test } from 'vitest';
import { type Analysis, transition } from '../../shared/domain/analyses/analysis.ts';
import type { Analyses } from '../../shared/domain/analyses/ports.ts';
import type { Erasure } from '../../shared/domain/leads/erasure.ts';
import type { Erasures, Lead, Leads } from '../../shared/domain/leads/ports.ts';
import type { Clock } from '../../shared/domain/values/clock.ts';
import type { LeadId, PartnerId } from '../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../shared/domain/values/tenancy.ts';
import { keepLead } from '../makers/lead.ts';
import { makeSubmissionDraft, newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const NOW = 1_780_000_000_000;

/** The erasure of a lead, asked for at `now` (milliseconds). */
export function makeErasure(tenancy: Tenancy, leadId: LeadId, now: number): Erasure {
  return {
    ...tenancy,
    partnerId: 3 as PartnerId,
    leadId,
    state: 'aguardando',
    revision: 1,
    requestedAt: now,
    opportunities: 0,
    forms: 0,
    pending: 0,
    passes: [],
    nextCheckAt: now,
  };
}

interface Rows {
  readonly leads: Leads;
  readonly analyses: Analyses;
  readonly erasures: Erasures;
}

/** What every adapter of Erasures keeps to, beside the leads and analyses that it is about. */
export function describeErasures(make: (clock: Clock) => Rows): void {
  const { leads, analyses, erasures } = make(() => NOW);
  let tenancy: Tenancy;
  let lead: Lead;
  beforeEach(async () => {
    tenancy = newTenancy();
    lead = await keepLead(leads, tenancy);
  });

  const begun = () => erasures.begin(makeErasure(tenancy, lead.id, NOW));

  async function submitted(): Promise<Analysis> {
    const draft = makeSubmissionDraft(tenancy, lead, { banks: ['itau'] });
    const claimed = await analyses.claim(draft, newClaim(tenancy, NOW));
    if (typeof claimed === 'string' || !('done' in claimed)) throw new Error('nothing was claimed');
    return claimed.done.analyses[0]!;
  }

  async function ended(before: Analysis): Promise<void> {
    const after = transition(before, { situation: 'recusado', rawStatus: 'Reprovado', queryNumber: 'IT-1' })!;
    expect(await analyses.conclude({ before, after, delivery: undefined })).toBe(true);
  }

  describe('an erasure', () => {
    test('is begun once: who begins it again gets it as it stands', async () => {
      const first = await begun();
      const marked = await erasures.mark(first, NOW + 1);
      expect(marked).toMatchObject({ state: 'apagando', revision: 2 });
      expect(await begun()).toEqual(marked);
      expect(await erasures.get(tenancy, lead.id)).toEqual(marked);
    });

    test('is known to who would send an analysis', async () => {
      const analysis = await submitted();
      expect(await analyses.isToBeErased(analysis)).toBe(false);
      await begun();
      expect(await analyses.isToBeErased(analysis)).toBe(true);
    });

    test('waits for what is at a bank, and goes on once that is decided', async () => {
      const analysis = await submitted();
      const waiting = await erasures.mark(await begun(), NOW + 1);
      expect(waiting).toMatchObject({ state: 'aguardando', pending: 1, nextCheckAt: NOW + 1 });
      await ended(analysis);
      expect(await erasures.mark(waiting, NOW + 2)).toMatchObject({ state: 'apagando', pending: 0 });
    });

    test('goes on by one run, the other gets it as it stands', async () => {
      const first = await begun();
      const marked = await erasures.mark(first, NOW + 1);
      const pass = { opportunities: 0, forms: 0, analyses: 0, consents: 0, at: NOW };
      await erasures.erase(marked);
      const closed = await erasures.close(marked, pass, NOW + 2);
      expect(closed).toMatchObject({ state: 'apagado', revision: 3, passes: [pass] });
      // Runs that have read it earlier come late, and write nothing.
      expect(await erasures.close(marked, pass, NOW + 9)).toEqual(closed);
      expect(await erasures.mark(first, NOW + 9)).toEqual(closed);
      expect(await erasures.get(tenancy, lead.id)).toEqual(closed);
    });

    test('lets nobody submit for its lead who has read it before', async () => {
      await begun();
      const draft = makeSubmissionDraft(tenancy, lead, { banks: ['itau'] });
      const claim = newClaim(tenancy, NOW);
      expect(await analyses.claim(draft, claim)).toBe('lead_gone');
      expect(await analyses.ofLead(tenancy, lead.id)).toEqual([]);
      expect((await analyses.prepare(tenancy, lead.id, claim)).earlier).toBeUndefined();
    });

    test('hides its lead from its mark on', async () => {
      expect(await leads.get(tenancy, lead.id)).toEqual(lead);
      await erasures.mark(await begun(), NOW + 1);
      expect(await leads.get(tenancy, lead.id)).toBeUndefined();
      expect(await analyses.ofLead(tenancy, lead.id)).toBeUndefined();
    });

    test('leaves the CPF to a new lead of the same person', async () => {
      const marked = await erasures.mark(await begun(), NOW + 1);
      const renewed = await keepLead(leads, tenancy);
      expect(renewed.id).not.toBe(lead.id);
      await erasures.erase(marked);
      expect((await keepLead(leads, tenancy)).id).toBe(renewed.id);
    });
  });
}
