import { beforeAll, describe, expect, it } from 'vitest';
import { SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import { type Cpf, formatCpf } from '#shared/domain/values/cpf.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { centavos } from '#shared/domain/values/money.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { eventIdOf, isWithoutTexts } from '#shared/domain/webhooks/delivery.ts';
import { cpfRow, leadByCpf } from '#shared/table/rows/cpf-row.ts';
import { deliveriesOfAnalysis } from '#shared/table/webhooks/replays.ts';
import * as wiring from '#shared/wiring.ts';
import { administration, because, everyPage } from '#test/makers/administration.ts';
import { api } from '#test/makers/api.ts';
import { bookAnalysis, bookDeliveries } from '#test/makers/booked.ts';
import { failed, makeDelivery } from '#test/makers/delivery.ts';
import { type MadePartner, makePartner, usePeers } from '#test/makers/peers.ts';
import { analysisBody, cpfFrom } from '#test/makers/people.ts';
import { rowsOf, writeRows } from '#test/makers/rows.ts';
import { setServiceKeys } from '#test/makers/service-keys.ts';

const peers = usePeers();
let made: MadePartner;
beforeAll(async () => {
  made = await makePartner();
});

let people = 0;

/** Returns a person with a lead at a partner. */
async function known(environment: Environment = 'producao', cpf = cpfFrom(++people) as Cpf, partner = made) {
  const tenancy = { unitId: partner.unitId, environment };
  const draft = { name: 'Marina Duarte Alves', cpf, income: centavos(1_800_050) };
  const once = await wiring.leads().createOrReuse(tenancy, draft, (id) => ({ status: 201, body: String(id) }));
  if (!('done' in once)) throw new Error('nothing was created');
  const lead_id = Number(once.done.body) as LeadId;
  return { tenancy, cpf, place: { partner_id: partner.partnerId, unit_id: partner.unitId, environment, lead_id } };
}

const ISO_MOMENT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
const NOT_OF_THE_LEAD = [{ field: 'cpf', reason: expect.stringContaining('does not lead to this lead') }];

const audit = async () =>
  (await administration('list-audit', { query: { partner_id: made.partnerId } })).body.entries as {
    action: string;
    outcome: string;
    target: Record<string, unknown>;
  }[];

const pseudonym = (cpf: string) => wiring.personalRecords().pseudonym(cpf as Cpf);

it('find-leads finds a CPF everywhere, or only where the call says; the audit never has the CPF', async () => {
  const other = await makePartner();
  const here = await known();
  const there = await known('sandbox', here.cpf, other);
  const find = async (body: object) => {
    const pages = await everyPage('find-leads', { body: { cpf: here.cpf, ...body, ...because } });
    for (const { done, total } of pages) expect(done).toBeLessThanOrEqual(total);
    return pages.flatMap(({ found }) => found);
  };
  expect(await find({})).toEqual(
    expect.arrayContaining([here, there].map(({ place }) => ({ ...place, role: 'holder' }))),
  );
  expect(await find({ partner_id: made.partnerId })).toEqual([{ ...here.place, role: 'holder' }]);
  expect(await find({ partner_id: made.partnerId, environment: 'sandbox' })).toEqual([]);
  const unit = await administration('find-leads', { body: { cpf: here.cpf, unit_id: made.unitId, ...because } });
  expect(unit.body.code).toBe('field_invalid');
  const rows = await audit();
  const hash = await pseudonym(here.cpf);
  expect(rows[0]).toMatchObject({ action: 'find-leads', target: { cpf: hash, found: 0 } });
  expect(rows[1]).toMatchObject({ target: { cpf: hash, found: 1, leads: String(here.place.lead_id) } });
  const { body } = await administration('list-audit', { query: { service: 'true' } });
  expect(body.entries[0]).toMatchObject({ action: 'find-leads', target: { cpf: hash, found: 2 } });
  expect(JSON.stringify([rows, body])).not.toContain(here.cpf);
});

it('export-lead returns why each bank refused a simulation, also if every bank refused', async () => {
  const { place, cpf } = await known();
  const call = { key: made.keys.producao, headers: { 'idempotency-key': 'refused' } };
  const asked = {
    lead_id: place.lead_id,
    valor_imovel: 500_000,
    prazo: 420,
    finalidade: 'comercial',
    bancos: ['itau'],
  };
  const { resultado } = (await api('createSimulation', { ...call, body: asked })).body;
  expect(resultado.sucesso).toBe(false);
  const [{ motivos, sistema_amortizacao }] = resultado.resultados;
  const { person } = (await administration('export-lead', { body: { ...place, ...because } })).body;
  expect(person.simulacoes).toEqual([]);
  expect(person.simulacoes_recusadas).toEqual([
    {
      id_oportunidade: resultado.id_oportunidade,
      data: ISO_MOMENT,
      banco: 'itau',
      sistema_amortizacao,
      motivos,
      cliente: { nome: 'Marina Duarte Alves', cpf: formatCpf(cpf), data_nascimento: null },
    },
  ]);
});

it('export-lead returns all data of a lead, in reais, ISO dates and Portuguese names', async () => {
  const { place, cpf } = await known();
  const { lead_id } = place;
  const call = { key: made.keys.producao, headers: { 'idempotency-key': 'exported' } };
  const asked = { lead_id, valor_imovel: 500_000, valor_financiado: 350_000, bancos: ['inter'] };
  await api('createSimulation', { ...call, body: asked });
  const { body } = await api('submitAnalyses', { ...call, body: analysisBody(lead_id, { cpf, bancos: ['itau'] }) });
  const [{ analise_id }] = body.analises;
  const { person } = (await administration('export-lead', { body: { ...place, ...because } })).body;
  expect(person).toMatchObject({
    parceiro: place.partner_id,
    lead: { lead_id, nome: 'Marina Duarte Alves', cpf: formatCpf(cpf), renda: 18_000.5, criado_em: ISO_MOMENT },
    simulacoes: [{ banco: 'inter', data: ISO_MOMENT, valores: { imovel: 500_000, financiado: 350_000 } }],
    analises: [{ analise_id, submetida_em: ISO_MOMENT }],
    formularios: [{ nome_mae: expect.any(String) }],
    consentimentos: [{ ip: '177.45.10.20', canal: 'web', bancos: ['itau'], timestamp: expect.any(String) }],
  });
  const raw = (await administration('export-lead', { body: { ...place, raw: true, ...because } })).body.person;
  expect(raw).toMatchObject({ lead: { income: 1_800_050 }, opportunities: [{ leadId: lead_id }], forms: [{}] });
});

it("a spouse is found, exported and erased by the spouse's own CPF, and the holder stays", async () => {
  const { place, cpf } = await known();
  const spouse = cpfFrom(++people) as Cpf;
  const fields = { conjuge_nome: 'Caio Prado Dias', conjuge_cpf: spouse, conjuge_data_nascimento: '1986-02-03' };
  const form = analysisBody(place.lead_id, { cpf, estado_civil: 'casado', ...fields });
  await api('submitAnalyses', { key: made.keys.producao, headers: { 'idempotency-key': 'couple' }, body: form });
  const search = { cpf: spouse, partner_id: made.partnerId, ...because };
  const find = async () => (await administration('find-leads', { body: search })).body.found;
  expect(await find()).toEqual([{ ...place, role: 'spouse' }]);

  const asked = { ...place, role: 'spouse', cpf: spouse, ...because };
  for (const wrong of [cpf, undefined])
    for (const operation of ['export-lead', 'erase-lead'] as const) {
      const body = { ...asked, cpf: wrong, ...(operation === 'erase-lead' && { confirm: String(place.lead_id) }) };
      expect((await administration(operation, { body })).body.fields).toEqual(NOT_OF_THE_LEAD);
    }
  const attempts = ['erase-lead', 'export-lead', 'erase-lead', 'export-lead'];
  expect((await audit()).slice(0, 4)).toMatchObject(attempts.map((action) => ({ action, outcome: 'failed' })));
  const { person } = (await administration('export-lead', { body: asked })).body;
  const { partner_id: parceiro, unit_id: unidade, environment: ambiente } = place;
  const formularios = [{ ...fields, submetida_em: ISO_MOMENT, bancos: ['itau'] }];
  expect(person).toEqual({ parceiro, unidade, ambiente, formularios });
  expect((await audit())[0]).toMatchObject({ action: 'export-lead', target: { role: 'spouse' } });

  const erase = (body: object) => administration('erase-lead', { body: { ...asked, ...body } });
  // The preview reveals less than the change: not whose spouse somebody is. Both CPFs get the same answer.
  for (const looked of [spouse, cpfFrom(++people)])
    expect((await erase({ dry_run: true, cpf: looked })).body).toMatchObject({ known: true, erasure: null });
  expect((await erase({ confirm: String(place.lead_id) })).body.erasure).toMatchObject({
    state: 'aguardando',
    pending: 1,
  });
  expect((await find()).length).toBe(1);
});

describe('correct-lead', () => {
  const correct = (body: object) => administration('correct-lead', { body: { ...because, ...body } });
  const create = async (cpf: Cpf) => {
    const body = { nome: 'Marina Duarte Alves', cpf };
    return (await api('createLead', { key: made.keys.producao, body })).body.lead_id;
  };

  it('correct-lead changes CPF and birth date, keeps all rows of the lead, and audits no value', async () => {
    const [{ place, cpf, tenancy }, right] = [await known(), cpfFrom(++people) as Cpf];
    const key = made.keys.producao;
    const asked = { lead_id: place.lead_id, valor_imovel: 500_000, valor_financiado: 350_000, bancos: ['inter'] };
    await api('createSimulation', { key, headers: { 'idempotency-key': 'corrected' }, body: asked });
    const body = { ...place, cpf: right, birth_date: '1980-02-29' };
    expect((await correct(body)).body.corrected).toEqual(['cpf', 'birth_date']);
    expect((await audit())[0]).toMatchObject({
      ...{ action: 'correct-lead', outcome: 'done' },
      target: { lead: place.lead_id, corrected: 'cpf,birth_date', cpf: await pseudonym(right) },
    });
    expect(JSON.stringify((await audit())[0])).not.toMatch(new RegExp(`${right}|${cpf}|\\b1980\\b`));
    expect((await correct(body)).body.corrected).toEqual([]);
    const { person } = (await administration('export-lead', { body: { ...place, cpf: right, ...because } })).body;
    expect(person.lead).toMatchObject({ cpf: formatCpf(right), data_nascimento: '1980-02-29' });
    expect(person.simulacoes).toHaveLength(1);
    expect(await leadByCpf(tenancy, cpf)).toBeUndefined();
    expect(await create(right)).toBe(place.lead_id);
    const since = await create(cpf);
    expect(since).toEqual(expect.any(Number));
    expect(since).not.toBe(place.lead_id);
  });

  it.each(['cpf_known', 'pending', 'erasing', 'no_lead', 'future', 'none'])(
    'correct-lead is refused for the reason %s',
    async (why) => {
      const [{ place, cpf, tenancy }, other] = [await known(), await known()];
      let body: object = { ...place, cpf: cpfFrom(++people) };
      if (why === 'cpf_known') body = { ...place, cpf: other.cpf };
      if (why === 'no_lead') body = { ...place, lead_id: 5, birth_date: '1980-02-29' };
      if (why === 'future') body = { ...place, birth_date: '2999-01-01' };
      if (why === 'none') body = place;
      const asked = { key: made.keys.producao, headers: { 'idempotency-key': why } };
      if (why === 'pending')
        await api('submitAnalyses', { ...asked, body: analysisBody(place.lead_id, { cpf, bancos: ['itau'] }) });
      const erasure = {
        ...{ partnerId: made.partnerId, ...tenancy, leadId: place.lead_id },
        state: 'aguardando',
      } as const;
      const counts = {
        revision: 1,
        requestedAt: 1,
        opportunities: 0,
        forms: 0,
        pending: 1,
        passes: [],
        nextCheckAt: 1,
      };
      if (why === 'erasing') await wiring.erasures().begin({ ...erasure, ...counts });
      const answer = await correct(body);
      const codes: Record<string, string> = { no_lead: 'not_found', future: 'field_invalid', none: 'field_invalid' };
      expect(answer.body.code).toBe(codes[why] ?? 'refused');
      expect(await leadByCpf(tenancy, cpf)).toBe(place.lead_id);
    },
  );
});

describe('withdraw-lead-consent', () => {
  const withdraw = (body: object) => administration('withdraw-lead-consent', { body: { ...because, ...body } });
  const told = { withdrawn_at: '2026-11-20T09:00:00-03:00', channel: 'e-mail' };

  it('withdraw-lead-consent ends the consents up to the moment, and the next submission needs a newer one', async () => {
    const { place, cpf } = await known();
    const submit = (key: string) => {
      const body = analysisBody(place.lead_id, { cpf, bancos: ['itau'] });
      return api('submitAnalyses', { key: made.keys.producao, headers: { 'idempotency-key': key }, body });
    };
    const [{ analise_id }] = (await submit('withdrawn')).body.analises;
    const withdrawn_at = new Date().toISOString();
    const sure = { ...place, withdrawn_at, channel: 'e-mail', confirm: String(place.lead_id) };
    const { status, body } = await withdraw(sure);
    expect(status).toBe(200);
    expect(body).toMatchObject({ withdrawn_at, channel: 'e-mail', is_new: true });
    expect(body.analyses).toEqual([{ analysis_id: analise_id, bank: 'itau', is_sent: expect.any(Boolean) }]);
    const refused = await submit('after the withdrawal');
    expect(refused.status).toBe(422);
    expect(refused.body.codigo).toBe('consentimento_ausente');

    const call = { key: made.keys.producao, id: place.lead_id };
    const shown = (await api('listLeadConsents', call)).body.revogacoes;
    expect(shown).toMatchObject([{ id: body.withdrawal_id, revogado_em: withdrawn_at, canal: 'e-mail' }]);
    const { person } = (await administration('export-lead', { body: { ...place, ...because } })).body;
    expect(person.revogacoes).toEqual(shown);
    const [row] = (await audit()).filter(({ action }) => action === 'withdraw-lead-consent');
    expect(row).toMatchObject({ outcome: 'done', target: { lead: place.lead_id, withdrawal: body.withdrawal_id } });
  });

  it('a repeated withdraw-lead-consent returns the withdrawal that was recorded first', async () => {
    const { place } = await known();
    const sure = { ...place, ...told, confirm: String(place.lead_id) };
    const first = (await withdraw(sure)).body;
    expect(first.is_new).toBe(true);
    const again = (await withdraw({ ...sure, channel: 'carta' })).body;
    expect(again).toEqual({ ...first, is_new: false });
  });

  it('withdraw-lead-consent refuses a moment in the future, and names the field', async () => {
    const { place } = await known();
    const future = { ...place, ...told, withdrawn_at: '2999-01-01T00:00:00Z', confirm: String(place.lead_id) };
    const { status, body } = await withdraw(future);
    expect(status).toBe(400);
    expect(body.fields).toEqual([{ field: 'withdrawn_at', reason: 'lies in the future' }]);
  });

  it.each([
    ['one letter', 'x', 'has at least two letters: web, letter, telephone'],
    ['a CPF', 'letter of 529.982.247-25', expect.stringContaining('is kept for good')],
    ['a telephone number', 'whatsapp 11 98888-7777', expect.stringContaining('is kept for good')],
    ['an e-mail address', 'maria@example.com', expect.stringContaining('is kept for good')],
  ])('withdraw-lead-consent refuses a channel that is %s, because nobody can erase it', async (_, channel, reason) => {
    const { place } = await known();
    const { status, body } = await withdraw({ ...place, ...told, channel, confirm: String(place.lead_id) });
    expect(status).toBe(400);
    expect(body.fields).toEqual([{ field: 'channel', reason }]);
  });

  it('withdraw-lead-consent answers 404 for an unknown lead', async () => {
    const { place } = await known();
    const { status, body } = await withdraw({ ...place, ...told, lead_id: 5, confirm: '5' });
    expect(status).toBe(404);
    expect(body.code).toBe('not_found');
  });
});

describe('a lead that is named with the CPF of another person', () => {
  it('export-lead refuses a lead that is named with the CPF of another person, and audits the attempt', async () => {
    const [{ place, cpf }, other] = [await known(), await known()];
    const stranger = cpfFrom(++people);
    const before = await audit();
    for (const wrong of [other.cpf, stranger]) {
      const answer = await administration('export-lead', { body: { ...place, cpf: wrong, ...because } });
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe('field_invalid');
      expect(answer.body.fields).toEqual(NOT_OF_THE_LEAD);
    }
    expect((await administration('export-lead', { body: { ...place, cpf, ...because } })).status).toBe(200);
    const rows = (await Promise.all([cpf, stranger, other.cpf].map(pseudonym))).map((hash, tried) => ({
      ...{ target: { lead: place.lead_id, cpf: hash }, outcome: tried ? 'failed' : 'done' },
    }));
    expect(await audit()).toMatchObject([...rows, ...before]);
  });

  it('export-lead returns no data of a person to whom the changed row of another CPF leads', async () => {
    const [one, other] = [await known(), await known()];
    const { key, indexedBy } = (await cpfRow(one.tenancy, one.cpf)).here;
    await writeRows([{ ...key, leadId: other.place.lead_id, indexedBy, v: 1 }]);
    const { body, text } = await administration('export-lead', {
      body: { ...other.place, cpf: one.cpf, ...because },
    });
    expect(body.fields).toEqual(NOT_OF_THE_LEAD);
    expect(text).not.toContain('Marina');
  });

  it('export-lead returns no data of a spouse to whom the changed row of another CPF leads', async () => {
    const couple = async (name: string) => {
      const { place, cpf } = await known();
      const spouse = cpfFrom(++people) as Cpf;
      const fields = { conjuge_nome: name, conjuge_cpf: spouse, conjuge_data_nascimento: '1986-02-03' };
      const body = analysisBody(place.lead_id, { cpf, estado_civil: 'casado', ...fields });
      await api('submitAnalyses', { key: made.keys.producao, headers: { 'idempotency-key': spouse }, body });
      const row = (await rowsOf('SPOUSE#')).find(({ leadId }) => leadId === place.lead_id);
      return { place, spouse, row };
    };
    const [one, other] = [await couple('Caio Prado Dias'), await couple('Paulo Rocha Lima')];
    await writeRows([{ ...other.row, pk: one.row?.['pk'] }]);
    const asked = { ...other.place, role: 'spouse', cpf: one.spouse, ...because };
    const { body, text } = await administration('export-lead', { body: asked });
    expect(body.fields).toEqual(NOT_OF_THE_LEAD);
    expect(text).not.toContain('Paulo');
  });

  it('erase-lead refuses and audits the CPF of another person, also while an erasure waits', async () => {
    const [{ place, tenancy, cpf }, other] = [await known(), await known()];
    const erase = (of: Cpf) =>
      administration('erase-lead', { body: { ...place, cpf: of, confirm: String(place.lead_id), ...because } });
    const before = await audit();
    expect((await erase(other.cpf)).body.fields).toEqual(NOT_OF_THE_LEAD);
    await wiring.erasures().begin({
      ...{ partnerId: made.partnerId, ...tenancy, leadId: place.lead_id, state: 'aguardando', revision: 1 },
      ...{ requestedAt: Date.now(), opportunities: 0, forms: 0, pending: 1, passes: [], nextCheckAt: Date.now() },
    });
    expect((await erase(other.cpf)).body.fields).toEqual(NOT_OF_THE_LEAD);
    const hash = await pseudonym(other.cpf);
    const attempt = { action: 'erase-lead', target: { lead: place.lead_id, cpf: hash }, outcome: 'failed' };
    expect(await audit()).toMatchObject([attempt, attempt, ...before]);
    expect((await erase(cpf)).body.erasure.state).toBe('apagado');
  });
});

it('erase-lead leaves other units, other environments and other people untouched', async () => {
  const { place, tenancy, cpf } = await known();
  const left = [await known('producao', cpf, await makePartner()), await known('sandbox', cpf), await known()];
  await administration('erase-lead', { body: { ...place, confirm: String(place.lead_id), ...because } });
  expect(await leadByCpf(tenancy, cpf)).toBeUndefined();
  for (const one of left) expect(await leadByCpf(one.tenancy, one.cpf)).toBe(one.place.lead_id);
});

it('show-analysis finds an ended analysis by its number and its partner also after the person was erased', async () => {
  const { place } = await known();
  const { partner_id: partnerId, unit_id: unitId, environment, lead_id: leadId } = place;
  const ended = { situation: 'recusado', queryNumber: 'IT-9' } as const;
  const { id } = await bookAnalysis({ partnerId, unitId, environment, leadId, ...ended });
  await administration('erase-lead', { body: { ...place, confirm: String(leadId), ...because } });
  const query = { partner_id: partnerId };
  const { body } = await administration('show-analysis', { params: { analysis_id: id }, query });
  expect(body.analysis).toMatchObject({ unit_id: unitId, environment, lead_id: leadId, situation: 'recusado' });
});

it('erase-lead deletes the texts with which a receiver answered failed deliveries about the person', async () => {
  const { place, tenancy } = await known();
  const { partner_id: partnerId, unit_id: unitId, environment, lead_id: leadId } = place;
  const { id } = await bookAnalysis({ partnerId, unitId, environment, leadId, situation: 'recusado' });
  const eventId = eventIdOf(tenancy, id, 'analise.resultado', 1);
  const history = [{ number: 1, at: Date.now(), result: failed }];
  await bookDeliveries([makeDelivery({ ...tenancy, partnerId, analysisId: id, eventId, attempts: 1, history })]);
  await administration('erase-lead', { body: { ...place, confirm: String(leadId), ...because } });
  const [event, ...others] = await deliveriesOfAnalysis(tenancy, id);
  expect(others).toEqual([]);
  expect(isWithoutTexts(event!)).toBe(true);
});

it('erase-lead has a preview, is confirmed by the lead id, and returns the same erasure if it is repeated', async () => {
  const { place, cpf, tenancy } = await known();
  const erase = (body: object) => administration('erase-lead', { body: { ...place, ...because, ...body } });
  expect((await erase({ dry_run: true })).body).toMatchObject({ known: true, erasure: null });
  expect((await erase({ dry_run: true, lead_id: 5 })).body).toMatchObject({ known: false, erasure: null });
  expect(await leadByCpf(tenancy, cpf)).toBe(place.lead_id);

  const sure = { ...because, confirm: String(place.lead_id), cpf };
  const { erasure } = (await erase(sure)).body;
  expect(erasure).toMatchObject({ ...place, state: 'apagado', pending: 0, passes: [{ opportunities: 0 }] });
  expect(Date.parse(erasure.next_check_at) - Date.parse(erasure.passes[0].at)).toBe(SECOND_PASS_AFTER);
  expect(await leadByCpf(tenancy, cpf)).toBeUndefined();
  expect((await erase(sure)).body.erasure).toEqual(erasure);
  expect((await erase({ dry_run: true })).body.erasure).toEqual(erasure);
  const [look, row] = await audit();
  expect(look).toMatchObject({ action: 'erase-lead', outcome: 'done', target: { dry_run: true } });
  expect(row).toMatchObject({ action: 'erase-lead', outcome: 'done', target: { state: 'apagado', pending: 0 } });
  expect(JSON.stringify(row)).not.toContain(cpf);
});

describe('a wrong guess about a person', () => {
  /** Ways to ask about somebody: the operation, and fields that it needs in addition. */
  const WAYS = [
    ['export-lead', {}],
    ['export-lead', { role: 'spouse' }],
    ['correct-lead', {}],
    ['erase-lead', {}],
    ['erase-lead', { role: 'spouse' }],
    ['erase-lead', { dry_run: true }],
    ['erase-lead', { role: 'spouse', dry_run: true }],
  ] as const;

  it.each(WAYS)(
    'each wrong guess by %s %j leaves an audit row with the keyed hash of the CPF',
    async (name, fields) => {
      const [one, other] = [await known(), await known()];
      const guesses = [
        { lead_id: one.place.lead_id, cpf: other.cpf },
        { lead_id: 5, cpf: one.cpf },
        { lead_id: 6, cpf: cpfFrom(++people) },
      ];
      for (const guess of guesses) {
        const confirm = name === 'erase-lead' ? { confirm: String(guess.lead_id) } : {};
        await administration(name, { body: { ...one.place, ...guess, ...fields, ...confirm, ...because } });
      }
      const rows = (await audit()).slice(0, guesses.length).reverse();
      const hashes = await Promise.all(guesses.map(({ cpf }) => pseudonym(cpf)));
      expect(rows).toMatchObject(
        guesses.map(({ lead_id }, index) => ({ action: name, target: { lead: lead_id, cpf: hashes[index] } })),
      );
    },
  );

  it.each(['holder', 'spouse'])(
    'the preview of the erasure of a %s answers the same for the right, a wrong and an unknown CPF',
    async (role) => {
      const [one, other] = [await known(), await known()];
      const preview = async (cpf: Cpf) => {
        const { status, body } = await administration('erase-lead', {
          body: { ...one.place, cpf, role, dry_run: true, ...because },
        });
        return { status, body };
      };
      const right = await preview(one.cpf);
      expect(right).toMatchObject({ status: 200, body: { known: true, erasure: null } });
      expect(await preview(other.cpf)).toEqual(right);
      expect(await preview(cpfFrom(++people) as Cpf)).toEqual(right);
    },
  );

  it('the keyed hash of a CPF is another one under another index key, so that rows of both cannot be compared', async () => {
    const cpf = cpfFrom(++people);
    const [before, again] = [await pseudonym(cpf), await pseudonym(cpf)];
    expect(again).toBe(before);
    setServiceKeys(peers.secrets);
    expect(await pseudonym(cpf)).not.toBe(before);
  });
});
