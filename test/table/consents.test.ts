import { expect, it } from 'vitest';
import type { Consent } from '../../shared/domain/analyses/consent.ts';
import type { ConsentId, KeyId } from '../../shared/domain/values/ids.ts';
import { tableAnalyses } from '../../shared/table/analyses.ts';
import { transact } from '../../shared/table/client.ts';
import { recordConsent, tableConsents } from '../../shared/table/consents.ts';
import { tableLeads } from '../../shared/table/leads.ts';
import { keepLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { newTenancy } from '../makers/tenancy.ts';
import { describeConsents } from './consents.suite.ts';

usePeers();
describeConsents((clock) => ({
  consents: tableConsents(clock),
  analyses: tableAnalyses(clock),
  leads: tableLeads(clock),
}));

it('a consent that was kept is never overwritten', async () => {
  const tenancy = newTenancy();
  const { id: leadId } = await keepLead(tableLeads(Date.now), tenancy);
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
  expect(await tableConsents().ofLead(tenancy, leadId)).toEqual([consent]);
});
