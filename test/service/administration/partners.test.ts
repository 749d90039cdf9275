import { expect, it } from 'vitest';
import { TableApiKeyAuth } from '#shared/table/partners/api-key-auth.ts';
import { administration, because, CALLER } from '#test/makers/administration.ts';
import { api } from '#test/makers/api.ts';
import { captureText, takeCapturedTexts } from '#test/makers/overheard.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { everyRow } from '#test/makers/rows.ts';

usePeers();

const audit = async (partner_id: number) =>
  (await administration('list-audit', { query: { partner_id } })).body.entries as Record<string, unknown>[];

async function createPartner(name = 'Imobiliária Horizonte') {
  const { body } = await administration('create-partner', { body: { name, ...because } });
  return body.partner.partner_id as number;
}

async function createUnit(partner_id: number, name = 'Centro') {
  const { body } = await administration('create-unit', { body: { partner_id, name, ...because } });
  return body.unit.unit_id as number;
}

const admitted = (text: string) =>
  new TableApiKeyAuth(Date.now).authenticate(text).then(
    ({ limit }) => limit,
    () => undefined,
  );

it('list-partners finds a partner by the number of its unit', async () => {
  const { partnerId: partner_id, unitId } = await makePartner();
  const list = async (unit_id: number) => (await administration('list-partners', { query: { unit_id } })).body.partners;
  expect(await list(unitId)).toMatchObject([{ partner_id }]);
  expect(await list(partner_id)).toEqual([]);
});

it('list-partners refuses a name that identifies a person, since the query is part of an address', async () => {
  const { status, body } = await administration('list-partners', { query: { name: 'ana@parceiro.example' } });
  expect(status).toBe(400);
  expect(body.fields).toEqual([
    {
      field: 'name',
      reason: 'is no name: leave keys, CPFs, telephones, e-mail addresses and invisible characters out',
    },
  ]);
});

it('set-rate and present-unit change nothing if others have changed the values to replace meanwhile', async () => {
  const { partnerId: partner_id, unitId } = await makePartner(120);
  const rate = (replaces: number) =>
    administration('set-rate', {
      params: { partner_id },
      body: { environment: 'sandbox', limit: 7, replaces, ...because },
    });
  const present = (replaces: object) =>
    administration('present-unit', {
      params: { unit_id: unitId },
      body: { partner_id, contact: '3456-7890', replaces, ...because },
    });
  expect((await rate(1)).body.code).toBe('changed_meanwhile');
  expect((await rate(120)).body).toMatchObject({ limit: 7 });
  expect((await present({ contact: '1234' })).body.code).toBe('changed_meanwhile');
  expect((await present({ name: 'Unidade de teste', creci: '', contact: '' })).body.unit).toMatchObject({
    contact: '3456-7890',
  });
  expect((await audit(partner_id))[0]).toMatchObject({ target: { unit: unitId, contact: '3456-7890' } });
});

it('set-incident-contact sets and removes the contact, and is refused if another contact was set meanwhile', async () => {
  const { partnerId: partner_id } = await makePartner();
  const set = (contact: string, replaces?: string) =>
    administration('set-incident-contact', { params: { partner_id }, body: { contact, replaces, ...because } });
  const shown = async () => (await administration('show-partner', { params: { partner_id } })).body.partner;
  expect((await shown()).incident_contact).toBeNull();
  const contact = 'seguranca@parceiro.example, (11) 3456-7890';
  expect((await set(` ${contact} `, '')).body.partner).toMatchObject({ partner_id, incident_contact: contact });
  expect((await shown()).incident_contact).toBe(contact);
  expect((await set('outra@parceiro.example', '')).body.code).toBe('changed_meanwhile');
  expect((await set('', 'outra@parceiro.example')).body.code).toBe('changed_meanwhile');
  expect((await shown()).incident_contact).toBe(contact);
  expect((await set('', contact)).body.partner.incident_contact).toBeNull();
  expect((await audit(partner_id)).map(({ action, outcome, target }) => [action, outcome, target])).toEqual([
    ['set-incident-contact', 'done', { incident_contact: '' }],
    ['set-incident-contact', 'failed', { incident_contact: '' }],
    ['set-incident-contact', 'failed', { incident_contact: 'outra@parceiro.example' }],
    ['set-incident-contact', 'done', { incident_contact: contact }],
  ]);
});

it('partners are created, shown and validated, and the audit has a row for each change', async () => {
  const partner_id = await createPartner();
  const shown = await administration('show-partner', { params: { partner_id } });
  expect(shown.body.partner).toMatchObject({
    partner_id,
    name: 'Imobiliária Horizonte',
    validated_at: null,
    rates: { sandbox: 120, producao: 120 },
    units: [],
    keys: { live: 0, revoked: 0 },
    webhooks: [],
  });
  const checklist = await administration('show-sandbox-checklist', { params: { partner_id } });
  expect(checklist.body).toMatchObject({ complete: false, cut: false });
  const refused = await administration('validate-partner', { params: { partner_id }, body: because });
  expect(refused.status).toBe(422);
  expect(refused.body.code).toBe('refused');
  const body = { incomplete: true, ...because };
  const { validated_at } = (await administration('validate-partner', { params: { partner_id }, body })).body;
  expect(validated_at).toMatch(/Z$/);
  expect((await administration('validate-partner', { params: { partner_id }, body })).body).toMatchObject({
    validated_at,
  });
  expect(await audit(partner_id)).toMatchObject([
    { action: 'validate-partner', outcome: 'done', who: CALLER, reason: 'TEST-1' },
    { action: 'validate-partner', outcome: 'done' },
    { action: 'create-partner', outcome: 'done', partner_id },
  ]);
});

