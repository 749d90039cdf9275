import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { type Analysis, type AnalysisForm, transition } from '#shared/domain/analyses/analysis.ts';
import type { AnalysisEventOf } from '#shared/domain/analyses/ports.ts';
import { applyLedger, erasePerson, eraseSpouse } from '#shared/domain/leads/erase-person.ts';
import { beginErasure, ERASURE_RETRY, type Erasure, type SpouseSubject } from '#shared/domain/leads/erasure.ts';
import type { Lead } from '#shared/domain/leads/ports.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { Claim } from '#shared/domain/values/idempotency.ts';
import type { LeadId, OpportunityId, PartnerId, SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { type Attempt, eventIdOf } from '#shared/domain/webhooks/delivery.ts';
import { erasureLedgerName } from '#shared/runtime/env.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { correctLead } from '#shared/table/leads/lead-correction.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { sandboxLeadsOf } from '#shared/table/partners/sandbox-leads.ts';
import { TablePersonalRecords } from '#shared/table/personal-data/personal-data.ts';
import { getRow, putRow, scanRows, transact, updateRow } from '#shared/table/rows/client.ts';
import { encrypt } from '#shared/table/rows/encryption.ts';
import * as keys from '#shared/table/rows/keys.ts';
import { countLeadUse, noteReplay } from '#shared/table/rows/living-lead.ts';
import { TableSimulations } from '#shared/table/simulations/simulations.ts';
import { deliveriesOfAnalysis } from '#shared/table/webhooks/replays.ts';
import { intercepted, interceptTable, meanwhile } from '../makers/intercepted.ts';
import { createLead, makeLeadDraft } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { clearLedger, rowsOf, writeRows } from '../makers/rows.ts';
import { newKeys, setServiceKeys, withIndexKey } from '../makers/service-keys.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';
import { makeSubmissionDraft, newClaim, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const peers = usePeers();
beforeAll(interceptTable);

const NOW = 1_780_000_000_000;
const clock = () => NOW;
const [leads, analyses, erasures] = [
  new TableLeads(clock),
  new TableAnalyses(clock, eventOf),
  new TableErasures(clock),
];

let tenancy: Tenancy;
let lead: Lead;
beforeEach(async () => {
  tenancy = newTenancy();
  lead = await createLead(leads, tenancy);
});

/** Lists simulations next to the lead, with a row for each. */
const listSimulations = (...ids: readonly number[]) =>
  writeRows(
    (ids as readonly OpportunityId[]).flatMap((id) => [
      { ...keys.leadOpportunityKey(tenancy, lead.id, id), offers: 1, v: 1 },
      { ...keys.opportunityKey(tenancy, id), v: 1 },
    ]),
  );
const NO_PASS = { opportunities: 0, forms: 0, analyses: 0, consents: 0, at: NOW };

const begin = (leadId = lead.id) =>
  erasures.begin(beginErasure({ ...tenancy, partnerId: 3 as PartnerId, leadId }, NOW, NOW));
const begun = async (leadId = lead.id) => (await begin(leadId))!;

async function submitted(of = lead): Promise<Analysis> {
  const draft = makeSubmissionDraft(tenancy, of, { banks: ['itau'] });
  const claimed = await analyses.claim(draft, await newKey(tenancy, NOW));
  if (typeof claimed === 'string' || !('done' in claimed)) throw new Error('nothing was claimed');
  return claimed.done[0]!;
}

/** Ends an analysis. Its event has these attempts behind it. */
async function ended(before: Analysis, history: readonly Attempt[] = []): Promise<void> {
  const tried: AnalysisEventOf = (analysis, at) => ({ ...eventOf(analysis, at), history });
  const after = transition(before, { situation: 'recusado', rawStatus: 'Reprovado', queryNumber: 'IT-1' })!;
  expect(await new TableAnalyses(clock, tried).conclude({ before, after })).toHaveProperty('events');
}

describe('TableErasures', () => {
  it('begin starts an erasure once, and returns the stored one to a later caller', async () => {
    const first = await begun();
    const marked = await erasures.mark(first, NOW + 1);
    expect(marked).toMatchObject({ state: 'apagando', revision: 2 });
    expect(await begun()).toEqual(marked);
    expect(await erasures.get(tenancy, lead.id)).toEqual(marked);
  });

  it('begin returns undefined if the lead has been removed', async () => {
    await transact([{ Delete: { Key: keys.leadKey(tenancy, lead.id) } }]);
    expect(await begin()).toBeUndefined();
    expect(await erasures.get(tenancy, lead.id)).toBeUndefined();
  });

  it('isToBeErased is true for an analysis once the erasure of its person was requested', async () => {
    const analysis = await submitted();
    expect(await analyses.isToBeErased(analysis)).toBe(false);
    await begun();
    expect(await analyses.isToBeErased(analysis)).toBe(true);
  });

  it('mark waits while an analysis is pending, and marks the lead once it is decided', async () => {
    const analysis = await submitted();
    const waiting = await erasures.mark(await begun(), NOW + 1);
    expect(waiting).toMatchObject({ state: 'aguardando', pending: 1, nextCheckAt: NOW + 1 });
    await ended(analysis);
    expect(await erasures.mark(waiting, NOW + 2)).toMatchObject({ state: 'apagando', pending: 0 });
  });

  it('close and mark of a late run write nothing and return the stored erasure', async () => {
    const first = await begun();
    const marked = await erasures.mark(first, NOW + 1);
    const pass = { opportunities: 0, forms: 0, analyses: 0, consents: 0, at: NOW };
    await erasures.erase(marked);
    const closed = await erasures.close(marked, pass, NOW + 2);
    expect(closed).toMatchObject({ state: 'apagado', revision: 3, passes: [pass] });
    // Runs that have read the erasure earlier come late and write nothing.
    expect(await erasures.close(marked, pass, NOW + 9)).toEqual(closed);
    expect(await erasures.mark(first, NOW + 9)).toEqual(closed);
    expect(await erasures.get(tenancy, lead.id)).toEqual(closed);
  });

  it('claim returns lead_gone if an erasure was requested after the lead was read', async () => {
    await begun();
    const draft = makeSubmissionDraft(tenancy, lead, { banks: ['itau'] });
    const key = await newKey(tenancy, NOW);
    expect(await analyses.claim(draft, key)).toBe('lead_gone');
    expect(await analyses.ofLead(tenancy, lead.id)).toEqual([]);
    expect((await analyses.prepare(lead.id, key.claim)).earlier).toBeUndefined();
  });

  it('mark hides the lead and its analyses', async () => {
    expect(await leads.get(tenancy, lead.id)).toEqual(lead);
    await erasures.mark(await begun(), NOW + 1);
    expect(await leads.get(tenancy, lead.id)).toBeUndefined();
    expect(await analyses.ofLead(tenancy, lead.id)).toBeUndefined();
  });

  it('erase leaves the CPF to a new lead of the same person', async () => {
    const marked = await erasures.mark(await begun(), NOW + 1);
    const renewed = await createLead(leads, tenancy);
    expect(renewed.id).not.toBe(lead.id);
    await erasures.erase(marked);
    expect((await createLead(leads, tenancy)).id).toBe(renewed.id);
  });
});

/** Marks the lead, and runs a step just before the mark is written for the first time. */
async function markedAfter(erasure: Erasure, step: () => Promise<unknown>) {
  const interception = meanwhile('table TransactWriteItemsCommand', step);
  const marked = await intercepted(interception, () => erasures.mark(erasure, NOW + 1));
  return { marked, writes: interception.calls };
}

describe('an erasure and other writes of its lead', () => {
  it('mark reads the lead again if the lead was changed since the read', async () => {
    const rename = () =>
      leads.change(tenancy, lead.id, (read) => ({ write: { ...read, name: 'Ana' }, result: undefined }));
    const { marked, writes } = await markedAfter(await begun(), rename);
    expect(marked.state).toBe('apagando');
    expect(writes).toBe(2);
  });

  it('mark reads the lead again if a first or a further use was counted since the read', async () => {
    const used = () => transact([countLeadUse(tenancy, lead.id)]);
    expect(await markedAfter(await begun(), used)).toMatchObject({ marked: { state: 'apagando' }, writes: 2 });
    const again = newTenancy();
    [tenancy, lead] = [again, await createLead(leads, again)];
    await used();
    expect(await markedAfter(await begun(), used)).toMatchObject({ marked: { state: 'apagando' }, writes: 2 });
  });

  it('change writes nothing to a lead that was marked after the read', async () => {
    const erasure = await begun();
    let marked: Erasure | undefined;
    const rename = () =>
      leads.change(tenancy, lead.id, (read) => ({ write: { ...read, name: 'Ana' }, result: 'made' }));
    const markFirst = meanwhile('table UpdateItemCommand', async () => {
      marked = await erasures.mark(erasure, NOW + 1);
    });
    expect(await intercepted(markFirst, rename)).toBeUndefined();
    expect(marked?.state).toBe('apagando');
  });

  it('prepare of a simulation returns neither lead nor earlier answer once the lead is marked', async () => {
    const simulations = new TableSimulations(clock);
    const key = await newKey(tenancy, NOW, 'create-simulation');
    const opportunity = { ...makeOpportunity(makeOffer().offer), leadId: lead.id };
    await simulations.save(tenancy, () => ({ opportunity, answer: { status: 200, body: '{}' } }), key);
    expect((await simulations.prepare(tenancy, lead.id, key.claim)).earlier).toBeDefined();
    await erasures.mark(await begun(), NOW + 1);
    expect(await simulations.prepare(tenancy, lead.id, key.claim)).toEqual({ key });
  });

  it('a marked sandbox lead gets no noted step, and close takes it off the sandbox’s list', async () => {
    tenancy = newTenancy('sandbox');
    lead = await createLead(leads, tenancy);
    const rowOfLead = () => getRow(keys.leadKey(tenancy, lead.id));
    const marked = await erasures.mark(await begun(), NOW + 1);
    const before = await rowOfLead();
    await noteReplay(tenancy, lead, NOW);
    expect(await rowOfLead()).toEqual(before);
    expect(await sandboxLeadsOf(tenancy.unitId)).toEqual([lead.id]);
    await erasures.close(marked, NO_PASS, NOW + 2);
    expect(await sandboxLeadsOf(tenancy.unitId)).toEqual([]);
  });

  it('close empties no lead that has no mark', async () => {
    const erasure = await begun();
    expect(await erasures.close(erasure, NO_PASS, NOW + 2)).toEqual(erasure);
    expect(await leads.get(tenancy, lead.id)).toEqual(lead);
  });

  it('the ledger of erasures keeps the moment of the first request', async () => {
    const subject = { ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id };
    for (const now of [1, 2]) await new TableErasureLedger().add(subject, now);
    const { Items = [] } = await scanRows({}, erasureLedgerName());
    expect(Items.filter(({ leadId }) => leadId === lead.id)).toMatchObject([{ requestedAt: 1 }]);
  });

  it('the ledger keeps the holder and each spouse of a lead apart, and the same numbers in another tenancy', async () => {
    await clearLedger();
    const ledger = new TableErasureLedger();
    const holder = { ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id };
    const subjects = [
      holder,
      { ...holder, submissionId: 51 as SubmissionId },
      { ...holder, submissionId: 52 as SubmissionId },
      { ...holder, environment: 'sandbox' as const },
      { ...holder, unitId: newTenancy().unitId },
      { ...holder, leadId: (lead.id + 1) as LeadId },
    ];
    for (const subject of subjects) await ledger.add(subject, NOW);
    const { items } = await ledger.page();
    expect(items).toHaveLength(subjects.length);
    expect(items).toEqual(expect.arrayContaining(subjects.map((subject) => ({ ...subject, requestedAt: NOW }))));
  });

  it('countLeadUse is refused for a marked lead', async () => {
    expect(await transact([countLeadUse(tenancy, lead.id)])).toBe('written');
    await erasures.mark(await begun(), NOW + 1);
    expect(await transact([countLeadUse(tenancy, lead.id)])).not.toBe('written');
  });
});

describe('the counts of an erasure', () => {
  const ledger = { add: async () => {}, page: async () => ({ items: [], unreadable: 0, next: undefined }) };
  const goOn = async () =>
    erasePerson({ ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id }, { erasures, ledger, clock });
  const lateOne = async () => {
    await listSimulations(9);
    await erasures.erase((await erasures.get(tenancy, lead.id))!);
  };

  // The writes of a run after its first: 1 deletes the simulations, 2 the row of the CPF, and 3 notes the pass.
  it.for(
    [1, 2, 3].flatMap((write) => [
      { write, what: 'a whole run', between: goOn, all: 3 },
      { write, what: 'a run that finds a late row and is cut off', between: lateOne, all: 4 },
    ]),
  )('an erasure counts each row once if $what comes before its write $write', async ({ write, between, all }) => {
    await listSimulations(1, 2, 3);
    await erasures.mark(await begun(), NOW + 1);
    const interception = meanwhile('table TransactWriteItemsCommand', between, { at: write + 1 });
    const after = await intercepted(interception, goOn);
    expect(after).toMatchObject({ state: 'apagado', opportunities: all, passes: [{ opportunities: all }] });
    expect(await erasures.get(tenancy, lead.id)).toEqual(after);
  });

  it('mark deletes 120 simulations, more than a transaction holds, and the pass counts them', async () => {
    await listSimulations(...Array(120).keys());
    await erasures.mark(await begun(), NOW + 1);
    expect(await rowsOf(keys.opportunityKey(tenancy, 1 as OpportunityId).pk.replace(/1$/, ''))).toEqual([]);
    expect(await goOn()).toMatchObject({ passes: [{ opportunities: 120 }] });
  });
});

it('close deletes receivers’ texts, and the second pass stored answers, except those of a new lead’s key', async () => {
  const [made, found] = [newClaim(tenancy, NOW, 'create-lead'), newClaim(tenancy, NOW, 'create-lead')];
  const cpf = '90000000256' as Cpf;
  const create = async (claim: Claim) => {
    const answer = (leadId: LeadId) => ({ status: 201, body: String(leadId) });
    const once = await leads.createOrReuse(tenancy, makeLeadDraft({ cpf }), answer, claim);
    return Number('done' in once && once.done.body) as LeadId;
  };
  const leadId = await create(made);
  expect(await create(found)).toBe(leadId);
  const before = await submitted((await leads.get(tenancy, leadId))!);
  const result = { delivered: false, failure: 'http_5xx', status: 500, milliseconds: 3, detail: 'Marina' } as const;
  const history = [{ number: 1, at: NOW, result }];
  await ended(before, history);
  const pages = async () => (await deliveriesOfAnalysis(tenancy, before.id)).map((one) => one.history);
  const kept = async () =>
    (await rowsOf('IDEMPOTENCY#')).map((row) => row['leadId']).filter((id) => id === leadId || id === renewed);
  let renewed: LeadId | undefined;
  const marked = await erasures.mark(await begun(leadId), NOW + 1);
  const { erasure } = await erasures.erase(marked);
  expect(await pages()).toEqual([history]);
  const closed = await erasures.close(erasure, NO_PASS, NOW + 2);
  expect(await pages()).toEqual([[{ ...history[0], result: { ...result, detail: '' } }]]);
  expect(await kept()).toHaveLength(3);
  renewed = await create(made);
  await erasures.erase(closed);
  expect(await kept()).toEqual([renewed]);
});

/** Concludes an analysis of the lead. Its event has one failed attempt, with a text. */
async function failedEvent() {
  const before = await submitted();
  const result = { delivered: false, failure: 'http_5xx', status: 500, milliseconds: 3, detail: 'Marina' } as const;
  const eventId = eventIdOf(tenancy, before.id, 'analise.resultado', 1);
  const attempt = (number: number) => ({ number, at: NOW, result });
  await ended(before, [attempt(1)]);
  const { erasure } = await erasures.erase(await erasures.mark(await begun(), NOW + 1));
  return {
    erasure,
    /** Changes the row as a worker does that knows no erasure: it stores so many attempts, each with its text. */
    async store(attempts: number): Promise<void> {
      const history = Array.from({ length: attempts }, (_, index) => attempt(index + 1));
      await putRow({ Item: { ...(await getRow(keys.deliveryKey(eventId))), history } });
    },
    async details(): Promise<readonly (string | undefined)[]> {
      const [stored] = await deliveriesOfAnalysis(tenancy, before.id);
      return stored!.history.map(({ result: made }) => (made.delivered ? undefined : made.detail));
    },
  };
}

it('close deletes receivers’ texts though attempts are recorded while it runs', async () => {
  const { erasure, store, details } = await failedEvent();
  let attempts = 1;
  // A worker records an attempt before each of the first two updates.
  const around = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    if (name === 'table UpdateItemCommand' && attempts < 3) await store(++attempts);
    return call();
  };
  await intercepted({ around }, () => erasures.close(erasure, NO_PASS, NOW + 2));
  expect(await details()).toEqual(['', '', '']);
});

it('close empties the lead and fails, and the second pass deletes receivers’ texts, if attempts come too fast', async () => {
  const { erasure, store, details } = await failedEvent();
  let attempts = 1;
  const around = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    if (name === 'table UpdateItemCommand') await store(++attempts);
    return call();
  };
  const failure = { code: 'servico_indisponivel' };
  const close = () => erasures.close(erasure, NO_PASS, NOW + 2);
  await expect(intercepted({ around }, close)).rejects.toMatchObject(failure);
  const closed = (await erasures.get(tenancy, lead.id))!;
  expect(closed).toMatchObject({ state: 'apagado', nextCheckAt: NOW + 2 });
  expect(await getRow(keys.leadKey(tenancy, lead.id))).not.toHaveProperty('sealed');
  await erasures.erase(closed);
  expect(await details()).toEqual(Array.from({ length: attempts }, () => ''));
});

