import { createHash, createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { type ApiKey, apiKeyHash, displayPrefix, keyIdFrom, makeApiKey } from '#shared/domain/partners/api-key.ts';
import {
  type AuthState,
  bitsFromScopes,
  type IssuedKey,
  type KeyLabel,
  type NewKey,
  SCOPES,
} from '#shared/domain/partners/partner.ts';
import type { ApiKeys } from '#shared/domain/partners/ports.ts';
import { drawId, type KeyId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import type { AccountEventOf } from '#shared/domain/webhooks/delivery.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { accountChanges, type ChangedAccount, requireWebhookAsRead, webhookAsRead } from '../rows/account-changes.ts';
import { getRow, type Item, queryPartition, type TransactItem, transactNamed } from '../rows/client.ts';
import { decrypt, encrypt } from '../rows/encryption.ts';
import { API_KEYS, apiKeyKey, authKey, partnerPartition, unitKey, webhookKey } from '../rows/keys.ts';
import { type FieldsOf, numberOf, textOf } from '../rows/row-format.ts';
import { AUTH_KEYS, AUTH_LIMIT, type AuthEntry, dayNumber, dayWithNumber } from './api-key-auth.ts';

const SALT_BYTES = 32;

/** Each call, even a refused one, costs a write unit per started KB of the auth item. */
const LARGEST_AUTH_ITEM = 4096;

export const labelFormat = z.object({
  id: textOf<KeyId>(),
  unitId: numberOf<UnitId>(),
  environment: z.enum(ENVIRONMENTS),
  scopes: z.array(z.enum(SCOPES)),
  prefix: z.string(),
  lastFour: z.string(),
  createdAt: z.number(),
  revokedAt: z.optional(z.number()),
  /** Day of the last call, only for a key that has ended. */
  lastDay: z.optional(z.number()),
});
export const sealedLabel = z.object({
  consultant: z.optional(z.object({ id: z.number(), name: z.string() })),
  /** Only a key with a token has a salt (`drawKey`). */
  salt: z.optional(z.string()),
});

const keyIdFormat = textOf<KeyId>();
const entriesFormat = z.record(
  z.string(),
  z.object({
    h: z.instanceof(Uint8Array),
    s: z.number(),
    u: numberOf<UnitId>(),
    d: z.optional(z.number()),
  } satisfies FieldsOf<AuthEntry>),
);

const authEntries = (auth: Item) => entriesFormat.parse(auth[AUTH_KEYS]);

/** Undefined if there is no such partner. */
export async function authState(partnerId: PartnerId): Promise<AuthState | undefined> {
  const item = await getRow(authKey(partnerId));
  return item && authStateOf(item);
}

function authStateOf(item: Item): AuthState {
  return {
    keys: new Set(Object.keys(authEntries(item)).map((keyId) => keyIdFormat.parse(keyId))),
    limits: { sandbox: Number(item[AUTH_LIMIT.sandbox]), producao: Number(item[AUTH_LIMIT.producao]) },
    bytes: itemBytes(item),
  };
}

export async function createKey(wanted: NewKey, now: Instant, eventOf?: AccountEventOf): Promise<IssuedKey> {
  const { partnerId, environment } = wanted;
  const [auth, webhook] = await Promise.all([getRow(authKey(partnerId)), getRow(webhookKey(wanted))]);
  return issue(wanted, auth, now, undefined, { partnerId, environment, webhook, eventOf });
}

/** One transaction removes the old key, adds the new key and writes the event for the partner. */
export async function rotateKey(
  partnerId: PartnerId,
  old: KeyId,
  now: Instant,
  token?: string,
  eventOf?: AccountEventOf,
): Promise<IssuedKey> {
  const row = apiKeyKey(partnerId, old);
  const [item, auth, webhooks] = await Promise.all([getRow(row), getRow(authKey(partnerId)), webhooksOf(partnerId)]);
  if (!item) throw notLive(old);
  const { unitId, environment, scopes } = labelFormat.parse(item);
  const { consultant } = await decrypt(row, item['sealed'], sealedLabel);
  const wanted = { partnerId, unitId, environment, scopes, consultant, token };
  return issue(wanted, auth, now, old, { partnerId, environment, webhook: webhooks[environment], eventOf });
}

export async function revokeKey(
  partnerId: PartnerId,
  keyId: KeyId,
  now: Instant,
  eventOf?: AccountEventOf,
): Promise<void> {
  const [auth, label, webhooks] = await Promise.all([
    getRow(authKey(partnerId)),
    getRow(apiKeyKey(partnerId, keyId)),
    webhooksOf(partnerId),
  ]);
  if (!auth || !isLive(auth, keyId) || !label) throw notLive(keyId);
  const { environment, unitId } = labelFormat.parse(label);
  const { d: lastDay } = entryIn(auth, keyId) ?? {};
  const account = { partnerId, environment, webhook: webhooks[environment], eventOf };
  const outcome = await transactNamed({
    auth: {
      Update: {
        Key: authKey(partnerId),
        UpdateExpression: 'REMOVE #keys.#key',
        ConditionExpression: 'attribute_exists(#keys.#key)',
        ExpressionAttributeNames: { '#keys': AUTH_KEYS, '#key': keyId },
      },
    },
    label: labelEnd(partnerId, keyId, now, lastDay),
    ...accountChanges(account, { change: 'chave_revogada', unitId, now }),
    webhook: webhookAsRead(account),
  });
  // If another call has removed the key meanwhile, that call has written the event.
  if (outcome === 'written' || outcome.auth) return;
  requireWebhookAsRead(account, outcome.webhook);
  throw new SafeError(`key ${keyId} was not revoked: its rows have changed meanwhile, run the command again`);
}

/** Both webhooks are read in one round with a key's label, because only the label names the environment. */
async function webhooksOf(partnerId: PartnerId): Promise<Readonly<Record<Environment, Item | undefined>>> {
  const [sandbox, producao] = await Promise.all([
    getRow(webhookKey({ partnerId, environment: 'sandbox' })),
    getRow(webhookKey({ partnerId, environment: 'producao' })),
  ]);
  return { sandbox, producao };
}

export async function listKeys(partnerId: PartnerId): Promise<KeyLabel[]> {
  const [auth, items] = await Promise.all([
    getRow(authKey(partnerId)),
    queryPartition(partnerPartition(partnerId), API_KEYS),
  ]);
  const labels = await Promise.all(
    items.map(async (item) => {
      const { lastDay, ...label } = labelFormat.parse(item);
      const { consultant } = await decrypt(apiKeyKey(partnerId, label.id), item['sealed'], sealedLabel);
      const entry = auth && entryIn(auth, label.id);
      const day = entry?.d ?? lastDay;
      const lastUsedOn = day === undefined ? undefined : dayWithNumber(day);
      return { ...label, live: entry !== undefined, consultant: consultant?.id, lastUsedOn };
    }),
  );
  return labels.sort((a, b) => a.createdAt - b.createdAt);
}

async function issue(
  wanted: NewKey,
  auth: Item | undefined,
  now: Instant,
  replaced: KeyId | undefined,
  account: ChangedAccount,
): Promise<IssuedKey> {
  const { partnerId, unitId, scopes = [] } = wanted;
  if (!auth) throw new SafeError(`there is no partner ${partnerId}: see partners list`);
  const seed = seedOf(wanted, replaced);
  const before = seed && (await getRow(apiKeyKey(partnerId, keyIdFrom(seed))));
  if (seed && before) return showAgain(wanted, seed, before);
  const { newKey, salt } = drawKey(wanted, seed);
  const entry: AuthEntry = { h: apiKeyHash(newKey.text), s: bitsFromScopes(scopes), u: unitId };
  if (!replaced) checkRoom(auth, newKey.keyId, entry, now);
  else if (!isLive(auth, replaced)) throw notLive(replaced);
  const lastDay = replaced && entryIn(auth, replaced)?.d;
  return makeLive(wanted, { newKey, salt, seed, entry, replaced, lastDay }, now, account);
}

/** The key's id follows from this hash, so that a token makes at most one key. Undefined without a token. */
function seedOf(wanted: NewKey, replaced: KeyId | undefined): Uint8Array | undefined {
  const { partnerId, unitId, environment, token } = wanted;
  if (token === undefined) return undefined;
  const request = JSON.stringify([partnerId, unitId, environment, replaced ?? '', token]);
  return createHash('sha512').update(request).digest();
}

/**
 * With a token, the secret part follows from the token and a random salt. The label keeps the salt, sealed, and nothing
 * keeps the token: only a call with the same token shows the same key again.
 */
function drawKey(wanted: NewKey, seed: Uint8Array | undefined) {
  if (!seed) return { newKey: makeApiKey(wanted.partnerId, wanted.environment), salt: undefined };
  const salt = randomBytes(SALT_BYTES).toString('base64');
  return { newKey: keyBySalt(wanted, seed, salt), salt };
}

function keyBySalt({ partnerId, environment }: NewKey, seed: Uint8Array, salt: string): ApiKey {
  const secret = createHmac('sha512', Buffer.from(salt, 'base64')).update(seed).digest();
  return makeApiKey(partnerId, environment, secret, keyIdFrom(seed));
}

/** Throws a SafeError if the key is dead, or if it has other scopes or another consultant than this call wants. */
async function showAgain(wanted: NewKey, seed: Uint8Array, label: Item): Promise<IssuedKey> {
  const { partnerId } = wanted;
  const keyId = keyIdFrom(seed);
  const { salt } = await requireSameRequest(wanted, keyId, label);
  // The auth item is read after the label: both were written together.
  const auth = await getRow(authKey(partnerId));
  const key = salt === undefined ? undefined : keyBySalt(wanted, seed, salt);
  if (!key || !auth || !holds(auth, keyId, apiKeyHash(key.text))) throw deadKey(keyId);
  return { text: key.text, keyId };
}

const entryIn = (auth: Item, keyId: KeyId): AuthEntry | undefined => authEntries(auth)[keyId];
const isLive = (auth: Item, keyId: KeyId): boolean => entryIn(auth, keyId) !== undefined;

function holds(auth: Item, keyId: KeyId, hash: Uint8Array): boolean {
  const entry = entryIn(auth, keyId);
  return entry !== undefined && Buffer.from(entry.h).equals(hash);
}

interface KeyToAdmit {
  readonly newKey: ApiKey;
  readonly seed: Uint8Array | undefined;
  readonly salt: string | undefined;
  readonly entry: AuthEntry;
  readonly replaced: KeyId | undefined;
  /** Day of the replaced key's last call. */
  readonly lastDay: number | undefined;
}

/**
 * Calls count themselves in the auth item all the time: a call that meets this transaction is refused by DynamoDB and
 * tries again within milliseconds. Throws a SafeError if the key cannot be made.
 */
async function makeLive(
  wanted: NewKey,
  { newKey, salt, seed, entry, replaced, lastDay }: KeyToAdmit,
  now: Instant,
  account: ChangedAccount,
): Promise<IssuedKey> {
  const { partnerId, unitId, environment } = wanted;
  const change = accountChanges(account, {
    change: replaced ? 'chave_trocada' : 'chave_criada',
    unitId,
    now,
    condition: environment === 'producao' ? 'attribute_exists(validatedAt)' : 'attribute_exists(pk)',
  });
  const outcome = await transactNamed({
    auth: admission(partnerId, newKey.keyId, entry, replaced),
    label: await labelPart(wanted, newKey, salt, now),
    unit: { ConditionCheck: { Key: unitKey(partnerId, unitId), ConditionExpression: 'attribute_exists(pk)' } },
    ...change,
    replaced: replaced && labelEnd(partnerId, replaced, now, lastDay),
    webhook: webhookAsRead(account),
  });
  if (outcome === 'written') return { text: newKey.text, keyId: newKey.keyId };
  if (outcome.unit) throw new SafeError(`partner ${partnerId} has no unit ${unitId}: see units list`);
  if (outcome.profile) {
    throw new SafeError(
      `partner ${partnerId} is not validated for production: use the sandbox, or partners validate first`,
    );
  }
  if (outcome.label) {
    if (!seed || !outcome.label.row) throw new SafeError('the new key drew an id that is taken: try again');
    // Another call with the same token was faster.
    return showAgain(wanted, seed, outcome.label.row);
  }
  if (!outcome.auth) requireWebhookAsRead(account, outcome.webhook);
  throw replaced ? notLive(replaced) : new SafeError('the auth item did not take the key: try again');
}

/** Throws a SafeError if the key has other scopes, or another consultant, than this call wants. */
async function requireSameRequest({ partnerId, scopes = [], consultant }: NewKey, keyId: KeyId, label: Item) {
  const before = await decrypt(apiKeyKey(partnerId, keyId), label['sealed'], sealedLabel);
  const { id = before.consultant?.id, name } = consultant ?? {};
  const isSame =
    bitsFromScopes(labelFormat.parse(label).scopes) === bitsFromScopes(scopes) &&
    before.consultant?.name === name &&
    before.consultant?.id === id;
  if (isSame) return before;
  throw new SafeError(
    `the token has made key ${keyId}, with other scopes or another consultant: use another token, or ask as then`,
  );
}

function admission(partnerId: PartnerId, keyId: KeyId, entry: AuthEntry, replaced: KeyId | undefined): TransactItem {
  return {
    Update: {
      Key: authKey(partnerId),
      UpdateExpression: `SET #keys.#key = :entry${replaced ? ' REMOVE #keys.#replaced' : ''}`,
      ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(#keys.#key)${replaced ? ' AND attribute_exists(#keys.#replaced)' : ''}`,
      ExpressionAttributeNames: replaced
        ? { '#keys': AUTH_KEYS, '#key': keyId, '#replaced': replaced }
        : { '#keys': AUTH_KEYS, '#key': keyId },
      ExpressionAttributeValues: { ':entry': entry },
    },
  };
}

async function labelPart(
  { partnerId, unitId, environment, scopes = [], consultant }: NewKey,
  newKey: ApiKey,
  salt: string | undefined,
  now: Instant,
): Promise<TransactItem> {
  const row = apiKeyKey(partnerId, newKey.keyId);
  return {
    Put: {
      Item: {
        ...row,
        id: newKey.keyId,
        unitId,
        environment,
        scopes,
        prefix: displayPrefix(newKey),
        lastFour: newKey.text.slice(-4),
        createdAt: now,
        sealed: await encrypt(row, {
          consultant: consultant && { ...consultant, id: consultant.id ?? drawId<number>(now) },
          salt,
        }),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

function checkRoom(auth: Item, keyId: KeyId, entry: AuthEntry, now: Instant): void {
  // The first call of a key adds the day to its entry.
  const used = Object.entries({ ...authEntries(auth), [keyId]: entry }).map(([id, live]) => [
    id,
    { ...live, d: dayNumber(now) },
  ]);
  const bytes = itemBytes({ ...auth, [AUTH_KEYS]: Object.fromEntries(used) });
  if (bytes > LARGEST_AUTH_ITEM) {
    throw new SafeError(
      `with one more key the partner's auth item would have ${bytes} bytes, above ${LARGEST_AUTH_ITEM}: revoke keys that are no longer used`,
    );
  }
}

/** Notes the day of the last call, because the key's entry in the auth item is removed. */
function labelEnd(partnerId: PartnerId, keyId: KeyId, now: Instant, lastDay: number | undefined): TransactItem {
  const end = 'SET revokedAt = :now';
  return {
    Update: {
      Key: apiKeyKey(partnerId, keyId),
      UpdateExpression: lastDay === undefined ? end : `${end}, lastDay = :day`,
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revokedAt)',
      ExpressionAttributeValues: lastDay === undefined ? { ':now': now } : { ':now': now, ':day': lastDay },
    },
  };
}

const deadKey = (keyId: KeyId): SafeError =>
  new SafeError(`the key of this token, ${keyId}, is dead: use another token`);

const notLive = (keyId: KeyId): SafeError => new SafeError(`key ${keyId} is not live: see keys list`);

export class TableApiKeys implements ApiKeys {
  readonly #eventOf: AccountEventOf;

  constructor(eventOf: AccountEventOf) {
    this.#eventOf = eventOf;
  }

  state(partnerId: PartnerId): Promise<AuthState | undefined> {
    return authState(partnerId);
  }

  list(partnerId: PartnerId): Promise<KeyLabel[]> {
    return listKeys(partnerId);
  }

  create(wanted: NewKey, now: Instant): Promise<IssuedKey> {
    return createKey(wanted, now, this.#eventOf);
  }

  rotate(partnerId: PartnerId, old: KeyId, now: Instant, token?: string): Promise<IssuedKey> {
    return rotateKey(partnerId, old, now, token, this.#eventOf);
  }

  revoke(partnerId: PartnerId, keyId: KeyId, now: Instant): Promise<void> {
    return revokeKey(partnerId, keyId, now, this.#eventOf);
  }
}

const CONTAINER = 3;
const ENTRY = 1;

/** A number counts by its digits, a null or a boolean 1. Source: DynamoDB developer guide, "Item sizes and formats". */
export const itemBytes = (item: object): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + valueBytes(one) + ENTRY, CONTAINER);
  if (typeof value === 'object' && value !== null) {
    return itemBytes(value) + CONTAINER + ENTRY * Object.keys(value).length;
  }
  return 1;
}
