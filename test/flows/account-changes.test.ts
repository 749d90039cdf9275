/**
 * The process of a change of a partner's account dies at a call to the table. Then the next call comes: the same change
 * again, or a change that an operator makes after a change that did not answer. The partner must get one event for each
 * change that took effect, and no other event. GET /v1/me must show the moment of the latest one. The event goes only to
 * the address of the environment of the change.
 */
import { expect, it } from 'vitest';
import { accountEventOf } from '#shared/contract/event.ts';
import { makeApiKey, parseApiKey } from '#shared/domain/partners/api-key.ts';
import { drawId, type KeyId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import type { AccountChange } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { authState, createKey, listKeys, revokeKey, rotateKey } from '#shared/table/partners/api-keys.ts';
import { createPartner, listUnits, presentUnit, validatePartner } from '#shared/table/partners/partner-register.ts';
import { getRow, transact } from '#shared/table/rows/client.ts';
import { profileKey, webhookKey } from '#shared/table/rows/keys.ts';
import { changeWebhookUrl, rotateWebhookSecret, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { atEachCall, intercepted, interceptTable, meanwhile, stoppedAt } from '../makers/intercepted.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { rowsOf } from '../makers/rows.ts';

usePeers();

/** The moment before a call is the moment after the call before, so only one of the two is tried. */
const SIDES = ['after'] as const;
const [OLD, MOVED, MOVED_AGAIN] = ['https://a.example/', 'https://b.example/', 'https://c.example/'];

/** A partner whose account is changed, and the environment of the change. The environment has a webhook. */
interface Account extends EndpointOwner {
  readonly unitId: UnitId;
  /** The key that is rotated or revoked. */
  readonly old: KeyId;
  /** The sealed secrets of the webhook before the change, as text. */
  readonly secrets: string;
}

const webhookOf = (owner: EndpointOwner) => getRow(webhookKey(owner));
const secretsOf = async (owner: EndpointOwner) => String((await webhookOf(owner))?.['sealed']);
/** Returns the other environment of the same partner. */
const otherOf = ({ partnerId, environment }: EndpointOwner): EndpointOwner => ({
  partnerId,
  environment: environment === 'sandbox' ? 'producao' : 'sandbox',
});

async function accountOf(owner: EndpointOwner, unitId: UnitId, old: KeyId): Promise<Account> {
  const { partnerId, environment } = owner;
  await setWebhook(owner, OLD, newWebhookSecret(), 1);
  return { partnerId, environment, unitId, old, secrets: await secretsOf(owner) };
}

async function validated(environment: Environment): Promise<Account> {
  const { partnerId, unitId, keys } = await makePartner();
  const key = parseApiKey(keys[environment]);
  if (!key) throw new Error(`the partner has no key of ${environment}`);
  return accountOf({ partnerId, environment }, unitId, key.keyId);
}

async function notValidated(environment: Environment): Promise<Account> {
  const partnerId = drawId<PartnerId>(Date.now());
  await createPartner(partnerId, 'Parceiro por validar', 1);
  const { keyId } = makeApiKey(partnerId, environment);
  return accountOf({ partnerId, environment }, drawId<UnitId>(Date.now()), keyId);
}

const wanted = ({ partnerId, unitId, environment }: Account, token?: string) => ({
  partnerId,
  unitId,
  environment,
  token,
});
const isLive = async ({ partnerId }: Account, key: KeyId) => (await authState(partnerId))?.keys.has(key) === true;
const newestKey = async ({ partnerId, environment, old }: Account) =>
  (await listKeys(partnerId)).findLast((key) => key.environment === environment && key.id !== old)?.id;

/** A call that comes after the change that was broken off. It may be refused. */
type Call = (account: Account, now: number) => Promise<unknown>;
/** The next call, and the events that the partner must have by then: if the change took effect, and if it did not. */
type Next = readonly [what: string, call: Call, after: readonly AccountChange[], without: readonly AccountChange[]];

interface Change {
  /** The environments in which the change can be made. The process dies in the first. */
  readonly environments: readonly [Environment, ...Environment[]];
  readonly make: (environment: Environment) => Promise<Account>;
  readonly run: Call;
  readonly tookEffect: (account: Account) => Promise<boolean>;
  readonly next: readonly Next[];
}

const create: Call = (account, now) => createKey(wanted(account, 'criar'), now, accountEventOf);
const rotate: Call = ({ partnerId, old }, now) => rotateKey(partnerId, old, now, undefined, accountEventOf);
const rotateOnce: Call = ({ partnerId, old }, now) => rotateKey(partnerId, old, now, 'trocar', accountEventOf);
const revoke: Call = ({ partnerId, old }, now) => revokeKey(partnerId, old, now, accountEventOf);
const revokeNewest: Call = async (account, now) => {
  const key = await newestKey(account);
  return key && revokeKey(account.partnerId, key, now, accountEventOf);
};
const moveTo =
  (url: string): Call =>
  (account, now) =>
    changeWebhookUrl(account, url, now, undefined, { eventOf: accountEventOf });
const renewSecret =
  (token?: string): Call =>
  (account, now) =>
    rotateWebhookSecret(account, newWebhookSecret(), { overlap: 0, dropPrevious: false, token }, now, {
      eventOf: accountEventOf,
    });
const validate: Call = ({ partnerId }, now) => validatePartner(partnerId, now, accountEventOf);

const present =
  (contact: string): Call =>
  ({ partnerId, unitId }, now) =>
    presentUnit(partnerId, unitId, { contact }, now, {}, accountEventOf);

const [CREATED, ROTATED, REVOKED] = ['chave_criada', 'chave_trocada', 'chave_revogada'] as const;
const [MOVE, SECRET, OPENED] = ['webhook_endereco', 'webhook_segredo', 'producao_liberada'] as const;
const TEXTS = 'unidade_textos';

const CHANGES: Readonly<Record<AccountChange, Change>> = {
  chave_criada: {
    environments: ['sandbox', 'producao'],
    make: validated,
    run: create,
    tookEffect: async ({ partnerId }) => (await authState(partnerId))?.keys.size === 3,
    next: [
      ['is repeated', create, [CREATED], [CREATED]],
      ['is followed by the revocation of the newest key', revokeNewest, [CREATED, REVOKED], []],
    ],
  },
  chave_trocada: {
    environments: ['sandbox', 'producao'],
    make: validated,
    run: rotateOnce,
    tookEffect: async (account) => !(await isLive(account, account.old)),
    next: [
      ['is repeated with the same token', rotateOnce, [ROTATED], [ROTATED]],
      ['is repeated without a token', rotate, [ROTATED], [ROTATED]],
      ['is followed by the revocation of the old key', revoke, [ROTATED], [REVOKED]],
      ['is followed by the revocation of the newest key', revokeNewest, [ROTATED, REVOKED], []],
    ],
  },
  chave_revogada: {
    environments: ['sandbox', 'producao'],
    make: validated,
    run: revoke,
    tookEffect: async (account) => !(await isLive(account, account.old)),
    next: [
      ['is repeated', revoke, [REVOKED], [REVOKED]],
      ['is followed by a rotation of the key', rotate, [REVOKED], [ROTATED]],
    ],
  },
  webhook_endereco: {
    environments: ['producao', 'sandbox'],
    make: validated,
    run: moveTo(MOVED),
    tookEffect: async (account) => (await webhookOf(account))?.['url'] === MOVED,
    next: [
      ['is repeated', moveTo(MOVED), [MOVE], [MOVE]],
      ['is followed by another address', moveTo(MOVED_AGAIN), [MOVE, MOVE], [MOVE]],
    ],
  },
  webhook_segredo: {
    environments: ['producao', 'sandbox'],
    make: validated,
    run: renewSecret('girar'),
    tookEffect: async (account) => (await secretsOf(account)) !== account.secrets,
    next: [
      ['is repeated with the same token', renewSecret('girar'), [SECRET], [SECRET]],
      ['is followed by another rotation', renewSecret(), [SECRET, SECRET], [SECRET]],
    ],
  },
  producao_liberada: {
    environments: ['producao'],
    make: notValidated,
    run: validate,
    tookEffect: async ({ partnerId }) => (await getRow(profileKey(partnerId)))?.['validatedAt'] !== undefined,
    next: [['is repeated', validate, [OPENED], [OPENED]]],
  },
  unidade_textos: {
    environments: ['producao'],
    make: validated,
    run: present('(11) 3456-7890'),
    tookEffect: async ({ partnerId }) => (await listUnits(partnerId))[0]?.contact !== undefined,
    next: [
      ['is repeated', present('(11) 3456-7890'), [TEXTS], [TEXTS]],
      ['is followed by another text', present('(11) 2345-6789'), [TEXTS, TEXTS], [TEXTS]],
    ],
  },
};

/** Returns the events that a partner has, and the moment that GET /v1/me shows. */
async function toldTo({ partnerId }: Pick<Account, 'partnerId'>) {
  const rows = (await rowsOf('DELIVERY#')).filter((row) => row['partnerId'] === partnerId);
  const changedAt = (await getRow(profileKey(partnerId)))?.['accountChangedAt'];
  return {
    changes: rows.map(({ body }) => String(JSON.parse(String(body)).data.mudanca)).sort(),
    latest: Math.max(0, ...rows.map(({ createdAt }) => Number(createdAt))),
    changedAt: changedAt === undefined ? 0 : Number(changedAt),
  };
}

const STORIES = Object.entries(CHANGES).flatMap(([name, change]) =>
  change.next.map(([what, ...next]) => [name, what, change, ...next] as const),
);

it.each(STORIES)(
  '%s breaks off at any call and %s: each change that took effect is told, and no other',
  async (name, _, { environments, make, run, tookEffect }, call, after, without) => {
    interceptTable();
    let effects = 0;
    await atEachCall(async (point) => {
      const account = await make(environments[0]);
      const before = await toldTo(account);
      const at = Date.now() + 1_000;
      const { where, finished } = await stoppedAt(point, () => run(account, at));
      const effect = await tookEffect(account);
      if (effect) effects += 1;
      const broken = await toldTo(account);
      expect(broken.changes, where).toEqual(effect ? [name] : []);
      expect(broken.changedAt, where).toBe(effect ? at : before.changedAt);

      await call(account, at + 1_000).catch((refused: unknown) => {
        expect(String(refused), where).toContain('is not live');
      });
      const told = await toldTo(account);
      expect(told.changes, where).toEqual([...(effect ? after : without)].sort());
      expect(told.changedAt, where).toBe(told.changes.length > 0 ? told.latest : before.changedAt);
      return finished;
    }, SIDES);
    // The change that is not stopped takes effect, and so does one that is stopped after its last call.
    expect(effects).toBeGreaterThanOrEqual(2);
  },
);

/** Changes that read the webhook's address and do not set it. */
const BY_ADDRESS = Object.entries(CHANGES).filter(([name]) => name !== MOVE);

it.each(BY_ADDRESS)('%s tells the new address if another call has set it before the write', async (name, change) => {
  interceptTable();
  const account = await change.make(change.environments[0]);
  const at = Date.now() + 1_000;
  const other = meanwhile('table TransactWriteItemsCommand', () => moveTo(MOVED)(account, at));
  const refusal = await intercepted(other, () => change.run(account, at + 1_000)).then(String, String);
  expect(refusal).toContain('was changed meanwhile: look at');
  expect(await change.tookEffect(account)).toBe(false);

  await change.run(account, at + 2_000);
  const rows = (await rowsOf('DELIVERY#')).filter((row) => row['partnerId'] === account.partnerId);
  const told = rows.map(({ to, body }) => [JSON.parse(String(body)).data.mudanca, to]);
  expect(told).toContainEqual([name, MOVED]);
});

it('createKey tells the first address of a webhook that another call has set before the write', async () => {
  interceptTable();
  const { partnerId, unitId } = await makePartner();
  const at = Date.now() + 1_000;
  const owner = { partnerId, environment: 'sandbox' } as const;
  const account = { ...owner, unitId, old: makeApiKey(partnerId, 'sandbox').keyId, secrets: '' };
  const other = meanwhile('table TransactWriteItemsCommand', () => setWebhook(owner, OLD, newWebhookSecret(), at));
  const refusal = await intercepted(other, () => create(account, at + 1_000)).then(String, String);
  expect(refusal).toContain('was changed meanwhile: look at');
  expect((await toldTo({ partnerId })).changes).toEqual([]);

  await create(account, at + 2_000);
  expect((await toldTo({ partnerId })).changes).toEqual([CREATED]);
});

/** Each change in each environment in which it can be made. */
const PLACES = Object.entries(CHANGES).flatMap(([name, change]) =>
  change.environments.map((environment) => [name, environment, change] as const),
);

it.each(PLACES)('%s of %s is told to the address of this environment only', async (name, environment, change) => {
  const account = await change.make(environment);
  await setWebhook(otherOf(account), 'https://outro.example/', newWebhookSecret(), 1);
  await change.run(account, Date.now() + 1_000);
  expect(await change.tookEffect(account)).toBe(true);
  const rows = (await rowsOf('DELIVERY#')).filter((row) => row['partnerId'] === account.partnerId);
  const told = rows.map((row) => {
    const body = JSON.parse(String(row['body']));
    return { change: body.data.mudanca, named: body.ambiente, environment: row['environment'], to: row['to'] };
  });
  expect(told).toEqual([{ change: name, named: environment, environment, to: OLD }]);
});

it.each(PLACES)('%s of %s leaves the webhook of the other environment as it is', async (_, environment, change) => {
  const account = await change.make(environment);
  await setWebhook(otherOf(account), 'https://outro.example/', newWebhookSecret(), 1);
  const before = await webhookOf(otherOf(account));
  await change.run(account, Date.now() + 1_000);
  expect(await webhookOf(otherOf(account))).toEqual(before);
});

/** The changes that can be made in an environment without a webhook. */
const WITHOUT_WEBHOOK = PLACES.filter(([name]) => name !== MOVE && name !== SECRET);

it.each(WITHOUT_WEBHOOK)(
  '%s of %s makes no event if only the other environment has an address, and GET /v1/me shows its time',
  async (_, environment, change) => {
    const account = await change.make(environment);
    await transact([{ Delete: { Key: webhookKey(account) } }]);
    await setWebhook(otherOf(account), 'https://outro.example/', newWebhookSecret(), 1);
    const at = Date.now() + 1_000;
    await change.run(account, at);
    expect(await change.tookEffect(account)).toBe(true);
    expect(await toldTo(account)).toEqual({ changes: [], latest: 0, changedAt: at });
  },
);

it.each(ENVIRONMENTS)(
  'the first address of a webhook of %s is no event, and its moment is written with the address',
  async (environment) => {
    interceptTable();
    await atEachCall(async (point) => {
      const { partnerId } = await makePartner();
      const owner = { partnerId, environment };
      const before = await toldTo({ partnerId });
      const at = Date.now() + 1_000;
      const set = () => setWebhook(owner, OLD, newWebhookSecret(), at, { eventOf: accountEventOf });
      const { where, finished } = await stoppedAt(point, set);
      const isSet = (await webhookOf(owner)) !== undefined;
      const told = await toldTo({ partnerId });
      expect(told.changes, where).toEqual([]);
      expect(told.changedAt, where).toBe(isSet ? at : before.changedAt);
      return finished;
    }, SIDES);
  },
);
