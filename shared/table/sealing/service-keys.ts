import { createHash, randomBytes } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
} from '@aws-sdk/client-secrets-manager';
import type * as z from 'zod/mini';
import type { ChangedKeys, ServiceKeys } from '#shared/domain/sealing/ports.ts';
import {
  type HeldKeys,
  MOST_INDEX_KEYS,
  oldKeys,
  type RetiredKeys,
  retirementRefusal,
} from '#shared/domain/sealing/rotation.ts';
import { days, type Instant, type Milliseconds, minutes } from '#shared/domain/values/time.ts';
import { underDeadline } from '#shared/runtime/deadline.ts';
import { keysSecret, retiredKeys } from '#shared/runtime/env.ts';
import { ChangedMeanwhile, SafeError } from '#shared/runtime/log.ts';
import { hasSecret, SECRET_HELD_MS, secretsClient } from '#shared/runtime/secret.ts';
import { forgetServiceKeys, parseServiceKeys, retiredKeysFormat, serviceKeysFormat } from '../rows/encryption.ts';
import { indexKeysOfTable } from '../rows/index-keys.ts';

type WrittenKeys = z.infer<typeof serviceKeysFormat>;

const KEY_BYTES = 32;

const LONGEST_RUN: Milliseconds = minutes(1);

const WRITTEN_WITHIN: Milliseconds = minutes(1);

/** A container whose clock is ahead changes to the new key before all others. */
const CLOCKS_APART: Milliseconds = minutes(15);

/** A container that could not fetch the new keys uses its old keys for SECRET_HELD_MS. */
export const OLD_KEYS_END: Milliseconds = SECRET_HELD_MS + LONGEST_RUN + CLOCKS_APART;

/**
 * `before`: time until a new index key takes over. `after`: time from then until no row is written under the old key.
 */
export const INDEX_KEY_WAITS = {
  before: WRITTEN_WITHIN + OLD_KEYS_END,
  after: LONGEST_RUN + CLOCKS_APART,
} as const;

/**
 * All writers use this name. Secrets Manager accepts the name of a version only once, so it refuses the second of two
 * writers.
 */
const FIRST_VERSION = 'partner-credit-service-keys-first-version';

export const newServiceKeys = (): string =>
  JSON.stringify({
    sealing: { current: 1, keys: { 1: newKey() } },
    index: [{ key: newKey(), from: 0 }],
  } satisfies WrittenKeys);

const newKey = (): string => randomBytes(KEY_BYTES).toString('base64');

/** Throws a SafeError if the secret itself is missing. */
export async function hasServiceKeys(): Promise<boolean> {
  try {
    return await hasSecret(keysSecret());
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new SafeError(`there is no secret ${keysSecret()}: deploy the stage's data stack first`, { cause: error });
  }
}

/**
 * Throws a SafeError if:
 *
 * - the service has keys: rows that they sealed would be lost;
 * - another call writes the keys at the same time;
 * - the keys are lost, and the table has rows that were found by them.
 */
export async function initServiceKeys(): Promise<void> {
  const refusal = () => new SafeError('the service has its keys already: with others its rows could not be read');
  if (await hasServiceKeys()) throw refusal();
  const known = await indexKeysOfTable();
  if (known)
    throw new SafeError(
      `this is no new stage: rows of the table are found by index key ${known.at(-1)}, and new keys could open none of them; put the lost keys back (RUNBOOK.md, lost-keys)`,
    );
  try {
    await secretsClient().send(
      new PutSecretValueCommand({
        SecretId: keysSecret(),
        SecretString: newServiceKeys(),
        ClientRequestToken: FIRST_VERSION,
      }),
      underDeadline(),
    );
  } catch (error) {
    if (error instanceof ResourceExistsException) throw refusal();
    throw error;
  }
}

interface Stored {
  readonly keys: WrittenKeys;
  readonly version: string;
  readonly writtenAt: Instant;
}

