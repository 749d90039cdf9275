import * as z from 'zod/mini';
import { type ApiKey, apiKeyHash, displayPrefix, makeApiKey } from '#shared/domain/partners/api-key.ts';
import {
  type AuthState,
  bitsFromScopes,
  type IssuedKey,
  type KeyLabel,
  type NewKey,
  SCOPES,
} from '#shared/domain/partners/partner.ts';
import { drawId, type KeyId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import type { AccountEventOf } from '#shared/domain/webhooks/delivery.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { getRow, type Item, queryPartition, type TransactItem, transact, updateRow } from '../rows/client.ts';
import { decrypt, encrypt } from '../rows/encryption.ts';
import { derivedBytes } from '../rows/index-keys.ts';
import { API_KEYS, apiKeyKey, authKey, partnerPartition, unitKey, webhookKey } from '../rows/keys.ts';
import { numberOf, textOf } from '../rows/row-format.ts';
import { AUTH_KEYS, AUTH_LIMIT, type AuthEntry } from './api-key-auth.ts';
import { accountChanges } from './partner-register.ts';

/** Bytes that an auth item may have: each call, a refused one too, pays a write unit per started KB of it. */
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
});
export const sealedLabel = z.object({ consultant: z.optional(z.object({ id: z.number(), name: z.string() })) });

/** What the auth item says of a partner; undefined where there is no such partner. */
export async function authState(partnerId: PartnerId): Promise<AuthState | undefined> {
  const item = await getRow(authKey(partnerId));
  return item && authStateOf(item);
}

function authStateOf(item: Item): AuthState {
  return {
    keys: new Set(Object.keys(item[AUTH_KEYS] as Record<string, AuthEntry>) as KeyId[]),
    limits: { sandbox: Number(item[AUTH_LIMIT.sandbox]), producao: Number(item[AUTH_LIMIT.producao]) },
    bytes: itemBytes(item),
  };
}

/**
 * Makes a key and gives its text, which is kept nowhere. `now` in milliseconds. Throws a SafeError where partner or
 * unit do not exist, where a production key is asked for a partner that is not validated, where the auth item is full, and
 * where the token's key is dead or was asked for with other scopes or another consultant.
 */
export async function createKey(wanted: NewKey, now: number, eventOf?: AccountEventOf): Promise<IssuedKey> {
  const { partnerId } = wanted;
  const [auth, webhook] = await Promise.all([getRow(authKey(partnerId)), getRow(webhookKey(partnerId))]);
  return issue(wanted, auth, now, undefined, accountChanges(partnerId, webhook, eventOf));
}

/**
 * Replaces a live key by a new one of the same unit, environment, scopes and consultant: one write of the auth item takes
 * the old key out and lets the new one in, so the old one is dead from that moment. Gives the new key's text.
 * Throws a SafeError where the key is not live; with the same token a repeated rotation gives the same key.
 */
export async function rotateKey(
  partnerId: PartnerId,
  old: KeyId,
  now: number,
  token?: string,
  eventOf?: AccountEventOf,
): Promise<IssuedKey> {
  const row = apiKeyKey(partnerId, old);
  const [item, auth, webhook] = await Promise.all(
    [row, authKey(partnerId), webhookKey(partnerId)].map((key) => getRow(key)),
  );
  if (!item) throw notLive(old);
  const { unitId, environment, scopes } = labelFormat.parse(item);
  const { consultant } = await decrypt(row, item['sealed'], sealedLabel);
  const changes = accountChanges(partnerId, webhook, eventOf);
  return issue({ partnerId, unitId, environment, scopes, consultant, token }, auth, now, old, changes);
}

/** Takes a live key out of the auth item: no call is admitted with it from this moment. Throws a SafeError where it is not live. */
export async function revokeKey(
  partnerId: PartnerId,
  keyId: KeyId,
  now: number,
  eventOf?: AccountEventOf,
): Promise<void> {
  const [auth, label, webhook] = await Promise.all([
    authState(partnerId),
    getRow(apiKeyKey(partnerId, keyId)),
    getRow(webhookKey(partnerId)),
  ]);
  if (!auth?.keys.has(keyId) || !label) throw notLive(keyId);
  const { environment, unitId } = labelFormat.parse(label);
  const changed = accountChanges(partnerId, webhook, eventOf)('chave_revogada', now, environment, { unitId });
  // The label first: what the auth item says wins where the two differ, and nothing is left to do once the key is out of it.
  // Refused where a call that was cut off has ended the label, and told of it.
  await transact([{ Update: revocation(partnerId, keyId, now, 'attribute_not_exists(revokedAt)') }, ...changed]);
  // Refused where the key is out by now: by another call, or by this one, whose answer was lost. It is dead either way.
  await updateRow({
    Key: authKey(partnerId),
    UpdateExpression: 'REMOVE #keys.#key',
    ConditionExpression: 'attribute_exists(#keys.#key)',
    ExpressionAttributeNames: { '#keys': AUTH_KEYS, '#key': keyId },
  });
}