it('the second pass deletes a text that a worker of an earlier release has stored after the first pass', async () => {
  const { erasure, store, details } = await failedEvent();
  const closed = await erasures.close(erasure, NO_PASS, NOW + 2);
  await store(2);
  expect(await details()).toEqual(['Marina', 'Marina']);
  await erasures.erase(closed);
  expect(await details()).toEqual(['', '']);
});

it('begin stores nothing if the CPF of the caller no longer leads to the lead', async () => {
  const erasure = beginErasure({ ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id }, NOW, NOW);
  const corrected = await correctLead(tenancy, lead.id, { cpf: '90000000680' as Cpf }, () => NOW);
  expect(corrected).toEqual({ fields: ['cpf'] });
  await expect(erasures.begin(erasure, lead.cpf)).rejects.toThrow('was changed meanwhile: look at the lead again');
  expect(await erasures.get(tenancy, lead.id)).toBeUndefined();
  expect(await erasures.begin(erasure, '90000000680' as Cpf)).toEqual(erasure);
  // An erasure that was begun is continued, whatever the CPF: its pass deletes the row of the CPF.
  expect(await erasures.begin(erasure, lead.cpf)).toEqual(erasure);
});

it('erase deletes 26 forms with spouses while the service holds three index keys', async () => {
  setServiceKeys(peers.secrets, { keys: withIndexKey(withIndexKey(newKeys(), 1), 2) });
  lead = await createLead(leads, tenancy);
  for (let form = 0; form < 26; form++) {
    const draft = makeSubmissionDraft(tenancy, lead, {
      banks: ['itau'],
      form: { nome: lead.name, cpf: lead.cpf, conjuge_cpf: '90000000418' },
    });
    await analyses.claim(draft, await newKey(tenancy, NOW));
  }
  const { erasure } = await erasures.erase(await begun());
  expect(erasure.forms).toBe(26);
  setServiceKeys(peers.secrets);
});

