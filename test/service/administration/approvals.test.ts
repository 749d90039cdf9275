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
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import { changeWebhookUrl } from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { type AdministrationCall, administration, because, CALLER } from '#test/makers/administration.ts';
import { administrationScenes } from '#test/makers/administration-scenes.ts';
import { fieldNames } from '#test/makers/field-names.ts';
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
  if (operation !== 'rotate-key') return { ...scene, body };
  const query = { partner_id: body['partner_id'] as number };
  const keys = (await administration('list-keys', { query })).body.keys as readonly Fields[];
  const key_id = keys.find((key) => key['environment'] === 'producao')!['key_id'] as string;
  return { params: { key_id }, body: { ...body, confirm: key_id } };
}

/**
 * Fields that make a call a different one. For an operation without an entry, only another key or another partner does.
 */
const CHANGED: Readonly<Partial<Record<Name, Fields>>> = {
  'create-key': { scopes: ['leads'] },
  'set-webhook': { url: 'http://127.0.0.1:9/outro' },
  'rotate-webhook-secret': { overlap: false },
  'export-lead': { raw: true },
};
/** Operations that take a token. */
const TAKING_TOKEN: readonly Name[] = ['create-key', 'rotate-key', 'rotate-webhook-secret'];
/** Fields in which a repeated call may differ. */
const again = (operation: Name, token = 'another-token-of-the-call') =>
  TAKING_TOKEN.includes(operation) ? { reason: 'TEST-2', token } : { reason: 'TEST-2' };

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
    const about = expect.stringMatching(new RegExp(`^${operation} about partner \\d+ .*${one!['approval_id']}`));
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

    const changed = CHANGED[operation];
    expect(await make(changed ? call : await sceneOf(operation), changed)).toBe('approval_needed');
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
    const repeated = approvedCall((await asked())[0] as Approval, 'token-of-the-repeated-call')!;
    const { status } = await administration(operation, { ...repeated, caller: CALLER });
    expect(status).toBe(200);
    expect((await asked()).map(({ state }) => state)).toEqual(['used']);
  });

  it('the same call again gets the same answer after its approval was used, and leaves no request', async () => {
    const call = await sceneOf(operation);
    await make(call);
    await approve();
    const first = await answerTo(call, again(operation));
    const repeated = await answerTo(call, again(operation));
    expect(first.status).toBe(200);
    expect(repeated.status).toBe(200);
    expect(repeated.body).toEqual(first.body);
    expect((await asked()).map(({ state }) => state)).toEqual(['used']);
    const { target } = (await auditOf(operation))[1] ?? {};
    expect(target).toMatchObject({ approved_by: OTHER });
  });

  it.runIf(TAKING_TOKEN.includes(operation))(
    'an equal call with another token is not made by a used approval, and leaves no request',
    async () => {
      const call = await sceneOf(operation);
      await make(call);
      await approve();
      const calls = ['one-token-of-the-call', 'two-tokens-of-the-call'].map((token) =>
        make(call, again(operation, token)),
      );
      expect((await Promise.all(calls)).sort()).toEqual(['changed_meanwhile', 'made']);
      expect((await asked()).map(({ state }) => state)).toEqual(['used']);
    },
  );

  it('the call is not made after a refusal, and the asker may refuse it too', async () => {
    const call = await sceneOf(operation);
    await make(call);
    expect(await decide('refuse', (await asked())[0]!, CALLER)).toEqual([200, 'refused']);
    expect(await decide('approve', (await asked())[0]!, OTHER)).toEqual([409, 'changed_meanwhile']);
    expect(await make(call)).toBe('approval_needed');
    expect(JSON.stringify(await rowsOf('APPROVAL#'))).not.toMatch(/900000|127\.0\.0\.1:9\/|token/);
  });

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

/** Another value of one field: the parts of the call that differ, with the fields that belong to the value. */
interface Variant {
  readonly params?: AdministrationCall['params'];
  readonly body?: Fields;
}
/** Why no other value of a field is tried. */
type Untried = string;

const TOKEN: Untried = 'it says nothing about what is done: it only recognises a repetition';
const SANDBOX: Untried = 'nobody approves a call of the sandbox';

const CONSULTANT = { id: 7, name: 'Rita' };