/** All keys that a partner ever had, oldest first. */
export async function listKeys(partnerId: PartnerId): Promise<KeyLabel[]> {
  const [auth, items] = await Promise.all([
    authState(partnerId),
    queryPartition(partnerPartition(partnerId), API_KEYS),
  ]);
  const labels = await Promise.all(
    items.map(async (item) => {
      const label = labelFormat.parse(item);
      const { consultant } = await decrypt(apiKeyKey(partnerId, label.id), item['sealed'], sealedLabel);
      return { ...label, live: auth?.keys.has(label.id) ?? false, consultant: consultant?.id };
    }),
  );
  return labels.sort((a, b) => a.createdAt - b.createdAt);
}

/**
 * Calls write the auth item all the time, and a transaction on it would make theirs fail: labels are written first and by
 * themselves, then one conditional update of the auth item lets the key in, and the replaced one out. Nothing comes after
 * it, so that a key whose text gets lost on the way out is one that never lived.
 */
async function issue(
  wanted: NewKey,
  auth: Item | undefined,
  now: number,
  replaced: KeyId | undefined,
  changes: ReturnType<typeof accountChanges>,
): Promise<IssuedKey> {
  const { partnerId, unitId, environment, scopes = [], token } = wanted;
  const seeds = token === undefined ? [undefined] : await seedsOf(wanted, replaced, token);
  const [made, ...older] = seeds.map((seed) => makeApiKey(partnerId, environment, seed)) as [ApiKey, ...ApiKey[]];
  const entryOf = ({ text }: ApiKey): AuthEntry => ({ h: apiKeyHash(text), s: bitsFromScopes(scopes), u: unitId });
  if (!auth) throw new SafeError(`there is no partner ${partnerId}: see partners list`);
  const held = [made, ...older].find((one) => holds(auth, one.keyId, entryOf(one)));
  if (held) {
    await requireSameWish(wanted, held.keyId, await getRow(apiKeyKey(partnerId, held.keyId)));
    return { text: held.text, keyId: held.keyId };
  }
  const issued = { text: made.text, keyId: made.keyId };
  const entry = entryOf(made);
  if (!replaced) checkRoom(auth, made.keyId, entry);
  // Before a label is written, which would stay for good of a key that never lived.
  else if (!isLive(auth, replaced)) throw notLive(replaced);
  await writeLabels(wanted, made, replaced, now, changes);
  await open(partnerId, made.keyId, entry, replaced);
  return issued;
}

/**
 * The same for the same wish and token; the index key is in it, so that a token opens nothing to who knows it. One for
 * each index key that is held, the current one first.
 */
const seedsOf = ({ partnerId, unitId, environment }: NewKey, replaced: KeyId | undefined, token: string) =>
  derivedBytes('api-key', JSON.stringify([partnerId, unitId, environment, replaced ?? '', token]));

const entryIn = (auth: Item, keyId: KeyId) => (auth[AUTH_KEYS] as Record<string, AuthEntry> | undefined)?.[keyId];
const isLive = (auth: Item, keyId: KeyId) => entryIn(auth, keyId) !== undefined;

/** Whether the auth item lets in a key with this very hash. */
function holds(auth: Item, keyId: KeyId, { h }: AuthEntry): boolean {
  const held = entryIn(auth, keyId);
  return held !== undefined && Buffer.from(held.h).equals(h);
}

/** The new key's label, and the replaced one's end, with what tells the partner. A token's label that stands already is left as it is. */
async function writeLabels(
  wanted: NewKey,
  made: ApiKey,
  replaced: KeyId | undefined,
  now: number,
  changes: ReturnType<typeof accountChanges>,
): Promise<void> {
  const { partnerId, unitId, environment, token } = wanted;
  const condition = environment === 'producao' ? 'attribute_exists(validatedAt)' : 'attribute_exists(pk)';
  const change = replaced ? 'chave_trocada' : 'chave_criada';
  const outcome = await transact([
    await labelPart(wanted, made, now),
    { ConditionCheck: { Key: unitKey(partnerId, unitId), ConditionExpression: 'attribute_exists(pk)' } },
    ...changes(change, now, environment, { condition, unitId }),
    ...(replaced ? [{ Update: revocation(partnerId, replaced, now) }] : []),
  ]);
  if (outcome === 'written') return;
  const [label, unit, profile] = outcome;
  if (unit?.failed) throw new SafeError(`partner ${partnerId} has no unit ${unitId}: see units list`);
  if (profile?.failed) {
    throw new SafeError(
      `partner ${partnerId} is not validated for production: use the sandbox, or partners validate first`,
    );
  }
  if (token === undefined) throw new SafeError('the new key drew an id that is taken: try again');
  if (label?.item?.['revokedAt'] !== undefined) {
    throw new SafeError(`the key of this token, ${made.keyId}, is dead: use another token`);
  }
  await requireSameWish(wanted, made.keyId, label?.item);
}