describe('eraseSpouse', () => {
  const cpf = '90000000418' as Cpf;
  const spouse = { conjuge_nome: 'Caio Prado Dias', conjuge_cpf: cpf, conjuge_renda: 4_000 };
  const records = new TablePersonalRecords(() => NOW);

  async function submitted(changes: Partial<AnalysisForm> = {}) {
    const form = { nome: lead.name, cpf: lead.cpf, ...spouse, ...changes } as AnalysisForm;
    const claimed = await analyses.claim(makeSubmissionDraft(tenancy, lead, { form }), await newKey(tenancy, NOW));
    if (typeof claimed === 'string' || !('done' in claimed)) throw new Error('nothing was claimed');
    const { submissionId } = claimed.done[0]!;
    return { own: claimed.done, subject: { ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id, submissionId } };
  }
  const decided = async (own: readonly Analysis[]) => {
    for (const before of own) await ended(before);
  };
  const forms = async () => (await records.of(tenancy, lead.id))?.page.forms;
  const erased = (subject: SpouseSubject) =>
    eraseSpouse([subject], { erasures, ledger: new TableErasureLedger(), clock: () => NOW });

  it('spouseByCpf finds a spouse only inside the unit, and ofSpouse returns only the spouse’s own fields', async () => {
    const { own, subject } = await submitted();
    await submitted({ conjuge_cpf: '90000000507' });
    const named = await records.spouseByCpf(tenancy, cpf);
    expect(named).toEqual([{ leadId: lead.id, submissionId: subject.submissionId }]);
    expect(await records.spouseByCpf(newTenancy(), cpf)).toEqual([]);
    const { page, next } = await records.ofSpouse(tenancy, named);
    expect(page).toEqual([{ form: spouse, analyses: expect.arrayContaining([...own]) }]);
    expect(next).toBeUndefined();
  });

  it('eraseSpouse leaves the attributes of a form’s row that another writer owns as they are', async () => {
    const { own, subject } = await submitted();
    const Key = keys.formKey(tenancy, subject.submissionId);
    const mark = (value: number) =>
      updateRow({ Key, UpdateExpression: 'SET foreignMark = :value', ExpressionAttributeValues: { ':value': value } });
    interceptTable();
    const marking = () => meanwhile('table TransactWriteItemsCommand', () => mark(1));
    await intercepted(marking(), () => erased(subject));
    expect(await getRow(Key)).toMatchObject({ foreignMark: 1, requestedAt: NOW });
    await decided(own);
    await mark(0);
    await intercepted(marking(), () => erased(subject));
    expect(await getRow(Key)).toMatchObject({ foreignMark: 1 });
    expect(await forms()).toEqual([{ nome: lead.name, cpf: lead.cpf }]);
  });

  it('eraseSpouse deletes only the spouse’s fields, once no analysis of the form is pending', async () => {
    const { own, subject } = await submitted();
    const other = await submitted({ conjuge_nome: 'Outra Pessoa', conjuge_cpf: '90000000507' });
    expect(await erased(subject)).toMatchObject({ state: 'aguardando', pending: 2, nextCheckAt: NOW + ERASURE_RETRY });
    expect((await erasures.due(NOW + ERASURE_RETRY + 1)).items).toContainEqual(subject);
    expect(await forms()).toContainEqual(expect.objectContaining(spouse));
    await decided(own);
    expect(await erased(subject)).toMatchObject({
      state: 'apagado',
      requestedAt: NOW,
      passes: [{ forms: 1, analyses: 2 }],
    });
    expect((await erasures.due(NOW + ERASURE_RETRY + 1)).items).not.toContainEqual(subject);
    expect(await records.spouseByCpf(tenancy, cpf)).toEqual([]);
    const left = { nome: lead.name, cpf: lead.cpf };
    expect(await forms()).toEqual(
      expect.arrayContaining([left, expect.objectContaining({ conjuge_nome: 'Outra Pessoa' })]),
    );
    expect(await records.spouseByCpf(tenancy, '90000000507' as Cpf)).toHaveLength(1);
    expect(other.subject.leadId).toBe((await leads.get(tenancy, lead.id))?.id);
    expect(await erased(subject)).toBeUndefined();
  });

  it.each([
    ['while an analysis is pending', false],
    ['once no analysis is pending', true],
  ])('eraseSpouse %s reads the form again if it was written since the read', async (_, isDecided) => {
    const { own, subject } = await submitted();
    if (isDecided) await decided(own);
    const key = keys.formKey(tenancy, subject.submissionId);
    // A new seal of the same form, as rewrite-rows writes it. A changed field shows which of the two forms is kept.
    const writeForm = async () =>
      putRow({ Item: { ...(await getRow(key)), sealed: await encrypt(key, { ...spouse, nome: 'Marina Prado' }) } });
    const interception = meanwhile('table TransactWriteItemsCommand', writeForm);
    const erasure = await intercepted(interception, () => erased(subject));
    expect(erasure?.state).toBe(isDecided ? 'apagado' : 'aguardando');
    expect(interception.calls).toBe(2);
    expect(await forms()).toEqual([isDecided ? { nome: 'Marina Prado' } : { ...spouse, nome: 'Marina Prado' }]);
  });

  it('a form row that is put back after the erasure of its spouse does not open, for no reader', async () => {
    const { own, subject } = await submitted();
    const Key = keys.formKey(tenancy, subject.submissionId);
    const before = (await getRow(Key))!;
    await decided(own);
    await erased(subject);
    await writeRows([before]);
    const refusal = `the form of submission ${subject.submissionId} names a spouse who was erased`;
    await expect(analyses.form(tenancy, subject.submissionId)).rejects.toThrow(refusal);
    await expect(forms()).rejects.toThrow(refusal);
    // Only the sealed part is put back: the row itself is the present one.
    await putRow({ Item: { ...(await getRow(Key)), sealed: before['sealed'] } });
    await expect(forms()).rejects.toThrow(refusal);
  });

  it('formOf reads a form again if its spouse is erased between its two reads', async () => {
    const { own, subject } = await submitted();
    await decided(own);
    const erasure = meanwhile('table GetItemCommand', () => erased(subject), { at: 2 });
    const form = await intercepted(erasure, () => analyses.form(tenancy, subject.submissionId));
    expect(form).toEqual({ nome: lead.name, cpf: lead.cpf });
    expect(erasure.calls).toBe(3);
  });

  it('a form row that is put back after the erasure of its holder is not exported', async () => {
    const { own, subject } = await submitted({ conjuge_nome: '', conjuge_cpf: undefined });
    const before = (await getRow(keys.formKey(tenancy, subject.submissionId)))!;
    await decided(own);
    await erasures.erase(await erasures.mark(await begun(), NOW + 1));
    await writeRows([before]);
    expect(await forms()).toEqual([]);
  });

  it('applyLedger erases a spouse again in a restored table', async () => {
    const { own, subject } = await submitted();
    await decided(own);
    const before = (await getRow(keys.formKey(tenancy, subject.submissionId)))!;
    await erased(subject);
    await writeRows([before]);
    const page = async () => ({ items: [subject], unreadable: 0, next: undefined });
    const ledger = Object.assign(new TableErasureLedger(), { page });
    const { erasures: again } = await applyLedger({ erasures, ledger, clock: () => NOW });
    expect(again).toHaveLength(1);
    expect(await forms()).toEqual([{ nome: lead.name, cpf: lead.cpf }]);
    const { Items = [] } = await scanRows({}, erasureLedgerName());
    expect(Items).toContainEqual(expect.objectContaining({ submissionId: subject.submissionId, requestedAt: NOW }));
  });

  it('the holder’s erasure deletes the form and the row that leads to it from the spouse', async () => {
    const { own } = await submitted();
    await decided(own);
    const { erasure } = await erasures.erase(await erasures.mark(await begun(), NOW + 1));
    expect(erasure.forms).toBe(1);
    expect(await records.spouseByCpf(tenancy, cpf)).toEqual([]);
  });
});

describe('erasures with a row that cannot be read', () => {
  const others = () => ({ ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id });
  const failed = () => peers.metrics.filter((line) => line['ErasuresFailed'] === 1).length;

  it('due returns the other erasures and counts a row that cannot be read', async () => {
    await begun();
    const [broken, before] = [newTenancy(), failed()];
    await writeRows([
      { ...keys.erasureKey(broken, lead.id), ...keys.erasureDue(broken, lead.id, 1), unitId: 'sete', v: 1 },
    ]);
    expect((await erasures.due(NOW + 1)).items).toContainEqual(others());
    expect(failed()).toBe(before + 1);
  });

  it('applyLedger erases the readable entries and counts an entry that cannot be read', async () => {
    await clearLedger();
    const before = failed();
    await new TableErasureLedger().add(others(), NOW);
    await putRow({ Item: { pk: '7#producao#5', unitId: 'sete', v: 1 } }, erasureLedgerName());
    const report = await applyLedger({ erasures, ledger: new TableErasureLedger(), clock });
    expect(report).toMatchObject({ entries: 2, unreadable: 1, failed: [], erasures: [{ leadId: lead.id }] });
    expect(failed()).toBe(before + 1);
  });
});
