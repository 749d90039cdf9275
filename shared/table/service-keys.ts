import { createHash, randomBytes } from 'node:crypto';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type * as z from 'zod';
import type { SealingKeys, ServiceKeys as ServiceKeysPort } from '../domain/sealing/ports.ts';
import { keysSecret } from '../runtime/env.ts';
import { SafeError } from '../runtime/log.ts';
import { forgetServiceKeys, KEYS_KEPT, parseServiceKeys, serviceKeysFormat } from './encryption.ts';

type ServiceKeys = z.infer<typeof serviceKeysFormat>;

const KEY_BYTES = 32;

/** The longest that a run may go on with the keys that it began with, in milliseconds. */
const LONGEST_RUN = 60_000;

/** How long writing the secret may take, in milliseconds. */
const WRITTEN_WITHIN = 60_000;

/**
 * The name of the secret's first version. It is always the same, so that of two that write it at once one is refused:
 * Secrets Manager takes a version's name only once, unless with the same value.
 */
const FIRST_VERSION = 'partner-credit-service-keys-first-version';

/** New sealing and index keys as the secret holds them. `random` gives that many bytes. */
export function newServiceKeys(random: (bytes: number) => Uint8Array = randomBytes): string {
  const key = (): string => Buffer.from(random(KEY_BYTES)).toString('base64');
  const keys: ServiceKeys = { sealing: { current: 1, keys: { 1: key() } }, index: key() };
  return JSON.stringify(keys);
}

/** Whether the service's keys have been written. Throws a SafeError where the secret itself is missing. */
export async function hasServiceKeys(): Promise<boolean> {
  try {
    const secret = await new SecretsManagerClient({}).send(new DescribeSecretCommand({ SecretId: keysSecret() }));
    return Object.keys(secret.VersionIdsToStages ?? {}).length > 0;
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new SafeError(`there is no secret ${keysSecret()}: deploy the stage's data stack first`, {
      cause: error,
    });
  }
}

/** Writes the service's first keys. Throws a SafeError where it has keys: rows sealed by them would be lost. */
export async function initServiceKeys(): Promise<void> {
  const refusal = () => new SafeError('the service has its keys already: with others its rows could not be read');
  if (await hasServiceKeys()) throw refusal();
  try {
    await new SecretsManagerClient({}).send(
      new PutSecretValueCommand({
        SecretId: keysSecret(),
        SecretString: newServiceKeys(),
        ClientRequestToken: FIRST_VERSION,
      }),
    );
  } catch (error) {
    if (error instanceof ResourceExistsException) throw refusal();
    throw error;
  }
}

/** What two index keys are held for. */
export interface IndexRotation {
  /** From when, in milliseconds since 1970, rows are written under the newer. */
  readonly from: number;
  /** From when no run that began before `from` goes on. */
  readonly settledAt: number;
  /** The newer key's name: rows that bear another lie under the older. */
  readonly name: string;
}

interface Stored {
  readonly keys: ServiceKeys;
  /** Secrets Manager's id of the version that holds them. */
  readonly version: string;
  readonly writtenAt: number;
}

async function stored(): Promise<Stored> {
  try {
    const { SecretString, VersionId, CreatedDate } = await new SecretsManagerClient({}).send(
      new GetSecretValueCommand({ SecretId: keysSecret() }),
    );
    const keys = serviceKeysFormat.parse(JSON.parse(SecretString ?? ''));
    return { keys, version: VersionId ?? '', writtenAt: CreatedDate?.getTime() ?? 0 };
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new SafeError('the service has no keys yet: keys init writes the first', { cause: error });
  }
}

/**
 * Writes keys over those that were read. The new version's name follows from the old one's, so that of two changes of
 * the same keys one is refused: the other's key would be lost, and every row that it sealed.
 */
