import { afterEach, beforeAll, expect, it } from 'vitest';
import { joinPages } from '#shared/administration/leads.ts';
import { type Cpf, formatCpf } from '#shared/domain/values/cpf.ts';
import {
  drawOpportunityId,
  idOf,
  type LeadId,
  type OpportunityId,
  opportunityOf,
  type SubmissionId,
} from '#shared/domain/values/ids.ts';
import { PAGE } from '#shared/table/rows/client.ts';
import { encrypt } from '#shared/table/rows/encryption.ts';
import { analysisListKey, formKey, leadOpportunityKey, opportunityKey } from '#shared/table/rows/keys.ts';
import { administration, because, CALLER } from '#test/makers/administration.ts';
import { api } from '#test/makers/api.ts';
import { type MadePartner, makePartner, usePeers } from '#test/makers/peers.ts';
import { analysisBody, cpfFrom, leadBody } from '#test/makers/people.ts';
import { rowsOf, writeRows } from '#test/makers/rows.ts';
import { makeOffer, makeOpportunity } from '#test/makers/simulation.ts';

const OTHER = CALLER.replace('ana.lima', 'bia.reis');
const NOW = Date.parse('2026-11-21T12:00:00Z');
const TOKEN = 'the-token-of-the-export';

usePeers();
let made: MadePartner;
beforeAll(async () => {
  made = await makePartner();
});
afterEach(() => {
  process.env['APPROVALS'] = 'off';
});

let people = 0;

/** Returns a person with a lead, and the fields that name the lead in a call. */
async function newLead() {
  const cpf = cpfFrom(++people) as Cpf;
  const { lead_id } = (await api('createLead', { key: made.keys.producao, body: leadBody({ cpf }) })).body;
  const tenancy = { unitId: made.unitId, environment: 'producao' } as const;
  const place = { partner_id: made.partnerId, unit_id: made.unitId, environment: 'producao', lead_id };
  return { cpf, tenancy, leadId: lead_id as LeadId, place };
}
type Lead = Awaited<ReturnType<typeof newLead>>;

/** Offers of two systems at six banks, the most that a call simulates. */
const OFFERS = Array.from({ length: 12 }, () => makeOffer().offer);

/** Stores simulations of a lead, the newest of the moment `newest`. Returns the ids of their opportunities, newest first. */
async function simulate({ cpf, tenancy, leadId }: Lead, count: number, newest = NOW): Promise<OpportunityId[]> {
  const last = drawOpportunityId(newest);
  // The last six bits of an opportunity's id are zero.
  const ids = Array.from({ length: count }, (_, at) => idOf<OpportunityId>(last - 64 * at));
  const { customer, createdAt } = makeOpportunity(makeOffer().offer);
  const rows = ids.map(async (id) => {
    const key = opportunityKey(tenancy, id);
    const sealed = await encrypt(key, { customer: { ...customer, cpf }, offers: OFFERS });
    const listed = { ...leadOpportunityKey(tenancy, leadId, id), offers: OFFERS.length, v: 1 };
    return [{ ...key, id, leadId, createdAt, sealed, v: 1 }, listed];
  });
  await writeRows((await Promise.all(rows)).flat());
  return ids;
}

const exportPage = (lead: Lead, more: object = {}, caller = CALLER) =>
  administration('export-lead', { caller, body: { ...lead.place, ...because, ...more } });

/** Exports a lead. `meanwhile` runs after the first page. Returns the texts of the pages and the whole document. */
async function exported(lead: Lead, more: object = {}, meanwhile: () => Promise<unknown> = async () => undefined) {
  const pages = [await exportPage(lead, more)];
  await meanwhile();
  for (let cursor = pages[0]?.body.next_cursor; cursor; cursor = pages.at(-1)?.body.next_cursor)
    pages.push(await exportPage(lead, { ...more, cursor }));
  for (const { status, text } of pages) expect(status, text).toBe(200);
  return { pages, person: pages.map(({ body }) => body.person).reduce(joinPages) };
}

const MANY = 450;

it.each([false, true])(
  'export-lead gives more simulations than one answer holds, each once, while one is added; raw: %s',
  async (raw) => {
    const lead = await newLead();
    const ids = await simulate(lead, MANY);
    const { pages, person } = await exported(lead, { raw }, () => simulate(lead, 1, NOW + 1000));
    const rows: { id: number }[] = person[raw ? 'opportunities' : 'simulacoes'];
    expect(Array.from(new Set(rows.map(({ id }) => opportunityOf(id))))).toEqual(ids);
    expect(rows).toHaveLength((raw ? 1 : OFFERS.length) * ids.length);
    // A function's answer is JSON, in which the body is one text.
    const sizes = pages.map(({ text }) => Buffer.byteLength(JSON.stringify(text)));
    expect(Math.max(...sizes)).toBeLessThan(5_000_000);
    const whole = sizes.reduce((sum, size) => sum + size);
    expect(whole).toBeGreaterThan(6 * 1024 * 1024);
  },
  120_000,
);