/** Throws where the token's key may do other things, or names another, than it is asked for now. */
async function requireSameWish({ partnerId, scopes = [], consultant }: NewKey, keyId: KeyId, label?: Item) {
  if (!label) return;
  const before = await decrypt(apiKeyKey(partnerId, keyId), label['sealed'], sealedLabel);
  const { id = before.consultant?.id, name } = consultant ?? {};
  const isSame =
    bitsFromScopes(labelFormat.parse(label).scopes) === bitsFromScopes(scopes) &&
    before.consultant?.name === name &&
    before.consultant?.id === id;
  if (isSame) return;
  throw new SafeError(
    `the token has made key ${keyId}, with other scopes or another consultant: use another token, or ask as then`,
  );
}

/** Lets a key in and the replaced one out. */
async function open(partnerId: PartnerId, keyId: KeyId, entry: AuthEntry, replaced: KeyId | undefined): Promise<void> {
  const outcome = await updateRow(
    {
      Key: authKey(partnerId),
      UpdateExpression: `SET #keys.#key = :entry${replaced ? ' REMOVE #keys.#replaced' : ''}`,
      ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(#keys.#key)${replaced ? ' AND attribute_exists(#keys.#replaced)' : ''}`,
      ExpressionAttributeNames: { '#keys': AUTH_KEYS, '#key': keyId, ...(replaced && { '#replaced': replaced }) },
      ExpressionAttributeValues: { ':entry': entry },
    },
    (refused) => holds(refused, keyId, entry),
  );
  if ('written' in outcome) return;
  throw replaced ? notLive(replaced) : new SafeError('the auth item did not take the key: try again');
}

async function labelPart(
  { partnerId, unitId, environment, scopes = [], consultant }: NewKey,
  made: ApiKey,
  now: number,
): Promise<TransactItem> {
  const row = apiKeyKey(partnerId, made.keyId);
  return {
    Put: {
      Item: {
        ...row,
        id: made.keyId,
        unitId,
        environment,
        scopes,
        prefix: displayPrefix(made),
        lastFour: made.text.slice(-4),
        createdAt: now,
        sealed: await encrypt(row, {
          consultant: consultant && { ...consultant, id: consultant.id ?? drawId<number>(now) },
        }),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

function checkRoom(auth: Item, keyId: KeyId, entry: AuthEntry): void {
  const keys = auth[AUTH_KEYS] as Record<string, AuthEntry>;
  const bytes = itemBytes({ ...auth, [AUTH_KEYS]: { ...keys, [keyId]: entry } });
  if (bytes > LARGEST_AUTH_ITEM) {
    throw new SafeError(
      `with one more key the partner's auth item would have ${bytes} bytes, above ${LARGEST_AUTH_ITEM}: revoke keys that are no longer used`,
    );
  }
}

function revocation(partnerId: PartnerId, keyId: KeyId, now: number, condition = 'attribute_exists(pk)') {
  return {
    Key: apiKeyKey(partnerId, keyId),
    UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :now)',
    ConditionExpression: condition,
    ExpressionAttributeValues: { ':now': now },
  };
}

const notLive = (keyId: KeyId): SafeError => new SafeError(`key ${keyId} is not live: see keys list`);

/** Partners' keys as the manager keeps them; each change tells its partner. */
export function tableApiKeys(eventOf: AccountEventOf) {
  return {
    state: authState,
    list: listKeys,
    create: (wanted: NewKey, now: number) => createKey(wanted, now, eventOf),
    rotate: (partnerId: PartnerId, old: KeyId, now: number, token?: string) =>
      rotateKey(partnerId, old, now, token, eventOf),
    revoke: (partnerId: PartnerId, keyId: KeyId, now: number) => revokeKey(partnerId, keyId, now, eventOf),
  };
}

/** DynamoDB adds this to each list and map, and 1 byte to each of their entries. */
const CONTAINER = 3;
const ENTRY = 1;

/**
 * Bytes of an item as DynamoDB counts them for its limits and its capacity units: names and texts in UTF-8, a number
 * by its digits, a null or a boolean 1. Source: DynamoDB developer guide, "Item sizes and formats".
 */
export const itemBytes = (item: Readonly<Record<string, unknown>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + valueBytes(one) + ENTRY, CONTAINER);
  if (typeof value === 'object' && value !== null) {
    return itemBytes(value as Record<string, unknown>) + CONTAINER + ENTRY * Object.keys(value).length;
  }
  return 1;
}
