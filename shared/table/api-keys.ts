import * as z from 'zod';
import { apiKeyHash, displayPrefix, makeApiKey } from '../domain/partners/api-key.ts';
import { bitsFromScopes, SCOPES, type Scope } from '../domain/partners/partner.ts';
import type { KeyId, PartnerId, UnitId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../domain/values/tenancy.ts';
import { SafeError } from '../runtime/log.ts';
import { AUTH_KEYS, AUTH_LIMIT, type AuthEntry } from './api-key-auth.ts';
import { getRow, type Item, queryAllRows, type TransactItem, transact, updateRow } from './client.ts';
import { decrypt, encrypt } from './encryption.ts';
import { itemBytes } from './item-size.ts';
import { API_KEYS, apiKeyKey, authKey, partnerPartition, profileKey, unitKey } from './keys.ts';

/** Bytes that a auth item may have: each call, a refused one too, pays a write unit per started KB of it. */
const LARGEST_AUTH_ITEM = 4096;

const consultantFormat = z.object({ id: z.number(), name: z.string() });
export type Consultant = z.infer<typeof consultantFormat>;

const labelFormat = z.object({
  id: z.custom<KeyId>((value) => typeof value === 'string'),
  unitId: z.custom<UnitId>((value) => typeof value === 'number'),
  environment: z.enum(ENVIRONMENTS),
  scopes: z.array(z.enum(SCOPES)),
  prefix: z.string(),
  lastFour: z.string(),
  createdAt: z.number(),
  revokedAt: z.number().optional(),
});
const sealedLabel = z.object({ consultant: consultantFormat.optional() });

export interface NewKey {
  readonly partnerId: PartnerId;
  readonly unitId: UnitId;
  readonly environment: Environment;
  /** None means all. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly consultant?: Consultant | undefined;
}

/** A key as it is known after its text was shown: what people recognise it by, and whether it is live. */
export interface KeyLabel extends z.infer<typeof labelFormat> {
  readonly live: boolean;
  readonly consultant: number | undefined;
}

/** What the auth item says of a partner; undefined where there is no such partner. */
export interface AuthState {
  readonly keys: ReadonlySet<KeyId>;
  /** Calls a minute. */
  readonly limits: Readonly<Record<Environment, number>>;
  readonly bytes: number;
}

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
 * Makes a key and gives its text, which is kept nowhere. `now` in milliseconds. Throws an SafeError where partner or
 * unit do not exist, where a production key is asked for a partner that is not validated, and where the auth item is full.
 */
export async function createKey(wanted: NewKey, now: number): Promise<{ text: string; keyId: KeyId }> {
  return issue(wanted, now, undefined);
}

/**
 * Replaces a live key by a new one of the same unit, environment, scopes and consultant: one write of the auth item takes
 * the old key out and lets the new one in, so the old one is dead from that moment. Gives the new key's text.
 * Throws an SafeError where the key is not live.
 */
export async function rotateKey(
  partnerId: PartnerId,
  old: KeyId,
  now: number,
): Promise<{ text: string; keyId: KeyId }> {
  const row = apiKeyKey(partnerId, old);
  const item = await getRow(row);
  if (!item) throw notLive(old);
  const { unitId, environment, scopes } = labelFormat.parse(item);
  const { consultant } = await decrypt(row, item['sealed'], sealedLabel);
  return issue({ partnerId, unitId, environment, scopes, consultant }, now, old);
}

/** Takes a live key out of the auth item: no call is admitted with it from this moment. Throws an SafeError where it is not live. */
export async function revokeKey(partnerId: PartnerId, keyId: KeyId, now: number): Promise<void> {
  if (!(await authState(partnerId))?.keys.has(keyId)) throw notLive(keyId);
  // The label first: what the auth item says wins where the two differ, and nothing is left to do once the key is out of it.
  await updateRow(revocation(partnerId, keyId, now));
  const outcome = await updateRow({
    Key: authKey(partnerId),
    UpdateExpression: 'REMOVE #keys.#key',
    ConditionExpression: 'attribute_exists(#keys.#key)',
    ExpressionAttributeNames: { '#keys': AUTH_KEYS, '#key': keyId },
  });
  if ('refused' in outcome) throw notLive(keyId);
}

/** All keys that a partner ever had, oldest first. */
export async function listKeys(partnerId: PartnerId): Promise<KeyLabel[]> {
  const [auth, items] = await Promise.all([
    authState(partnerId),
    queryAllRows({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :keys)',
      ExpressionAttributeValues: { ':pk': partnerPartition(partnerId), ':keys': API_KEYS },
      ConsistentRead: true,
    }),
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

// Calls write the auth item all the time, and a transaction on it would make theirs fail: labels are written first and by
// themselves, then one conditional update of the auth item lets the key in, and the replaced one out. Nothing comes after it,
// so that a key whose text gets lost on the way out is one that never lived.
async function issue(
  wanted: NewKey,
  now: number,
  replaced: KeyId | undefined,
): Promise<{ text: string; keyId: KeyId }> {
  const { partnerId, unitId, environment, scopes = [] } = wanted;
  const made = makeApiKey(partnerId, environment);
  const entry: AuthEntry = { h: apiKeyHash(made.text), s: bitsFromScopes(scopes), u: unitId };
  const auth = await getRow(authKey(partnerId));
  if (!auth) throw new SafeError(`there is no partner ${partnerId}: see partners list`);
  if (!replaced) checkRoom(auth, made.keyId, entry);

  const outcome = await transact([
    await labelPart(wanted, made, now),
    {
      ConditionCheck: {
        Key: unitKey(partnerId, unitId),
        ConditionExpression: 'attribute_exists(pk)',
      },
    },
    {
      ConditionCheck: {
        Key: profileKey(partnerId),
        ConditionExpression: environment === 'producao' ? 'attribute_exists(validatedAt)' : 'attribute_exists(pk)',
      },
    },
    ...(replaced ? [{ Update: revocation(partnerId, replaced, now) }] : []),
  ]);
  if (outcome !== 'written') {
    if (outcome[1]!.failed) throw new SafeError(`partner ${partnerId} has no unit ${unitId}: see units list`);
    if (outcome[2]!.failed) {
      throw new SafeError(
        `partner ${partnerId} is not validated for production: use the sandbox, or partners validate first`,
      );
    }
    throw new SafeError('the new key drew an id that is taken: try again');
  }

  const opened = await updateRow({
    Key: authKey(partnerId),
    UpdateExpression: `SET #keys.#key = :entry${replaced ? ' REMOVE #keys.#replaced' : ''}`,
    ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(#keys.#key)${replaced ? ' AND attribute_exists(#keys.#replaced)' : ''}`,
    ExpressionAttributeNames: {
      '#keys': AUTH_KEYS,
      '#key': made.keyId,
      ...(replaced && { '#replaced': replaced }),
    },
    ExpressionAttributeValues: { ':entry': entry },
  });
  if ('refused' in opened)
    throw replaced ? notLive(replaced) : new SafeError('the auth item did not take the key: try again');
  return { text: made.text, keyId: made.keyId };
}

async function labelPart(
  { partnerId, unitId, environment, scopes = [], consultant }: NewKey,
  made: ReturnType<typeof makeApiKey>,
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
        sealed: await encrypt(row, { consultant }),
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

function revocation(partnerId: PartnerId, keyId: KeyId, now: number) {
  return {
    Key: apiKeyKey(partnerId, keyId),
    UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :now)',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': now },
  };
}

function notLive(keyId: KeyId): SafeError {
  return new SafeError(`key ${keyId} is not live: see keys list`);
}