/** Makes another key of production. */
async function otherKey({ partner_id }: Fields) {
  const partnerId = partner_id as PartnerId;
  const [unit] = await wiring.partnerRegister().units(partnerId);
  const { keyId } = await wiring.apiKeys().create({ partnerId, unitId: unit!.id, environment: 'producao' }, Date.now());
  return { params: { key_id: keyId }, body: { confirm: keyId } };
}

/** Returns the path of the same operation on another partner, which has what the operation needs. */
const ofAnother = (operation: Name) => async () => {
  const { params = {}, body } = await sceneOf(operation);
  return { params, body: 'confirm' in body ? { confirm: body['confirm'] } : {} };
};

/** Another value of each field of each operation, made for its call. A sentence says why a field has none. */
const VARIANTS: Readonly<
  Record<Name, Readonly<Record<string, Untried | ((body: Fields) => Promise<Variant> | Variant)>>>
> = {
  'validate-partner': {
    partner_id: ofAnother('validate-partner'),
    incomplete: () => ({ body: { incomplete: false } }),
  },
  'create-key': {
    partner_id: async () => ({ body: { partner_id: (await makePartner()).partnerId } }),
    unit_id: async () => ({ body: { unit_id: (await makePartner()).unitId } }),
    environment: SANDBOX,
    scopes: () => ({ body: { scopes: ['leads'] } }),
    'consultant.id': () => ({ body: { consultant: { ...CONSULTANT, id: 8 } } }),
    'consultant.name': () => ({ body: { consultant: { ...CONSULTANT, name: 'Eva' } } }),
    token: TOKEN,
  },
  'rotate-key': {
    key_id: otherKey,
    partner_id: 'a key belongs to one partner, which the key itself shows',
    token: TOKEN,
  },
  'set-webhook': {
    partner_id: ofAnother('set-webhook'),
    environment: SANDBOX,
    url: ({ url }) => ({ body: { url: `${url}?tenant=mallory` } }),
    replaces: () => ({ body: { replaces: 'http://127.0.0.1:9/another' } }),
  },
  'rotate-webhook-secret': {
    partner_id: ofAnother('rotate-webhook-secret'),
    environment: SANDBOX,
    overlap: () => ({ body: { overlap: false } }),
    drop_previous: () => ({ body: { drop_previous: true } }),
    token: TOKEN,
  },
  'export-lead': {
    partner_id: async () => {
      const { partnerId: partner_id, unitId: unit_id } = await makePartner();
      return { body: { partner_id, unit_id } };
    },
    unit_id: async ({ partner_id }) => {
      const created = await administration('create-unit', { body: { partner_id, name: 'Nova', ...because } });
      return { body: { unit_id: created.body.unit.unit_id } };
    },
    environment: () => ({ body: { environment: 'producao' } }),
    lead_id: () => ({ body: { lead_id: 512 } }),
    cpf: () => ({ body: { cpf: '90000000256' } }),
    role: () => ({ body: { role: 'spouse' } }),
    raw: () => ({ body: { raw: true } }),
  },
};

/** Fields that the calls of this test send besides those of their scenes, so that each field has a value. */
const SENT: Readonly<Partial<Record<Name, Fields>>> = {
  'create-key': { consultant: CONSULTANT },
  'export-lead': { cpf: '90000000175' },
};

/** Makes a call, which must wait for approval. Returns its request as the approver sees it. */
async function requestOf(operation: Name, call: AdministrationCall): Promise<Fields> {
  const { body, text } = await administration(operation, call);
  expect(body.code, text).toBe('approval_needed');
  const [id] = /apr_[0-9a-f]{32}/.exec(body.error) ?? [];
  return (await asked()).find(({ approval_id }) => approval_id === id) ?? {};
}

/** Returns a field of a request as the approver sees it. Undefined if the request does not show it. */
function fieldOf(request: Fields, name: string): unknown {
  const fields = Array.isArray(request['fields']) ? request['fields'] : [];
  return fields.find(({ field }) => field === name);
}

it.each(APPROVABLE)('each field of $operation has another value in VARIANTS, or a reason for none', (one) => {
  const { operation, body } = one;
  const params = 'params' in one ? fieldNames(one.params) : [];
  expect(Object.keys(VARIANTS[operation]).sort()).toEqual(params.concat(fieldNames(body)).sort());
});

