/**
 * Operations that one person may not make alone: each with and without the approval of another
 * person, as the stage requires.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Approval, approvedCall } from '#bin/manager/panel/page/approved-call.ts';
import { ACCOUNT, REGION } from '#infra/local/template.ts';
import { stageValues, topicNameOf } from '#infra/stages.ts';
import { APPROVABLE } from '#shared/administration/approvals.ts';
import { STEPS } from '#shared/domain/partners/sandbox-checklist.ts';
import type { PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { rotateWebhookSecret } from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { type AdministrationCall, administration, because, CALLER } from '#test/makers/administration.ts';
import { administrationScenes } from '#test/makers/administration-scenes.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { clearTable, rowsOf } from '#test/makers/rows.ts';

type Name = (typeof APPROVABLE)[number]['operation'];
type Fields = Readonly<Record<string, unknown>>;

const peers = usePeers();
const TICKETS = `arn:aws:sns:${REGION}:${ACCOUNT}:${topicNameOf(stageValues('dev'), 'ticket')}`;
const OTHER = CALLER.replace('ana.lima', 'bia.reis');
/** The same person in another role, and as an IAM user. */
const SELF = [CALLER.replace('manager/', 'support/'), 'arn:aws:iam::123456789012:user/Ana.Lima'];

let scenes: ReturnType<typeof administrationScenes>;
beforeAll(() => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  scenes = administrationScenes(peers.secrets, 'http://127.0.0.1:9/eventos');
});
beforeEach(async () => {
  await clearTable();
  process.env['APPROVALS'] = 'required';
});
afterEach(() => {
  process.env['APPROVALS'] = 'off';
});

/** Returns a call that one person may not make alone. */
async function sceneOf(operation: Name): Promise<AdministrationCall & { readonly body: Fields }> {
  const scene: AdministrationCall = await scenes[operation]();
  const body = scene.body as Fields;
  if (operation === 'create-key') return { ...scene, body: { ...body, environment: 'producao' } };
  if (operation === 'enable-webhook')
    await administration('disable-webhook', {
      params: scene.params,
      body: { ...because, confirm: String(scene.params?.['partner_id']) },
    });
  if (operation !== 'rotate-key') return { ...scene, body };
  const query = { partner_id: body['partner_id'] as number };
  const keys = (await administration('list-keys', { query })).body.keys as readonly Fields[];
  const key_id = keys.find((key) => key['environment'] === 'producao')!['key_id'] as string;
  return { params: { key_id }, body: { ...body, confirm: key_id } };
}

const TOKEN = '6f1e0b52-7c1d-4e0a-9d5b-3a9f2c8e4b17';
/** Operations that take a token. */
const TAKING_TOKEN = APPROVABLE.filter(({ body }) => 'token' in body.shape).map(({ operation }) => operation);
/** Fields in which a repeated call may differ. */
const again = (operation: Name) =>
  TAKING_TOKEN.includes(operation) ? { reason: 'TEST-2', token: TOKEN } : { reason: 'TEST-2' };

const asked = async (caller = CALLER) =>
  (await administration('list-approvals', { caller })).body.approvals as readonly Fields[];
const auditOf = async (action: string) => (await rowsOf('AUDIT#')).filter((row) => row['action'] === action);

async function decide(verb: 'approve' | 'refuse', { operation, approval_id }: Fields, caller: string) {
  const params = { operation: String(operation), approval_id: String(approval_id) };
  const { status, body } = await administration(`${verb}-approval`, { params, caller, body: because });
  return [status, body.code ?? body.approval.state];
}

