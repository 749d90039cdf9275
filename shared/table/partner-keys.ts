import * as z from 'zod';
import type { KeyId, PartnerId, UnitId } from '../domain/ids.ts';
import { bitsFromScopes, ENVIRONMENTS, type Environment, SCOPES, type Scope } from '../domain/partner.ts';
import { displayPrefix, makePartnerKey, partnerKeyHash } from '../domain/partner-key.ts';
import { OperatorError } from '../runtime/log.ts';
import { getRow, type Item, queryAllRows, type TransactItem, transact, updateRow } from './client.ts';
import { GATE_KEYS, GATE_LIMIT, type GateEntry } from './gate.ts';
import { itemBytes } from './item-size.ts';
import { gateKey, PARTNER_KEYS, partnerKeyKey, partnerPartition, profileKey, unitKey } from './keys.ts';
import { seal, unseal } from './sealed.ts';

/** Bytes that a gate item may have: each call, a refused one too, pays a write unit per started KB of it. */
const LARGEST_GATE = 4096;

const consultantFormat = z.object({ id: z.number(), name: z.string() });
export type Consultant = z.infer<typeof consultantFormat>;

const labelFormat = z.object({
  id: z.custom<KeyId>((value) => typeof value === 'string'),
  unit: z.custom<UnitId>((value) => typeof value === 'number'),
  environment: z.enum(ENVIRONMENTS),
  scopes: z.array(z.enum(SCOPES)),
  prefix: z.string(),
  lastFour: z.string(),
  createdAt: z.number(),
  revokedAt: z.number().optional(),
});
const sealedLabel = z.object({ consultant: consultantFormat.optional() });

export interface NewKey {
  readonly partner: PartnerId;
  readonly unit: UnitId;
  readonly environment: Environment;
  /** None means all. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly consultant?: Consultant | undefined;
}

/** A key as it is known after its text was shown: what people recognise it by, and whether it opens the gate. */
export interface KeyLabel extends z.infer<typeof labelFormat> {
  readonly live: boolean;
  readonly consultant: number | undefined;
}

/** What the gate item says of a partner; undefined where there is no such partner. */
export interface GateState {
  readonly keys: ReadonlySet<KeyId>;
  /** Calls a minute. */
  readonly limits: Readonly<Record<Environment, number>>;
  readonly bytes: number;
}

export async function gateState(partner: PartnerId): Promise<GateState | undefined> {
  const item = await getRow(gateKey(partner));
  return item && gateOf(item);
}

function gateOf(item: Item): GateState {
  return {
    keys: new Set(Object.keys(item[GATE_KEYS] as Record<string, GateEntry>) as KeyId[]),
    limits: { sandbox: Number(item[GATE_LIMIT.sandbox]), producao: Number(item[GATE_LIMIT.producao]) },
    bytes: itemBytes(item),
  };
}

/**
 * Makes a key and gives its text, which is kept nowhere. `now` in milliseconds. Throws an OperatorError where partner or
 * unit do not exist, where a production key is asked for a partner that is not validated, and where the gate is full.
 */
export async function createKey(wanted: NewKey, now: number): Promise<{ text: string; key: KeyId }> {
  return issue(wanted, now, undefined);
}

/**
 * Replaces a live key by a new one of the same unit, environment, scopes and consultant: one write of the gate takes
 * the old key out and lets the new one in, so the old one is dead from that moment. Gives the new key's text.
 * Throws an OperatorError where the key is not live.
 */
export async function rotateKey(partner: PartnerId, old: KeyId, now: number): Promise<{ text: string; key: KeyId }> {
  const row = partnerKeyKey(partner, old);
  const item = await getRow(row);
  if (!item) throw notLive(old);
  const { unit, environment, scopes } = labelFormat.parse(item);
  const { consultant } = await unseal(row, item['x'], sealedLabel);
  return issue({ partner, unit, environment, scopes, consultant }, now, old);
}

/** Takes a live key out of the gate: no call is admitted with it from this moment. Throws an OperatorError where it is not live. */
export async function revokeKey(partner: PartnerId, key: KeyId, now: number): Promise<void> {
  if (!(await gateState(partner))?.keys.has(key)) throw notLive(key);
  // The label first: what the gate says wins where the two differ, and nothing is left to do once the gate is shut.
  await updateRow(revocation(partner, key, now));
  const outcome = await updateRow({
    Key: gateKey(partner),
    UpdateExpression: 'REMOVE #keys.#key',
    ConditionExpression: 'attribute_exists(#keys.#key)',
    ExpressionAttributeNames: { '#keys': GATE_KEYS, '#key': key },
  });
  if ('refused' in outcome) throw notLive(key);
}

/** All keys that a partner ever had, oldest first. */
export async function listKeys(partner: PartnerId): Promise<KeyLabel[]> {
  const [gate, items] = await Promise.all([
    gateState(partner),
    queryAllRows({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :keys)',
      ExpressionAttributeValues: { ':pk': partnerPartition(partner), ':keys': PARTNER_KEYS },
      ConsistentRead: true,
    }),
  ]);
  const labels = await Promise.all(
    items.map(async (item) => {
      const label = labelFormat.parse(item);
      const { consultant } = await unseal(partnerKeyKey(partner, label.id), item['x'], sealedLabel);
      return { ...label, live: gate?.keys.has(label.id) ?? false, consultant: consultant?.id };
    }),
  );
  return labels.sort((a, b) => a.createdAt - b.createdAt);
}