it('keys are created, listed without their text, rotated and revoked', async () => {
  const partner_id = await createPartner();
  const unit_id = await createUnit(partner_id);
  const own = {
    partner_id,
    unit_id,
    environment: 'sandbox',
    scopes: ['leads'],
    token: '6f1e0b52-7c1d-4e0a-9d5b-3a9f2c8e4b17',
  };
  const first = (await administration('create-key', { body: { ...own, ...because } })).body;
  expect(await admitted(first.text)).toBe(120);
  // The first answer may have been lost: the same token returns the same key.
  expect((await administration('create-key', { body: { ...own, ...because } })).body).toEqual(first);
  const logged = takeCapturedTexts();
  for (const text of logged) captureText(text);
  expect(logged.join()).not.toContain(own.token);
  expect(JSON.stringify(await everyRow())).not.toContain(own.token);
  const guessable = { ...own, token: 'troca-de-novembro-de-2026', ...because };
  expect((await administration('create-key', { body: guessable })).status).toBe(400);

  const rotate = { params: { key_id: first.key_id }, body: { partner_id, confirm: first.key_id, ...because } };
  const second = (await administration('rotate-key', rotate)).body;
  expect(second).toMatchObject({ replaced: first.key_id, unit_id, environment: 'sandbox' });
  expect(await admitted(first.text)).toBeUndefined();
  expect(await admitted(second.text)).toBe(120);
  const again = await administration('rotate-key', rotate);
  expect(again.status).toBe(422);
  expect(again.body.code).toBe('refused');

  const { keys } = (await administration('list-keys', { query: { partner_id } })).body;
  expect(keys.map(({ key_id, state }: { key_id: string; state: string }) => [key_id, state])).toEqual([
    [first.key_id, 'revoked'],
    [second.key_id, 'live'],
  ]);
  expect(JSON.stringify(keys)).not.toContain(second.text.slice(-12));

  const { key_id } = second;
  await administration('revoke-key', { params: { key_id }, body: { partner_id, confirm: key_id, ...because } });
  expect(await admitted(second.text)).toBeUndefined();

  const rows = await audit(partner_id);
  expect(rows.map(({ action, outcome, target }) => [action, outcome, target]).slice(0, 3)).toEqual([
    ['revoke-key', 'done', { key: key_id }],
    ['rotate-key', 'done', { environment: 'sandbox', replaced: first.key_id, key: key_id }],
    ['create-key', 'done', { unit: unit_id, environment: 'sandbox', scopes: 'leads', key: first.key_id }],
  ]);
});

it('list-refusals shows a unit’s refused sandbox calls as GET /v1/erros does, and no value that was sent', async () => {
  const { partnerId: partner_id, unitId: unit_id, keys, addUnit } = await makePartner();
  const key = keys.sandbox;
  const { request_id } = (await api('createLead', { key, body: { nome: 'Ana Prado', cpf: '111.222.333-44' } })).body;
  await api('getLead', { key: keys.producao, id: 1 });
  const { calls } = (await administration('list-refusals', { query: { partner_id, unit_id } })).body;
  const { erros } = (await api('listRefusedCalls', { key })).body;
  expect(calls).toEqual([
    {
      at: erros[0].em,
      method: 'POST',
      path: '/v1/leads',
      code: erros[0].codigo,
      fields: erros[0].campos,
      request_id,
    },
  ]);
  expect(calls[0].fields).not.toEqual([]);
  expect(JSON.stringify(calls)).not.toContain('Prado');
  const other = { query: { partner_id, unit_id: await addUnit() } };
  expect((await administration('list-refusals', other)).body.calls).toEqual([]);
});

it('list-refusals answers not_found for a unit of another partner', async () => {
  const [{ partnerId: partner_id }, { unitId: unit_id }] = [await makePartner(), await makePartner()];
  const { status, body } = await administration('list-refusals', { query: { partner_id, unit_id } });
  expect(status).toBe(404);
  expect(body.code).toBe('not_found');
});

it('create-key refuses a production key for a partner that is not validated', async () => {
  const partner_id = await createPartner();
  const unit_id = await createUnit(partner_id);
  const body = { partner_id, unit_id, environment: 'producao', ...because };
  const { status, body: said } = await administration('create-key', { body });
  expect(status).toBe(422);
  expect(said.code).toBe('refused');
  expect(said.error).toContain('not validated');
});