describe.each(APPROVABLE.map(({ operation }) => operation))('%s', (operation) => {
  type Made = AdministrationCall & { readonly body: Fields };
  const answerTo = (call: Made, more: Fields = {}, caller = CALLER) =>
    administration(operation, { ...call, caller, body: { ...call.body, ...more } });
  const make = async (call: Made, more: Fields = {}, caller = CALLER) => {
    const { status, body } = await answerTo(call, more, caller);
    return status === 200 ? 'made' : body.code;
  };
  const approve = async () => decide('approve', (await asked())[0] ?? {}, OTHER);

  it('the asker makes the call once, after another person of a duty that may make it has approved', async () => {
    const call = await sceneOf(operation);
    const told = peers.tickets.length;
    expect(await make(call)).toBe('approval_needed');
    expect(await auditOf(operation)).toEqual([]);
    const [one] = await asked();
    expect(one).toMatchObject({ operation, state: 'asked', asked_by: CALLER, reason: 'TEST-1' });
    const target = { operation, approval: one!['approval_id'] };
    const about = expect.stringMatching(
      new RegExp(`^${operation} about (partner \\d+|the service) .*${one!['approval_id']}`),
    );
    expect(peers.tickets.slice(told)).toEqual([{ topicArn: TICKETS, subject: expect.any(String), text: about }]);
    expect(await auditOf('ask-approval')).toMatchObject([{ who: CALLER, outcome: 'done', reason: 'TEST-1', target }]);
    for (const self of [CALLER, ...SELF]) expect(await decide('approve', one!, self)).toEqual([422, 'refused']);
    for (const { operation: other } of APPROVABLE)
      if (other !== operation)
        expect(await decide('approve', { ...one, operation: other }, OTHER)).toEqual([404, 'not_found']);
    expect(await make(call)).toBe('approval_needed');
    expect(peers.tickets.slice(told)).toHaveLength(1);
    expect(await decide('approve', one!, OTHER)).toEqual([200, 'approved']);
    expect(await make(call, {}, OTHER)).toBe('approval_needed');

    expect(await make(call, again(operation))).toBe('made');
    const approval = one!['approval_id'];
    // The call that was made gave TEST-2 as its reason, which nobody has approved.
    expect(await auditOf(operation)).toMatchObject([
      { who: CALLER, outcome: 'done', reason: 'TEST-1', target: { approval, approved_by: OTHER } },
    ]);
    expect(await auditOf('approve-approval')).toMatchObject([
      { who: OTHER, outcome: 'done', target: { approval, operation, asked_by: CALLER } },
    ]);
  });

  it('the panel makes the approved call from the request alone, and the service takes it for the approved one', async () => {
    const call = await sceneOf(operation);
    await make({ ...call, body: { ...call.body, cpf: undefined } });
    const [request] = await asked();
    expect(request).toMatchObject({ asked_by_you: true });
    const [seen] = await asked(OTHER);
    expect(seen).toMatchObject({ asked_by_you: false });
    await approve();
    const repeated = approvedCall((await asked())[0] as Approval, 'c2a8a1d4-51f6-4d0c-8b6e-0f7a3d9e6c25')!;
    const { status } = await administration(operation, { ...repeated, caller: CALLER });
    expect(status).toBe(200);
    expect((await asked()).map(({ state }) => state)).toEqual(['used']);
  });

  it.runIf(TAKING_TOKEN.includes(operation))(
    'a call with its token gets the same answer after its approval was used, and leaves no request',
    async () => {
      const call = await sceneOf(operation);
      await make(call);
      await approve();
      const first = await answerTo(call, again(operation));
      const repeated = await answerTo(call, again(operation));
      expect(first.status).toBe(200);
      expect(repeated.body).toEqual(first.body);
      expect((await asked()).map(({ state }) => state)).toEqual(['used']);
    },
  );

  it('one person makes the call alone if the stage requires no approval', async () => {
    process.env['APPROVALS'] = 'off';
    const before = peers.metrics.length;
    expect(await make(await sceneOf(operation))).toBe('made');
    expect(await asked()).toEqual([]);
    // New production keys are counted, because somebody may be making them for their own use.
    const counted = peers.metrics.slice(before).flatMap((line) => line['ProductionKeysMade'] ?? []);
    expect(counted).toEqual(operation.endsWith('-key') ? [1] : []);
  });
});

it('a call that one person may make alone needs no approval', async () => {
  const { body } = await sceneOf('create-key');
  const before = peers.metrics.length;
  const sandbox = await administration('create-key', { body: { ...body, environment: 'sandbox' } });
  expect(JSON.stringify(peers.metrics.slice(before))).not.toContain('ProductionKeysMade');
  const partner_id = (await administration('create-partner', { body: { name: 'Nova', ...because } })).body.partner
    .partner_id as PartnerId;
  expect(sandbox.status).toBe(200);
  // Production is still closed to this partner.
  for (const environment of ENVIRONMENTS) await setAndRotate({ partner_id, environment });
  expect(await asked()).toEqual([]);
});

it('nobody is asked to approve a production key that create-key would refuse', async () => {
  const { body } = await sceneOf('create-key');
  const ofNoUnit = await administration('create-key', { body: { ...body, unit_id: 7 } });
  expect(ofNoUnit.body.code).toBe('not_found');
  const { partner_id, unit_id } = await newcomer();
  const early = await administration('create-key', { body: { ...body, partner_id, unit_id } });
  expect(early.body.code).toBe('refused');
  expect(await asked()).toEqual([]);
});

/** Sets the first address of a webhook, changes it, and rotates the secret, each time with success. */
async function setAndRotate(params: { readonly partner_id: PartnerId; readonly environment: Environment }) {
  for (const url of ['http://127.0.0.1:9/eventos', 'http://127.0.0.1:9/outros']) {
    const set = await administration('set-webhook', { params, body: { url, ...because } });
    expect(set.status, set.text).toBe(200);
  }
  const body = { confirm: String(params.partner_id), ...because };
  const rotated = await administration('rotate-webhook-secret', { params, body });
  expect(rotated.status, rotated.text).toBe(200);
}