// Calls write the gate all the time, and a transaction on it would make theirs fail: labels are written first and by
// themselves, then one conditional update of the gate lets the key in, and the replaced one out. Nothing comes after it,
// so that a key whose text gets lost on the way out is one that never lived.
async function issue(wanted: NewKey, now: number, replaced: KeyId | undefined): Promise<{ text: string; key: KeyId }> {
  const { partner, unit, environment, scopes = [] } = wanted;
  const made = makePartnerKey(partner, environment);
  const entry: GateEntry = { h: partnerKeyHash(made.text), s: bitsFromScopes(scopes), u: unit };
  const gate = await getRow(gateKey(partner));
  if (!gate) throw new OperatorError(`there is no partner ${partner}: see partners list`);
  if (!replaced) checkRoom(gate, made.key, entry);

  const outcome = await transact([
    await labelPart(wanted, made, now),
    {
      ConditionCheck: {
        Key: unitKey(partner, unit),
        ConditionExpression: 'attribute_exists(pk)',
      },
    },
    {
      ConditionCheck: {
        Key: profileKey(partner),
        ConditionExpression: environment === 'producao' ? 'attribute_exists(validatedAt)' : 'attribute_exists(pk)',
      },
    },
    ...(replaced ? [{ Update: revocation(partner, replaced, now) }] : []),
  ]);
  if (outcome !== 'written') {
    if (outcome[1]!.failed) throw new OperatorError(`partner ${partner} has no unit ${unit}: see units list`);
    if (outcome[2]!.failed) {
      throw new OperatorError(
        `partner ${partner} is not validated for production: use the sandbox, or partners validate first`,
      );
    }
    throw new OperatorError('the new key drew an id that is taken: try again');
  }

  const opened = await updateRow({
    Key: gateKey(partner),
    UpdateExpression: `SET #keys.#key = :entry${replaced ? ' REMOVE #keys.#replaced' : ''}`,
    ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(#keys.#key)${replaced ? ' AND attribute_exists(#keys.#replaced)' : ''}`,
    ExpressionAttributeNames: {
      '#keys': GATE_KEYS,
      '#key': made.key,
      ...(replaced && { '#replaced': replaced }),
    },
    ExpressionAttributeValues: { ':entry': entry },
  });
  if ('refused' in opened)
    throw replaced ? notLive(replaced) : new OperatorError('the gate did not take the key: try again');
  return { text: made.text, key: made.key };
}

async function labelPart(
  { partner, unit, environment, scopes = [], consultant }: NewKey,
  made: ReturnType<typeof makePartnerKey>,
  now: number,
): Promise<TransactItem> {
  const row = partnerKeyKey(partner, made.key);
  return {
    Put: {
      Item: {
        ...row,
        id: made.key,
        unit,
        environment,
        scopes,
        prefix: displayPrefix(made),
        lastFour: made.text.slice(-4),
        createdAt: now,
        x: await seal(row, { consultant }),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

function checkRoom(gate: Item, key: KeyId, entry: GateEntry): void {
  const keys = gate[GATE_KEYS] as Record<string, GateEntry>;
  const bytes = itemBytes({ ...gate, [GATE_KEYS]: { ...keys, [key]: entry } });
  if (bytes > LARGEST_GATE) {
    throw new OperatorError(
      `with one more key the partner's gate would have ${bytes} bytes, above ${LARGEST_GATE}: revoke keys that are no longer used`,
    );
  }
}

function revocation(partner: PartnerId, key: KeyId, now: number) {
  return {
    Key: partnerKeyKey(partner, key),
    UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :now)',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': now },
  };
}

function notLive(key: KeyId): OperatorError {
  return new OperatorError(`key ${key} is not live: see keys list`);
}
