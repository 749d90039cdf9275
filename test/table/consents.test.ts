import { beforeEach, expect, it, test } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import type { Consent } from '#shared/domain/analyses/analysis.ts';
import type { ConsentId, KeyId, LeadId } from '#shared/domain/values/ids.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { recordConsent, TableConsents } from '#shared/table/analyses/consents.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { tableClient, transact } from '#shared/table/rows/client.ts';
import { consentsOf } from '#test/makers/evidence.ts';
import { countUnits } from '../makers/counting.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { makeSubmissionDraft, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const START = 1_780_000_000_000;

usePeers();
let now = START;
const clock = () => now;
const [consents, analyses, leads] = [
  new TableConsents(clock),
  new TableAnalyses(clock, eventOf),
  new TableLeads(clock),
];
beforeEach(() => {
  now = START;
});

test('readableConsents returns one consent for each submission, as it was given, newest first', async () => {
  const tenancy = newTenancy();
  const lead = await createLead(leads, tenancy);
  expect(await consentsOf(tenancy, lead.id, now)).toEqual([]);
  const kept = [];
  for (const ip of ['177.45.10.20', '2001:db8::7']) {
    now += 1;
    const version = ip.includes(':') ? { textVersion: 'termo 7' } : {};
    const consent = { givenAt: '2026-01-02T12:00:00-03:00', ip, channel: 'web', ...version };
    const draft = makeSubmissionDraft(tenancy, lead, { consent });
    const claimed = await analyses.claim(draft, await newKey(tenancy, START));
    if (typeof claimed === 'string' || !('done' in claimed)) throw new Error('nothing was submitted');
    const analysisIds = claimed.done.map(({ id }) => id);
    kept.unshift({ ...consent, leadId: lead.id, analysisIds, banks: draft.banks, keyId: draft.caller.keyId });
  }
  expect(await consentsOf(tenancy, lead.id, now)).toEqual(
    kept.map((consent) => ({ ...consent, id: expect.any(Number) })),
  );
});

test('page returns each consent once, even of one millisecond, and reads older ones at half the price', async () => {
  const tenancy = newTenancy();
  const lead = await createLead(leads, tenancy);
  expect(await consents.page(tenancy, lead.id, { limit: 2, offset: 0 })).toEqual({
    items: [],
    more: false,
    withdrawals: [],
  });
  for (let index = 0; index < 5; index++) {
    await analyses.claim(makeSubmissionDraft(tenancy, lead), await newKey(tenancy, START));
  }
  const all = await consentsOf(tenancy, lead.id, now);
  expect(all).toHaveLength(5);
  for (const offset of [0, 1, 2, 3, 4, 5, 9]) {
    expect(await consents.page(tenancy, lead.id, { limit: 2, offset })).toEqual({
      items: all.slice(offset, offset + 2),
      more: offset < 3,
      withdrawals: [],
    });
  }
  // A page whose newest consent is a minute old is read at half the price.
  const { units, reset } = countUnits(tableClient());
  const prices = [];
  for (now of [START + 59_999, START + 60_000]) {
    reset();
    await consents.page(tenancy, lead.id, { limit: 2, offset: 0 });
    prices.push(units.read);
  }
  expect(prices[0]! - prices[1]!).toBe(0.5);
});

test('page returns undefined for a lead that the tenancy does not have', async () => {
  const tenancy = newTenancy();
  const { id } = await createLead(leads, tenancy);
  const page = { limit: 20, offset: 0 };
  for (const [of, leadId] of [
    [tenancy, 1 as LeadId],
    [{ ...tenancy, environment: 'sandbox' }, id],
    [newTenancy(), id],
  ] as const) {
    expect(await consents.page(of, leadId, page)).toBeUndefined();
  }
});

it('recordConsent never overwrites a consent', async () => {
  const tenancy = newTenancy();
  const { id: leadId } = await createLead(new TableLeads(Date.now), tenancy);
  const consent: Consent = {
    id: 4711 as ConsentId,
    leadId,
    givenAt: '2026-01-02T12:00:00-03:00',
    ip: '177.45.10.20',
    channel: 'web',
    analysisIds: [],
    banks: [],
    keyId: 'abcde' as KeyId,
  };
  expect(await transact([await recordConsent(tenancy, consent, Date.now())])).toBe('written');
  expect(await transact([await recordConsent(tenancy, { ...consent, channel: 'app' }, Date.now())])).not.toBe(
    'written',
  );
  expect(await consentsOf(tenancy, leadId, Date.now())).toEqual([consent]);
});
