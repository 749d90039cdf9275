import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Analysis, transition } from '../../shared/domain/analyses/analysis.ts';
import type { Erasure } from '../../shared/domain/leads/erasure.ts';
import type { Lead } from '../../shared/domain/leads/ports.ts';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../shared/domain/values/tenancy.ts';
import { tableAnalyses } from '../../shared/table/analyses.ts';
import { transact } from '../../shared/table/client.ts';
import { tableErasures } from '../../shared/table/lead-erasure.ts';
import { tableLeads, useLead } from '../../shared/table/leads.ts';
import { leadByCpf } from '../../shared/table/personal-data.ts';
import { intercepted, interceptTable } from '../makers/intercepted.ts';
import { keepLead, makeLeadDraft } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { makeSubmissionDraft, newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

usePeers();
beforeAll(interceptTable);

const NOW = 1_780_000_000_000;
const clock = () => NOW;
const [analyses, leads, erasures] = [tableAnalyses(clock), tableLeads(clock), tableErasures(clock)];

let tenancy: Tenancy;
let lead: Lead;
beforeEach(async () => {
  tenancy = newTenancy();
  lead = await keepLead(leads, tenancy);
});

/** The erasure of the lead, asked for a moment ago. */
const asked = (): Erasure => ({
  ...tenancy,
  partnerId: 3 as PartnerId,
  leadId: lead.id,
  state: 'aguardando',
  revision: 1,
  requestedAt: NOW,
  pending: 0,
  passes: [],
  nextCheckAt: NOW,
});
const begun = () => erasures.begin(asked());

async function submitted(): Promise<Analysis> {
  const claimed = await analyses.claim(makeSubmissionDraft(tenancy, lead, { banks: ['itau'] }), newClaim(tenancy, NOW));
  if (claimed === 'lead_changed' || !('done' in claimed)) throw new Error('nothing was claimed');
  return claimed.done.analyses[0]!;
}

async function ended(before: Analysis): Promise<void> {
  const after = transition(before, { situation: 'recusado', rawStatus: 'Reprovado', queryNumber: 'IT-1' })!;
  expect(await analyses.conclude({ before, after, delivery: undefined })).toBe(true);
}

/** Marks the lead, and lets something happen before the mark is written for the first time. */
async function markedAfter(
  erasure: Erasure,
  step: () => Promise<unknown>,
): Promise<{ marked: Erasure; writes: number }> {
  let writes = 0;
  const marked = await intercepted(
    {
      async around(name, call) {
        if (name === 'table TransactWriteItemsCommand' && ++writes === 1)
          await intercepted({ around: (_, itsCall) => itsCall() }, step);
        return call();
      },
    },
    () => erasures.mark(erasure, NOW + 1),
  );
  return { marked, writes };
}

describe('an erasure', () => {
  it('is begun once: who begins it again gets it as it stands', async () => {
    const first = await begun();
    const marked = await erasures.mark(first, NOW + 1);
    expect(marked).toMatchObject({ state: 'apagando', revision: 2 });
    expect(await begun()).toEqual(marked);
    expect(await erasures.get(tenancy, lead.id)).toEqual(marked);
  });

  it('is known to who would send an analysis', async () => {
    const analysis = await submitted();
    expect(await analyses.isToBeErased(analysis)).toBe(false);
    await begun();
    expect(await analyses.isToBeErased(analysis)).toBe(true);
  });

  it('waits for what is at a bank, and goes on once that is decided', async () => {
    const analysis = await submitted();
    const waiting = await erasures.mark(await begun(), NOW + 1);
    expect(waiting).toMatchObject({ state: 'aguardando', pending: 1, nextCheckAt: NOW + 1 });
    await ended(analysis);
    expect(await erasures.mark(waiting, NOW + 2)).toMatchObject({ state: 'apagando', pending: 0 });
  });

  it('goes on by one run, the other gets it as it stands', async () => {
    const first = await begun();
    const marked = await erasures.mark(first, NOW + 1);
    const pass = { ...(await erasures.erase(marked)), at: NOW };
    const closed = await erasures.close(marked, pass, NOW + 2);
    expect(closed).toMatchObject({ state: 'apagado', revision: 3, passes: [pass] });
    // Runs that have read it earlier come late, and write nothing.
    expect(await erasures.close(marked, pass, NOW + 9)).toEqual(closed);
    expect(await erasures.mark(first, NOW + 9)).toEqual(closed);
    expect(await erasures.get(tenancy, lead.id)).toEqual(closed);
  });

  it('marks no lead that was changed since it was read: it reads it anew', async () => {
    const rename = () =>
      leads.change(tenancy, lead.id, (read) => ({ write: { ...read, name: 'Ana' }, result: undefined }));
    const { marked, writes } = await markedAfter(await begun(), rename);
    expect(marked.state).toBe('apagando');
    expect(writes).toBe(2);
  });

  it('marks no lead to which something was added since it was read, but waits for it', async () => {
    const { marked } = await markedAfter(await begun(), submitted);
    expect(marked).toMatchObject({ state: 'aguardando', pending: 1 });
    const again = newTenancy();
    [tenancy, lead] = [again, await keepLead(leads, again)];
    await ended(await submitted());
    const second = await markedAfter(await begun(), submitted);
    expect(second.marked).toMatchObject({ state: 'aguardando', pending: 1 });
  });

  it('lets nothing more be written for its lead from its mark on', async () => {
    expect(await transact([useLead(tenancy, lead.id)])).toBe('written');
    await erasures.mark(await begun(), NOW + 1);
    expect(await transact([useLead(tenancy, lead.id)])).not.toBe('written');
  });

  it('hides its lead from its mark on', async () => {
    expect(await leads.get(tenancy, lead.id)).toEqual(lead);
    await erasures.mark(await begun(), NOW + 1);
    expect(await leads.get(tenancy, lead.id)).toBeUndefined();
    expect(await analyses.ofLead(tenancy, lead.id)).toBeUndefined();
  });

  it('leaves the CPF to a new lead of the same person', async () => {
    const marked = await erasures.mark(await begun(), NOW + 1);
    const renewed = await keepLead(leads, tenancy);
    expect(renewed.id).not.toBe(lead.id);
    await erasures.erase(marked);
    expect(await leadByCpf(tenancy, makeLeadDraft().cpf)).toBe(renewed.id);
  });
});
