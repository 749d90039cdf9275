import { describe, expect, it } from 'vitest';
import type { Cpf } from '../../shared/domain/values/cpf.ts';
import { getRow } from '../../shared/table/client.ts';
import { cpfPlaces } from '../../shared/table/index-keys.ts';
import { leadKey } from '../../shared/table/keys.ts';
import { tableLeads } from '../../shared/table/leads.ts';
import { keepLead, makeLeadDraft } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { writeRows } from '../makers/rows.ts';
import { newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';
import { describeLeads } from './leads.suite.ts';

const peers = usePeers();
describeLeads(tableLeads);

describe('the sealed part of a lead', () => {
  it('opens at no other version than its own', async () => {
    const tenancy = newTenancy();
    const { id } = await keepLead(leads, tenancy, { phone: '11988887777' });
    const before = await getRow(leadKey(tenancy, id));
    await leads.change(tenancy, id, (lead) => ({ write: { ...lead, phone: undefined }, result: undefined }));
    const after = await getRow(leadKey(tenancy, id));
    await writeRows([{ ...after, sealed: before!['sealed'] }]);
    await expect(leads.get(tenancy, id)).rejects.toThrow('authenticate');
    await writeRows([after!]);
    expect((await leads.get(tenancy, id))?.phone).toBeUndefined();
  });
});

const NOW = 1_780_000_000_000;
const leads = tableLeads(() => NOW);

describe('a CPF whose row leads to another person', () => {
  it('reaches nothing of that person: refused, counted, logged by numbers alone', async () => {
    const tenancy = newTenancy('producao');
    const other = await keepLead(leads, tenancy, { phone: undefined });
    const before = await getRow(leadKey(tenancy, other.id));
    const draft = makeLeadDraft({ cpf: '90000000256' as Cpf, phone: '11988887777' });
    const { key, indexedBy } = (await cpfPlaces(tenancy, draft.cpf)).current;
    await writeRows([{ ...key, leadId: other.id, indexedBy, v: 1 }]);
    const told: unknown[] = [];
    const answer = (...given: unknown[]) => ({ status: 200, body: String(told.push(given)) });
    const claim = newClaim(tenancy, NOW, 'create-lead');
    for (const one of [undefined, claim])
      await expect(leads.createOrReuse(tenancy, draft, answer, one)).rejects.toThrow('lead of another person');
    // One answer a try is made for the lead that would be new.
    expect(told.filter((given) => JSON.stringify(given).includes(other.cpf))).toEqual([]);
    expect(await getRow(leadKey(tenancy, other.id))).toEqual(before);
    expect(peers.metrics.filter((line) => 'CpfMismatches' in line)).toHaveLength(2);
  });
});