it.each(APPROVABLE)(
  'another value of any field of $operation is shown, and makes another approval',
  async ({ operation }) => {
    const { params = {}, body } = await sceneOf(operation);
    const call = { params, body: { ...body, ...SENT[operation] } };
    const prepare = async ({ partner_id }: AdministrationCall['params'] = {}) =>
      operation === 'validate-partner' ? makeEveryStep(Number(partner_id)) : undefined;
    await prepare(params);
    const first = await requestOf(operation, call);
    const ids = [first['approval_id']];
    for (const [name, variant] of Object.entries(VARIANTS[operation])) {
      if (typeof variant === 'string') continue;
      const changed = await variant(call.body);
      const other = { params: { ...params, ...changed.params }, body: { ...call.body, ...changed.body } };
      await prepare(other.params);
      const second = await requestOf(operation, other);
      expect(ids, name).not.toContain(second['approval_id']);
      expect(fieldOf(second, name), name).toBeDefined();
      expect(fieldOf(second, name), name).not.toEqual(fieldOf(first, name));
      ids.push(second['approval_id']);
    }
  },
);

it.each(APPROVABLE)(
  'a request for $operation that is made again with another reason cannot be approved by its former id',
  async ({ operation }) => {
    const call = await sceneOf(operation);
    const first = await requestOf(operation, call);
    expect(await decide('refuse', first, CALLER)).toEqual([200, 'refused']);
    const second = await requestOf(operation, { ...call, body: { ...call.body, reason: 'TEST-2' } });
    expect(second['approval_id']).not.toBe(first['approval_id']);
    expect(await decide('approve', first, OTHER)).toEqual([404, 'not_found']);
  },
);

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

it('an address that one person sets after the approval of a validation needs another approval', async () => {
  const { partner_id } = await newcomer();
  await setAddress(partner_id, 'producao', 'http://127.0.0.1:9/in');
  const validate = () => administration('validate-partner', { params: { partner_id }, body: because });
  expect((await validate()).body.code).toBe('approval_needed');
  const [first] = await asked();
  expect(await decide('approve', first!, OTHER)).toEqual([200, 'approved']);
  await setAddress(partner_id, 'producao', 'http://127.0.0.1:9/in?tenant=mallory');
  expect((await validate()).body.code).toBe('approval_needed');
  const [second] = await asked();
  expect(second).toMatchObject({ state: 'asked' });
  expect(second?.['approval_id']).not.toBe(first?.['approval_id']);
  expect((await administration('show-partner', { params: { partner_id } })).body.partner.validated_at).toBeNull();
  expect(await decide('approve', second!, OTHER)).toEqual([200, 'approved']);
  expect((await validate()).status).toBe(200);
});

it('a new address of production is shown whole, next to the address that it replaces', async () => {
  const { params, body } = await sceneOf('set-webhook');
  const before = String(body['url']).replace(/\/2$/, '');
  const url = 'http://127.0.0.1:9/in?tenant=mallory';
  await administration('set-webhook', { params: params!, body: { ...body, url } });
  const [request] = await asked();
  expect(request?.['fields']).toContainEqual({ field: 'url', value: url, name: null, replaces: before });
});

it('an approved address is set only in the place of the address that the approval shows', async () => {
  const { params, body } = await sceneOf('set-webhook');
  const set = () => administration('set-webhook', { params: params!, body });
  await set();
  expect(await decide('approve', (await asked())[0]!, OTHER)).toEqual([200, 'approved']);
  const owner = { partnerId: Number(params?.['partner_id']) as PartnerId, environment: 'producao' } as const;
  await changeWebhookUrl(owner, 'http://127.0.0.1:9/third', Date.now() + 1);
  expect((await set()).body.code).toBe('approval_needed');
});

it('the audit row of an export says whether the person is exported in the form in which the service keeps it', async () => {
  process.env['APPROVALS'] = 'off';
  const { body } = await sceneOf('export-lead');
  for (const raw of [false, true]) await administration('export-lead', { body: { ...body, raw } });
  expect((await auditOf('export-lead')).map(({ target }) => (target as Fields)['raw'])).toEqual([undefined, true]);
});
