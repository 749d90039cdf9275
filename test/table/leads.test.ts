import { beforeAll, beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { Answer, IdempotentResult } from '#shared/domain/values/idempotency.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { centavos } from '#shared/domain/values/money.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { correctLead } from '#shared/table/leads/lead-correction.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { getRow, transact } from '#shared/table/rows/client.ts';
import { cpfRow, leadByCpf } from '#shared/table/rows/cpf-row.ts';
import { leadKey } from '#shared/table/rows/keys.ts';
import { countLeadUse } from '#shared/table/rows/living-lead.ts';
import { intercepted, interceptTable, meanwhile } from '../makers/intercepted.ts';
import { createLead, makeLeadDraft } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { writeRows } from '../makers/rows.ts';
import { claimedBySkewed, SKEWS } from '../makers/skews.ts';
import { newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const START = 1_780_000_000_000;
const answer = (leadId: LeadId, reused: unknown): Answer => ({
  status: reused ? 200 : 201,
  body: JSON.stringify({ leadId, reused: Boolean(reused) }),
});
const idIn = (once: IdempotentResult<Answer>) =>
  ('done' in once ? JSON.parse(once.done.body).leadId : undefined) as LeadId;

const peers = usePeers();
let now = START;
const leads = new TableLeads(() => now);
beforeEach(() => {
  now = START;
});

test('createOrReuse makes a lead if the CPF has none', async () => {
  const tenancy = newTenancy();
  const once = await leads.createOrReuse(tenancy, makeLeadDraft(), answer);
  const id = idIn(once);
  expect(once).toEqual({ done: answer(id, false) });
  expect(await leads.get(tenancy, id)).toEqual({
    ...makeLeadDraft(),
    id,
    version: 1,
    createdAt: START,
    updatedAt: START,
  });
});

test('createOrReuse adds missing fields to the lead of the CPF, and changes no field that it has', async () => {
  const tenancy = newTenancy();
  const kept = await createLead(leads, tenancy, { email: undefined, income: undefined });
  now += 5;
  const draft = makeLeadDraft({ name: 'Outra', note: 'Outra', email: 'nova@exemplo.com.br', phone: '11988887777' });
  expect(await leads.createOrReuse(tenancy, draft, answer)).toEqual({ done: answer(kept.id, true) });
  expect(await leads.get(tenancy, kept.id)).toEqual({
    ...kept,
    email: draft.email,
    phone: draft.phone,
    income: draft.income,
    version: 2,
    updatedAt: START + 5,
    reusedAt: START + 5,
  });
});

test('createOrReuse without a new field writes no version, but the moment of each reuse', async () => {
  const tenancy = newTenancy();
  const kept = await createLead(leads, tenancy);
  expect(await leads.createOrReuse(tenancy, makeLeadDraft(), answer)).toEqual({ done: answer(kept.id, true) });
  now += 5;
  await leads.createOrReuse(tenancy, makeLeadDraft(), answer);
  expect(await leads.get(tenancy, kept.id)).toEqual({ ...kept, reusedAt: START + 5 });
});

test('createOrReuse makes another lead in another unit or environment, which only that tenancy reads', async () => {
  const here = newTenancy('producao');
  const kept = await createLead(leads, here);
  for (const there of [newTenancy('producao'), { ...here, environment: 'sandbox' } as const]) {
    expect(await leads.get(there, kept.id)).toBeUndefined();
    now += 1;
    expect((await createLead(leads, there)).id).not.toBe(kept.id);
  }
});

test('createOrReuse makes one lead if a draft is sent 10 times at once', async () => {
  const tenancy = newTenancy();
  const all = await Promise.all(
    Array.from({ length: 10 }, () => leads.createOrReuse(tenancy, makeLeadDraft(), answer)),
  );
  expect(new Set(all.map(idIn)).size).toBe(1);
  expect(all.filter((once) => 'done' in once && once.done.status === 201)).toHaveLength(1);
});

test('createOrReuse repeats the stored answer of a key, and says whether the content is the same', async () => {
  const tenancy = newTenancy();
  const claim = newClaim(tenancy, START, 'create-lead');
  const id = idIn(await leads.createOrReuse(tenancy, makeLeadDraft(), answer, claim));
  const again = await leads.createOrReuse(tenancy, makeLeadDraft(), answer, claim);
  expect(again).toMatchObject({ earlier: { sameContent: true, answer: answer(id, false) } });
  const other = await leads.createOrReuse(tenancy, makeLeadDraft(), answer, { ...claim, content: '{"a":2}' });
  expect(other).toMatchObject({ earlier: { sameContent: false } });
  // A key belongs to one operation and one tenancy.
  for (const free of [newClaim(tenancy, START), { ...claim, operation: 'create-simulation' }])
    expect(await leads.createOrReuse(tenancy, makeLeadDraft(), answer, free)).toEqual({ done: answer(id, true) });
  for (const there of [newTenancy(), { ...tenancy, environment: 'sandbox' } as const])
    expect(await leads.createOrReuse(there, makeLeadDraft(), answer, { ...claim, tenancy: there })).toHaveProperty(
      'done',
    );
});

test('createOrReuse stores the answer of a reuse, too', async () => {
  const tenancy = newTenancy();
  const claim = newClaim(tenancy, START, 'create-lead');
  const { id } = await createLead(leads, tenancy, { email: undefined });
  expect(await leads.createOrReuse(tenancy, makeLeadDraft(), answer, claim)).toEqual({ done: answer(id, true) });
  expect(await leads.createOrReuse(tenancy, makeLeadDraft(), answer, claim)).toMatchObject({
    earlier: { sameContent: true, answer: answer(id, true) },
  });
  expect(await leads.get(tenancy, id)).toMatchObject({ version: 2 });
});

const newLeads = (clock: Clock) => new TableLeads(clock);

test.each([0, ...SKEWS])(
  'createOrReuse makes one lead for 10 calls with one key at once, by clocks %i ms apart',
  async (skew) => {
    const tenancy = newTenancy();
    const callers = claimedBySkewed(START, skew, newClaim(tenancy, START, 'create-lead'), newLeads);
    const create = ({ port, claim }: (typeof callers)[number]) =>
      port.createOrReuse(tenancy, makeLeadDraft(), answer, claim);
    // All callers call at the same time, and then one after the other.
    const all = await Promise.all(callers.map(create));
    for (const caller of callers) all.push(await create(caller));
    const done = all.filter((once) => 'done' in once);
    expect(done).toHaveLength(1);
    const earlier = { earlier: { sameContent: true, answer: answer(idIn(done[0]!), false) } };
    for (const once of all.filter((one) => 'earlier' in one)) expect(once).toMatchObject(earlier);
  },
);

test('change writes the next version of a lead and returns its result', async () => {
  const tenancy = newTenancy();
  const kept = await createLead(leads, tenancy);
  now += 9;
  const change = await leads.change(tenancy, kept.id, (lead) => ({ write: { ...lead, name: 'Ana' }, result: 'a' }));
  expect(change).toBe('a');
  expect(await leads.get(tenancy, kept.id)).toEqual({ ...kept, name: 'Ana', version: 2, updatedAt: START + 9 });
});

test('change writes nothing if nothing changes, and returns undefined for an unknown lead', async () => {
  const tenancy = newTenancy();
  const kept = await createLead(leads, tenancy);
  now += 9;
  expect(await leads.change(tenancy, kept.id, () => ({ write: undefined, result: 'a' }))).toBe('a');
  expect(await leads.get(tenancy, kept.id)).toEqual(kept);
  const never = () => {
    throw new Error('there is nothing to change');
  };
  expect(await leads.change(newTenancy(), kept.id, never)).toBeUndefined();
});

test('change loses none of 5 changes that are made at once', async () => {
  const tenancy = newTenancy();
  const { id } = await createLead(leads, tenancy, { income: centavos(0) });
  const add = () =>
    leads.change(tenancy, id, (lead) => ({ write: { ...lead, income: centavos(lead.income! + 1) }, result: 1 }));
  await Promise.all(Array.from({ length: 5 }, add));
  expect(await leads.get(tenancy, id)).toMatchObject({ income: 5, version: 6 });
});

describe('a write of a lead that another change overtakes', () => {
  beforeAll(interceptTable);
  const write = (note: string) => (tenancy: Tenancy, id: LeadId) =>
    leads.change(tenancy, id, (lead) => ({ write: { ...lead, note }, result: 1 }));
  const reuse = (tenancy: Tenancy) => leads.createOrReuse(tenancy, makeLeadDraft(), answer);

  test.each([
    ['a change', 'table UpdateItemCommand', 1, write('Minha')],
    ['a reuse', 'table TransactWriteItemsCommand', 2, reuse],
  ] as const)('%s of a lead is written again within 40 ms if another change came first', async (_, name, at, make) => {
    const tenancy = newTenancy();
    const { id } = await createLead(leads, tenancy, { email: undefined });
    onTestFinished(() => void vi.restoreAllMocks());
    const [waits] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(Math, 'random').mockReturnValue(1)];
    await intercepted<unknown>(
      meanwhile(name, () => write('Outra')(tenancy, id), { at }),
      () => make(tenancy, id),
    );
    expect(waits.mock.calls.map(([, milliseconds]) => milliseconds)).toContain(40);
    expect(await leads.get(tenancy, id)).toMatchObject({ version: 3 });
  });
});

it('the sealed part of a lead opens only at the version for which it was sealed', async () => {
  const tenancy = newTenancy();
  const { id } = await createLead(leads, tenancy, { phone: '11988887777' });
  const before = await getRow(leadKey(tenancy, id));
  await leads.change(tenancy, id, (lead) => ({ write: { ...lead, phone: undefined }, result: undefined }));
  const after = await getRow(leadKey(tenancy, id));
  await writeRows([{ ...after, sealed: before!['sealed'] }]);
  await expect(leads.get(tenancy, id)).rejects.toThrow('authenticate');
  await writeRows([after!]);
  expect((await leads.get(tenancy, id))?.phone).toBeUndefined();
});

describe('correctLead', () => {
  beforeAll(interceptTable);
  const right = '90000000256' as Cpf;
  const correct = (tenancy: Tenancy, id: LeadId) => correctLead(tenancy, id, { cpf: right }, () => now);

  test('createOrReuse makes a new lead if the CPF is corrected between its two reads', async () => {
    const tenancy = newTenancy();
    const kept = await createLead(leads, tenancy);
    const between = meanwhile('table UpdateItemCommand', () => correct(tenancy, kept.id));
    const once = await intercepted(between, () => leads.createOrReuse(tenancy, makeLeadDraft(), answer));
    expect(once).toMatchObject({ done: { status: 201 } });
    expect((await leads.get(tenancy, kept.id))?.cpf).toBe(right);
    expect(peers.metrics.flatMap((line) => line['CpfMismatches'] ?? [])).toEqual([]);
  });

  test.each(['used', 'changed', 'erased'])(
    'correctLead reads the lead again if the lead is %s meanwhile',
    async (how) => {
      const tenancy = newTenancy();
      const kept = await createLead(leads, tenancy);
      const erasing = { ...leadKey(tenancy, kept.id), erasingSince: now };
      const step = async () => {
        if (how === 'used') await transact([countLeadUse(tenancy, kept.id)]);
        if (how === 'changed')
          await leads.change(tenancy, kept.id, (lead) => ({ write: { ...lead, name: 'Ana' }, result: 1 }));
        if (how === 'erased') await writeRows([{ ...(await getRow(leadKey(tenancy, kept.id)))!, ...erasing }]);
      };
      const race = meanwhile('table TransactWriteItemsCommand', step);
      const outcome = await intercepted(race, () => correct(tenancy, kept.id));
      expect(outcome).toEqual(how === 'erased' ? 'erasing' : { fields: ['cpf'] });
      expect(race.calls).toBe(how === 'erased' ? 1 : 2);
      if (how === 'changed') expect(await leads.get(tenancy, kept.id)).toMatchObject({ name: 'Ana', cpf: right });
    },
  );

  test('correctLead takes the CPF over from an erased lead', async () => {
    const tenancy = newTenancy();
    const [kept, gone] = [await createLead(leads, tenancy), await createLead(leads, tenancy, { cpf: right })];
    expect(await correct(tenancy, kept.id)).toBe('cpf_known');
    await writeRows([{ ...(await getRow(leadKey(tenancy, gone.id)))!, erasingSince: now }]);
    expect(await correct(tenancy, kept.id)).toEqual({ fields: ['cpf'] });
    expect(await leadByCpf(tenancy, right)).toBe(kept.id);
  });
});

it('createOrReuse throws if the row of the CPF leads to another person, and reveals nothing of that person', async () => {
  const tenancy = newTenancy('producao');
  const other = await createLead(leads, tenancy, { phone: undefined });
  const before = await getRow(leadKey(tenancy, other.id));
  const draft = makeLeadDraft({ cpf: '90000000256' as Cpf, phone: '11988887777' });
  const { key, indexedBy } = (await cpfRow(tenancy, draft.cpf)).here;
  await writeRows([{ ...key, leadId: other.id, indexedBy, v: 1 }]);
  const told: unknown[] = [];
  const answer = (...given: unknown[]) => ({ status: 200, body: String(told.push(given)) });
  const claim = newClaim(tenancy, START, 'create-lead');
  for (const one of [undefined, claim])
    await expect(leads.createOrReuse(tenancy, draft, answer, one)).rejects.toThrow('lead of another person');
  // Each try makes an answer for the new lead, none for the other person's.
  expect(told.filter((given) => JSON.stringify(given).includes(other.cpf))).toEqual([]);
  // The reuse is noted by the read, before anything is opened. It puts off the end of the data.
  expect(await getRow(leadKey(tenancy, other.id))).toEqual({ ...before, reusedAt: now });
  expect(peers.metrics.flatMap((line) => line['CpfMismatches'] ?? [])).toEqual([1, 1]);
});