it('one person may change the webhook of the sandbox of a validated partner, and not that of production', async () => {
  const { partnerId: partner_id } = await makePartner();
  await setAndRotate({ partner_id, environment: 'sandbox' });
  expect(await asked()).toEqual([]);
  const params = { partner_id, environment: 'producao' };
  const body = { url: 'http://127.0.0.1:9/eventos', ...because };
  const set = await administration('set-webhook', { params, body });
  expect(set.body.code).toBe('approval_needed');
  expect(await asked()).toMatchObject([{ operation: 'set-webhook', partner_id }]);
  expect((await administration('show-webhook', { params: { partner_id } })).body.webhooks).toMatchObject([
    { environment: 'sandbox' },
  ]);
});

/** Stores each step of the sandbox as made. */
async function makeEveryStep(partner: number) {
  const partnerId = partner as PartnerId;
  const register = wiring.partnerRegister();
  const [unit] = await register.units(partnerId);
  const evidence = { kind: 'lead', id: 1, unitId: unit!.id, at: Date.now() } as const;
  const steps = STEPS.map((step) => [step, evidence] as const);
  await register.noteSteps(partnerId, Object.fromEntries(steps));
}

/** Makes a partner that waits for its validation, with every step made and a key of the sandbox. */
async function newcomer() {
  const created = await administration('create-partner', { body: { name: 'Casa Nova', ...because } });
  const partner_id: PartnerId = created.body.partner.partner_id;
  const unit = await administration('create-unit', { body: { partner_id, name: 'Centro', ...because } });
  const unit_id: number = unit.body.unit.unit_id;
  const key = await administration('create-key', { body: { partner_id, unit_id, environment: 'sandbox', ...because } });
  await makeEveryStep(partner_id);
  return { partner_id, unit_id, key_id: String(key.body.key_id) };
}
const setAddress = (partner_id: PartnerId, environment: Environment, url: string) =>
  administration('set-webhook', { params: { partner_id, environment }, body: { url, ...because } });

it('a validation shows the addresses of both webhooks and the live keys, also if no step is missing', async () => {
  const { partner_id, unit_id, key_id } = await newcomer();
  await setAddress(partner_id, 'producao', 'http://127.0.0.1:9/in?tenant=mallory');
  const validated = await administration('validate-partner', { params: { partner_id }, body: because });
  expect(validated.body.code).toBe('approval_needed');
  const [request] = await asked();
  const none = { name: null, replaces: null };
  expect(request?.['fields']).toEqual([
    { field: 'partner_id', value: partner_id, name: 'Casa Nova', replaces: null },
    { field: 'incomplete', value: false, ...none },
    { field: 'missing', value: null, ...none },
    { field: 'webhook.sandbox', value: null, ...none },
    { field: 'webhook.producao', value: 'http://127.0.0.1:9/in?tenant=mallory', ...none },
    { field: 'live_keys', value: `${key_id} (sandbox, unit ${unit_id} Centro)`, ...none },
  ]);
});

it('a new address of production is shown whole, next to the address that it replaces', async () => {
  const { params, body } = await sceneOf('set-webhook');
  const before = String(body['url']).replace(/\/2$/, '');
  const url = 'http://127.0.0.1:9/in?tenant=mallory';
  await administration('set-webhook', { params: params!, body: { ...body, url } });
  const [request] = await asked();
  expect(request?.['fields']).toContainEqual({ field: 'url', value: url, name: null, replaces: before });
});

it('an export of a person with another CPF is another request, which shows the keyed hash', async () => {
  const { body } = await sceneOf('export-lead');
  for (const cpf of ['90000000175', '90000000256']) await administration('export-lead', { body: { ...body, cpf } });
  const shown = (await asked()).map(({ fields }) => (fields as readonly Fields[]).find(({ field }) => field === 'cpf'));
  expect(shown).toHaveLength(2);
  expect(new Set(shown.map((one) => one?.['value'])).size).toBe(2);
  expect(JSON.stringify(shown)).not.toContain('900000');
});

it('the person who asked may refuse the request, and then nobody may approve it', async () => {
  await administration('present-unit', await sceneOf('present-unit'));
  const [one] = await asked();
  expect(await decide('refuse', one!, CALLER)).toEqual([200, 'refused']);
  expect(await decide('approve', one!, OTHER)).toEqual([409, 'changed_meanwhile']);
});

it('the audit row of an export says whether the person is exported in the form in which the service keeps it', async () => {
  process.env['APPROVALS'] = 'off';
  const { body } = await sceneOf('export-lead');
  for (const raw of [false, true]) await administration('export-lead', { body: { ...body, raw } });
  expect((await auditOf('export-lead')).map(({ target }) => (target as Fields)['raw'])).toEqual([undefined, true]);
});