it('export-lead gives a spouse every form that names them, page by page', async () => {
  const lead = await newLead();
  const spouse = cpfFrom(++people) as Cpf;
  const fields = { conjuge_nome: 'Caio Prado Dias', conjuge_cpf: spouse, conjuge_data_nascimento: '1986-02-03' };
  const body = analysisBody(lead.leadId, { cpf: lead.cpf, estado_civil: 'casado', bancos: ['itau'], ...fields });
  await api('submitAnalyses', { key: made.keys.producao, headers: { 'idempotency-key': spouse }, body });
  const [row] = (await rowsOf('SPOUSE#')).filter(({ leadId }) => leadId === lead.leadId);
  const [listed] = (await rowsOf(`LEAD#${made.unitId}#producao#${lead.leadId}`)).filter(
    ({ submissionId }) => submissionId !== undefined,
  );
  const newest = Number(row?.['sk']);
  const [analysis] = (await rowsOf('ANALYSIS#')).filter(({ submissionId }) => submissionId === newest);
  const older = Array.from({ length: PAGE }, (_, at) => idOf<SubmissionId>(newest - at - 1));
  const copies = await Promise.all(
    older.map(async (submissionId) => {
      const key = formKey(lead.tenancy, submissionId);
      const pk = `ANALYSIS#${made.unitId}#producao#${submissionId}`;
      return [
        { ...row, sk: String(submissionId).padStart(16, '0') },
        { ...listed, ...analysisListKey({ ...lead.tenancy, ...lead, submissionId }), submissionId, analyses: {} },
        { ...analysis, pk, id: submissionId, submissionId },
        { ...key, leadId: lead.leadId, expiresAt: row?.['expiresAt'], sealed: await encrypt(key, fields), v: 1 },
      ].map((copy) =>
        'analyses' in copy
          ? { ...copy, analyses: { [submissionId]: { bank: 'itau', situation: 'em_analise' } } }
          : copy,
      );
    }),
  );
  await writeRows(copies.flat());
  const { pages, person } = await exported(lead, { role: 'spouse', cpf: spouse });
  expect(pages).toHaveLength(2);
  expect(person['formularios']).toHaveLength(PAGE + 1);
  expect(person['formularios']).toEqual(Array(PAGE + 1).fill(expect.objectContaining({ conjuge_cpf: spouse })));
});

/** Asks for an export that another person approves. */
async function approvedExport(lead: Lead): Promise<void> {
  process.env['APPROVALS'] = 'required';
  expect((await exportPage(lead, { token: TOKEN })).body.code).toBe('approval_needed');
  const { approvals } = (await administration('list-approvals')).body;
  const asked = approvals.find(({ state }: { state: string }) => state === 'asked');
  expect(asked.fields.map(({ field }: { field: string }) => field)).not.toContain('cursor');
  const { operation, approval_id } = asked;
  const decided = { params: { operation, approval_id }, caller: OTHER, body: because };
  expect((await administration('approve-approval', decided)).status).toBe(200);
}

it('one approval covers all pages of an export with its token, and each page has a row in the audit', async () => {
  const lead = await newLead();
  const ids = await simulate(lead, PAGE + 1);
  await approvedExport(lead);
  const { pages, person } = await exported(lead, { token: TOKEN, raw: false });
  expect(pages).toHaveLength(2);
  expect(person['simulacoes']).toHaveLength(OFFERS.length * ids.length);
  const { approvals } = (await administration('list-approvals')).body;
  expect(approvals.filter(({ state }: { state: string }) => state === 'asked')).toEqual([]);
  const { entries } = (await administration('list-audit', { query: { partner_id: made.partnerId } })).body;
  const { approval_id } = approvals[0];
  const row = { action: 'export-lead', outcome: 'done', target: { lead: lead.leadId, approval: approval_id } };
  expect(entries.slice(0, 2)).toMatchObject([row, row]);
});

it.each<[string, (lead: Lead) => Promise<{ lead?: Lead; more?: object; caller?: string; code: string }>]>([
  ['another lead', async () => ({ lead: await newLead(), code: 'approval_needed' })],
  ['another person', async () => ({ caller: OTHER, code: 'approval_needed' })],
  ['the form in which the service keeps it', async () => ({ more: { raw: true }, code: 'approval_needed' })],
  ['a call without the token', async () => ({ more: { token: undefined }, code: 'approval_used' })],
])('the cursor and the token of an approved export open nothing for %s', async (_, otherCall) => {
  const lead = await newLead();
  await simulate(lead, PAGE + 1);
  await approvedExport(lead);
  const first = await exportPage(lead, { token: TOKEN });
  const cursor = first.body.next_cursor;
  expect(cursor).toEqual(expect.any(String));
  const { lead: other = lead, more, caller, code } = await otherCall(lead);
  const answer = await exportPage(other, { token: TOKEN, cursor, ...more }, caller);
  expect(answer.body.code).toBe(code);
});

it('a cursor of another lead shows only rows of the lead that the call names', async () => {
  const [one, other] = [await newLead(), await newLead()];
  await simulate(one, PAGE + 1);
  const { next_cursor: cursor } = (await exportPage(one)).body;
  await simulate(other, 1);
  const { text, body } = await exportPage(other, { cursor });
  expect(body.person.lead.lead_id).toBe(other.leadId);
  expect(text).not.toContain(formatCpf(one.cpf));
});