async function replace(before: Stored, keys: ServiceKeys): Promise<void> {
  try {
    await new SecretsManagerClient({}).send(
      new PutSecretValueCommand({
        SecretId: keysSecret(),
        SecretString: JSON.stringify(keys),
        ClientRequestToken: createHash('sha256').update(`after ${before.version}`).digest('hex'),
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceExistsException)) throw error;
    throw new SafeError(
      'the keys were changed from this state before: by someone else at this moment, or an older version of the secret was put back by hand; look at its versions in Secrets Manager',
      { cause: error },
    );
  }
  forgetServiceKeys();
}

/** Which sealing keys there are. Throws a SafeError where the service has none. */
export async function sealingKeys(): Promise<SealingKeys> {
  const { keys, writtenAt } = await stored();
  const versions = Object.keys(keys.sealing.keys)
    .map(Number)
    .sort((a, b) => a - b);
  return { current: keys.sealing.current, versions, settledAt: writtenAt + KEYS_KEPT + LONGEST_RUN };
}

/**
 * Makes a new sealing key the current one and gives its version; the others go on opening what they sealed. Throws a
 * SafeError where `current` is given and another is the current one by now.
 */
export async function rotateSealingKey(current?: number): Promise<number> {
  const before = await stored();
  const { sealing } = before.keys;
  if (current !== undefined && sealing.current !== current)
    throw new SafeError(`version ${sealing.current} is the current one by now: someone else has rotated`);
  const version = Math.max(...Object.keys(sealing.keys).map(Number)) + 1;
  const key = randomBytes(KEY_BYTES).toString('base64');
  await replace(before, { ...before.keys, sealing: { current: version, keys: { ...sealing.keys, [version]: key } } });
  return version;
}

/**
 * Takes a version out of the sealing keys: what it sealed opens no more. `countRows` says how many rows it still seals.
 * Throws a SafeError while it is the current one, while functions may still seal by it, or while it seals a row.
 */
export async function retireSealingKey(version: number, countRows: () => Promise<number>, now: number): Promise<void> {
  const before = await stored();
  const { sealing } = before.keys;
  if (!(version in sealing.keys)) throw new SafeError(`there is no sealing key version ${version}`);
  if (version === sealing.current)
    throw new SafeError(`version ${version} is the current one: keys rotate-sealing makes another`);
  const settledAt = before.writtenAt + KEYS_KEPT + LONGEST_RUN;
  if (now < settledAt) {
    const at = new Date(settledAt).toISOString().slice(11, 19);
    throw new SafeError(`functions may still seal by an older version until ${at}Z: try again then`);
  }
  const rows = await countRows();
  if (rows > 0) throw new SafeError(`version ${version} still seals ${rows} rows: keys reencrypt first`);
  const { [String(version)]: _, ...kept } = sealing.keys;
  await replace(before, { ...before.keys, sealing: { current: sealing.current, keys: kept } });
}

/** The rotation of the index key that is under way; undefined while there is one index key. Throws a SafeError where the service has no keys. */
export async function indexRotation(): Promise<IndexRotation | undefined> {
  return rotationIn((await stored()).keys);
}

function rotationIn(keys: ServiceKeys): IndexRotation | undefined {
  const { nextIndex } = parseServiceKeys(JSON.stringify(keys));
  if (!nextIndex) return undefined;
  return { from: nextIndex.from, settledAt: nextIndex.from + LONGEST_RUN, name: nextIndex.key.name };
}

/**
 * Makes a new index key beside the one there is; it takes over once every container knows both. `now` in milliseconds.
 * Throws a SafeError while an older one is held.
 */
export async function rotateIndexKey(now: number): Promise<IndexRotation> {
  const before = await stored();
  if (before.keys.nextIndex)
    throw new SafeError('two index keys are held already: keys reindex, then keys retire-index');
  const from = now + WRITTEN_WITHIN + KEYS_KEPT + LONGEST_RUN;
  const key = randomBytes(KEY_BYTES).toString('base64');
  await replace(before, { ...before.keys, nextIndex: { key, from } });
  return rotationIn({ ...before.keys, nextIndex: { key, from } })!;
}

/** The rows that lie under the older of two index keys. */
export interface OlderRows {
  /** CPFs: keys reindex moves them. */
  readonly cpfs: number;
  /** What callers' keys have left; it ends by itself. */
  readonly records: number;
  /** When the last of those ends, in milliseconds since 1970; 0 where there is none. */
  readonly recordsEndAt: number;
}

/** Throws a SafeError while containers may still write rows under the older index key, or where there is none. */
export async function settledIndexRotation(now: number): Promise<IndexRotation> {
  const rotation = await indexRotation();
  if (!rotation) throw new SafeError('there is one index key: keys rotate-index makes another');
  if (now < rotation.settledAt) {
    const at = new Date(rotation.settledAt).toISOString().slice(11, 19);
    throw new SafeError(`functions may still write under the older index key until ${at}Z: try again then`);
  }
  return rotation;
}

/**
 * Takes the older index key away: what lies under it is found no more. `countRows` says what does. `now` in milliseconds.
 * Throws a SafeError while it is not settled, while a row lies under it, or where there is one index key only.
 */
export async function retireIndexKey(countRows: () => Promise<OlderRows>, now: number): Promise<void> {
  const before = await stored();
  await settledIndexRotation(now);
  const { cpfs, records, recordsEndAt } = await countRows();
  if (cpfs > 0) throw new SafeError(`${cpfs} CPFs are found by the older index key: keys reindex first`);
  if (records > 0) {
    const at = new Date(recordsEndAt).toISOString().slice(0, 16);
    throw new SafeError(`${records} Idempotency-Keys are remembered under the older index key, the last until ${at}Z`);
  }
  const { nextIndex, ...keys } = before.keys;
  await replace(before, { ...keys, index: nextIndex!.key });
}

export function tableServiceKeys(): ServiceKeysPort {
  return {
    initialised: hasServiceKeys,
    init: initServiceKeys,
    sealing: sealingKeys,
    rotate: rotateSealingKey,
  };
}
