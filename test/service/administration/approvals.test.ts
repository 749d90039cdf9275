/**
 * Operations that one person may not make alone: each with and without the approval of another
 * person, as the stage requires.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { APPROVABLE } from '#shared/administration/approvals.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import { type AdministrationCall, administration, because, CALLER } from '#test/makers/administration.ts';
import { administrationScenes } from '#test/makers/administration-scenes.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { clearTable, rowsOf } from '#test/makers/rows.ts';

type Name = (typeof APPROVABLE)[number]['operation'];
type Fields = Readonly<Record<string, unknown>>;

const peers = usePeers();
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

const asked = async () => (await administration('list-approvals')).body.approvals as readonly Fields[];
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
    expect(await make(call)).toBe('approval_needed');
    expect(await auditOf(operation)).toEqual([]);
    const [one] = await asked();
    expect(one).toMatchObject({ operation, state: 'asked', asked_by: CALLER, reason: 'TEST-1' });
    for (const self of [CALLER, ...SELF]) expect(await decide('approve', one!, self)).toEqual([422, 'refused']);
    for (const { operation: other } of APPROVABLE)
      if (other !== operation)
        expect(await decide('approve', { ...one, operation: other }, OTHER)).toEqual([404, 'not_found']);
    expect(await make(call)).toBe('approval_needed');
    expect(await decide('approve', one!, OTHER)).toEqual([200, 'approved']);
    expect(await make(call, {}, OTHER)).toBe('approval_needed');

    const changed = CHANGED[operation];
    expect(await make(changed ? call : await sceneOf(operation), changed)).toBe('approval_needed');
    expect(await make(call, again(operation))).toBe('made');
    const approval = one!['approval_id'];
    expect(await auditOf(operation)).toMatchObject([
      { who: CALLER, outcome: 'done', target: { approval, approved_by: OTHER } },
    ]);
    expect(await auditOf('approve-approval')).toMatchObject([
      { who: OTHER, outcome: 'done', target: { approval, operation, asked_by: CALLER } },
    ]);
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
  expect(await asked()).toMatchObject([{ operation: 'set-webhook', target: { environment: 'producao' } }]);
  expect((await administration('show-webhook', { params: { partner_id } })).body.webhooks).toMatchObject([
    { environment: 'sandbox' },
  ]);
});