/** Makes a partner in production whose webhook has a first address, and returns how one of two people sets another. */
async function movableWebhook() {
  const { params = {}, body } = await sceneOf('set-webhook');
  const { partner_id = 0 } = params;
  const set = async (url: string, caller: string, more: Fields = {}) =>
    administration('set-webhook', { params, caller, body: { ...body, url, ...more } });
  const address = async () =>
    (await administration('show-webhook', { params: { partner_id } })).body.webhooks[0].url as string;
  /** Sets an address as one person, after the other person has approved it. */
  const setByTwo = async (url: string, asker: string, more: Fields = {}) => {
    expect((await set(url, asker, more)).body.code).toBe('approval_needed');
    const one = (await asked()).find(({ state }) => state === 'asked')!;
    expect(await decide('approve', one, asker === CALLER ? OTHER : CALLER)).toEqual([200, 'approved']);
    const made = await set(url, asker, more);
    expect(made.status, made.text).toBe(200);
    return made;
  };
  return { params, set, setByTwo, address, first: await address(), second: String(body['url']) };
}

it.each([
  ['without a token', {}, 'approval_used'],
  ['with its token', { token: 'the-token-of-the-first-call' }, 'approval_needed'],
])('a call %s sets no address again that two people have set back', async (_, more, code) => {
  const { set, setByTwo, address, first, second } = await movableWebhook();
  await setByTwo(second, CALLER, more);
  await setByTwo(first, OTHER);
  const repeated = await set(second, CALLER, more);
  expect(await address()).toBe(first);
  expect(repeated.body.code).toBe(code);
});

it('the answer of the first address is shown again by its token, with the secret, until the secret is rotated', async () => {
  const { partnerId: partner_id } = await makePartner();
  const params = { partner_id, environment: 'producao' };
  const url = 'http://127.0.0.1:9/eventos';
  const set = (token: string) => administration('set-webhook', { params, body: { url, token, ...because } });
  await set('the-token-of-the-call');
  expect(await decide('approve', (await asked())[0]!, OTHER)).toEqual([200, 'approved']);
  const first = await set('the-token-of-the-call');
  expect(first.body.secret).toMatch(/^whsec_/);
  expect((await set('the-token-of-the-call')).body).toEqual(first.body);
  expect((await set('another-token-of-a-call')).body.code).toBe('approval_used');
  const owner = { partnerId: partner_id, environment: 'producao' } as const;
  await rotateWebhookSecret(owner, newWebhookSecret(), { overlap: 0, dropPrevious: false }, Date.now());
  expect((await set('the-token-of-the-call')).body.secret).toBeNull();
});

it('a request to enable a webhook shows its address, and holds for this time that a person has disabled it', async () => {
  const { params, body } = await sceneOf('enable-webhook');
  const enable = () => administration('enable-webhook', { params: params!, body });
  const off = { params: params!, body: { ...because, confirm: String(params?.['partner_id']) } };
  await enable();
  const [request] = await asked();
  const shown = { name: null, replaces: null };
  expect(request?.['fields']).toContainEqual({ field: 'url', value: 'http://127.0.0.1:9/eventos', ...shown });
  expect(await decide('approve', request!, OTHER)).toEqual([200, 'approved']);
  await administration('disable-webhook', off);
  expect((await enable()).body.code).toBe('approval_needed');
});

it('one person may enable a webhook that the service has disabled', async () => {
  const { params, body } = (await scenes['enable-webhook']()) as AdministrationCall;
  expect((await administration('enable-webhook', { params: params!, body })).status).toBe(200);
  expect(await asked()).toEqual([]);
});

it('new texts of a unit are shown next to the texts that they replace, and printed after the approval', async () => {
  const { params, body } = await sceneOf('present-unit');
  const texts = { creci: '12345-J', contact: '(11) 3456-7890' };
  const present = () => administration('present-unit', { params: params!, body: { ...body, ...texts } });
  const unitId = params?.['unit_id'] as UnitId;
  await wiring.partnerRegister().presentUnit(body['partner_id'] as PartnerId, unitId, { creci: '999-J' }, Date.now());
  await present();
  const shown = (await asked())[0]?.['fields'] as readonly Fields[];
  expect(shown.find(({ field }) => field === 'creci')).toMatchObject({ value: '12345-J', replaces: '999-J' });
  expect(shown.find(({ field }) => field === 'contact')).toMatchObject({ value: texts.contact, replaces: null });
  expect(shown.map(({ field }) => field)).not.toContain('name');
  expect(await wiring.partners().agent(unitId)).toMatchObject({ creci: '999-J' });
  expect(await decide('approve', (await asked())[0]!, OTHER)).toEqual([200, 'approved']);
  expect((await present()).status).toBe(200);
  expect(await wiring.partners().agent(unitId)).toMatchObject(texts);
});