async function stored(): Promise<Stored> {
  const { SecretString, VersionId, CreatedDate } = (await secretVersion(CURRENT)) ?? {};
  if (SecretString === undefined || VersionId === undefined)
    throw new SafeError('the service has no keys yet: init-service-keys writes the first');
  const keys = serviceKeysFormat.parse(JSON.parse(SecretString));
  return { keys, version: VersionId, writtenAt: CreatedDate?.getTime() ?? 0 };
}

const CURRENT = { VersionStage: 'AWSCURRENT' } as const;

/** Finds a version by its label or id. Undefined if there is no such version. */
async function secretVersion(
  { VersionStage, VersionId }: { readonly VersionStage?: 'AWSCURRENT' | 'AWSPREVIOUS'; readonly VersionId?: string },
  SecretId = keysSecret(),
) {
  try {
    return await secretsClient().send(
      new GetSecretValueCommand({ SecretId, VersionStage, VersionId }),
      underDeadline(),
    );
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

const replace = (before: Stored, keys: WrittenKeys): Promise<string> =>
  replaceText(keysSecret(), before.version, JSON.stringify(keys));

/**
 * `before` is the id of the version that the caller has read. Throws a SafeError if the secret was changed since then,
 * because a second change would drop the key of the first.
 *
 * Secrets Manager accepts each name of a version only once. So the name of the new version is a hash of the current and
 * the previous version. Two changes from the same version get the same name. The previous version is part of the hash
 * because a person may make an older version current again, from which a change was made before.
 *
 * Nothing is written after the invocation's deadline: a frozen container could write later, and its new index key would
 * take over at once, before other containers know it.
 */
async function replaceText(secret: string, before: string | undefined, text: string): Promise<string> {
  const previous = await secretVersion({ VersionStage: 'AWSPREVIOUS' }, secret);
  // The version that was read is still the current one. So the previous version, which was read just before, belongs to
  // it.
  if ((await secretVersion(CURRENT, secret))?.VersionId !== before) throw changedBefore();
  // No version has both labels. If one seems to, the second read was out of date, and a newer version is current.
  if (before !== undefined && previous?.VersionId === before) throw changedBefore();
  const name = createHash('sha256').update(`after ${before}, which followed ${previous?.VersionId}`).digest('hex');
  try {
    await secretsClient().send(
      new PutSecretValueCommand({
        SecretId: secret,
        SecretString: text,
        ClientRequestToken: name,
      }),
      underDeadline(),
    );
  } catch (error) {
    if (error instanceof ResourceExistsException) throw changedBefore(error);
    throw error;
  }
  forgetServiceKeys();
  // If a version with this name and text exists already, Secrets Manager reports success but puts no label on it.
  const written = await secretVersion({ VersionId: name }, secret);
  if (written && !written.VersionStages?.some((label) => IN_FORCE.includes(label))) throw changedBefore();
  return name;
}

/** AWSPREVIOUS: someone else has already replaced the version just after it was written. */
const IN_FORCE = ['AWSCURRENT', 'AWSPREVIOUS'];

const changedBefore = (cause?: Error) =>
  new SafeError(
    'the keys were changed from this state before: by someone else at this moment, so look at them again; or versions of the secret were put back by hand one after the other: make its newest version the current one, then the wanted one (RUNBOOK.md, lost-keys)',
    { cause },
  );

/** Throws a SafeError if the service has no keys. */
export const heldKeys = async (): Promise<HeldKeys> => heldIn(await stored());

function heldIn({ keys, version, writtenAt }: Stored): HeldKeys {
  const { sealing, index } = parseServiceKeys(JSON.stringify(keys));
  const takeovers = index.map(({ from }) => from + INDEX_KEY_WAITS.after);
  return {
    state: version,
    current: keys.sealing.current,
    versions: Array.from(sealing.keys()).sort((a, b) => a - b),
    index: index.map(({ name, from }) => ({ name, from })),
    settledAt: Math.max(writtenAt + OLD_KEYS_END, ...takeovers),
  };
}

/**
 * Returns the new keys as they were written: a read could still find the old keys. If MOST_INDEX_KEYS are held, makes
 * only a sealing key: the change of a leaked sealing key must not wait until an index key is retired.
 */
export async function changeServiceKeys(current: number, now: Instant): Promise<ChangedKeys> {
  const before = await stored();
  const { sealing, index } = before.keys;
  if (sealing.current !== current)
    throw new ChangedMeanwhile(
      `version ${sealing.current} is the current one by now: someone else has changed the keys`,
    );
  const version = Math.max(...Object.keys(sealing.keys).map(Number)) + 1;
  const added = { key: newKey(), from: now + INDEX_KEY_WAITS.before };
  const indexChanged = index.length < MOST_INDEX_KEYS;
  const keys = {
    sealing: { current: version, keys: { ...sealing.keys, [version]: newKey() } },
    index: indexChanged ? index.concat(added) : index,
  };
  return { ...heldIn({ keys, version: await replace(before, keys), writtenAt: now }), indexChanged };
}

async function archived() {
  const { SecretString = '{}', VersionId } = (await secretVersion(CURRENT, retiredKeys().secret)) ?? {};
  return { keys: retiredKeysFormat.parse(JSON.parse(SecretString)), version: VersionId };
}

async function retiredSealingKeys(): Promise<{ readonly version: number; readonly until: Instant }[]> {
  const { keys } = await archived();
  return Object.entries(keys).map(([version, { until }]) => ({ version: Number(version), until }));
}

/**
 * The caller must have looked at every row: rows of a removed sealing key do not open, and rows under a removed index
 * key are not found. Retired sealing keys are kept for as long as a copy of the table lives, in a secret that the
 * functions which serve calls cannot read. Returns the moment until which they are kept, undefined if there are none.
 * Throws a SafeError while functions may still write with old keys, or if one of the keys is not old. Throws a
 * ChangedMeanwhile if the keys are no longer those that the caller has seen.
 */
export async function retireServiceKeys(
  { versions, names }: RetiredKeys,
  seen: HeldKeys,
  now: Instant,
): Promise<Instant | undefined> {
  const before = await stored();
  if (before.version !== seen.state) throw new ChangedMeanwhile('the keys were changed meanwhile: look at them again');
  const held = heldIn(before);
  const refusal = retirementRefusal(held, now);
  if (refusal !== undefined) throw new SafeError(refusal);
  const old = oldKeys(held);
  if (!versions.every((version) => old.versions.includes(version)) || !names.every((name) => old.names.includes(name)))
    throw new SafeError('only old keys can be retired');
  const { sealing, index } = before.keys;
  const keys = Object.entries(sealing.keys);
  const retired = keys.filter(([version]) => versions.includes(Number(version)));
  // The archive is written first: if the run ends in between, both secrets hold the keys.
  const until = retired.length > 0 ? await archive(retired, now) : undefined;
  await replace(before, {
    sealing: { ...sealing, keys: Object.fromEntries(keys.filter(([version]) => !versions.includes(Number(version)))) },
    index: index.filter((_, place) => !names.includes(String(held.index[place]?.name))),
  });
  return until;
}

async function archive(keys: readonly (readonly [string, string])[], now: Instant): Promise<Instant> {
  const until = now + days(retiredKeys().copyDays);
  const { keys: before, version } = await archived();
  const stillNeeded = Object.entries(before).filter(([, retired]) => retired.until > now);
  const added = keys.map(([name, key]): (typeof stillNeeded)[number] => [name, { key, until }]);
  const text = JSON.stringify(Object.fromEntries(stillNeeded.concat(added)));
  await replaceText(retiredKeys().secret, version, text);
  return until;
}

export class TableServiceKeys implements ServiceKeys {
  initialised(): Promise<boolean> {
    return hasServiceKeys();
  }

  init(): Promise<void> {
    return initServiceKeys();
  }

  held(): Promise<HeldKeys> {
    return heldKeys();
  }

  change(current: number, now: Instant): Promise<ChangedKeys> {
    return changeServiceKeys(current, now);
  }

  retired(): Promise<{ readonly version: number; readonly until: Instant }[]> {
    return retiredSealingKeys();
  }
}
