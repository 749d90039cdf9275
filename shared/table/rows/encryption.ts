import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod/mini';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { hasRetiredKeys, hasServiceKeys, keysSecret, retiredKeys, tableName } from '#shared/runtime/env.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { cachedSecret } from '#shared/runtime/secret.ts';
import { countEncryption } from './key-use.ts';
import type { RowKey } from './keys.ts';

/** Each key is 32 bytes in base64. */
export const serviceKeysFormat = z.object({
  sealing: z.object({ current: z.int().check(z.positive(), z.maximum(65535)), keys: z.record(z.string(), z.base64()) }),
  /** The oldest first. Each key takes over at `from`, in milliseconds since 1970. */
  index: z.array(z.object({ key: z.base64(), from: z.int() })).check(z.minLength(1)),
});

/** Only copies of the table need these keys, and only until `until` (milliseconds since 1970). */
export const retiredKeysFormat = z.record(z.string(), z.object({ key: z.base64(), until: z.int() }));

/** A row that is found by an index key contains the key's name. */
export interface IndexKey {
  readonly name: string;
  readonly secret: KeyObject;
  readonly from: Instant;
}

/** The key objects are made once, because making one takes longer than the encryption itself. */
export interface ServiceKeys {
  readonly current: number;
  readonly sealing: ReadonlyMap<number, KeyObject>;
  readonly index: readonly IndexKey[];
}

/** `compressed`: by raw deflate. */
const FORMATS = { json: 1, compressed: 2 } as const;
type Format = (typeof FORMATS)[keyof typeof FORMATS];
/**
 * The ten offers of a call shrink from 11 KB to 2 KB, so that reading them again costs one read unit instead of three.
 * The size of a row betrays nothing: only the lead's own partner chooses what is in it.
 */
const COMPRESSED_FROM = 2_048;
/** Far more than a row can hold. */
const LONGEST_JSON = 4_194_304;

const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 3;

function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 32) throw new Error('a service key is not 32 bytes long');
  return bytes;
}

export const keyOf = (base64: string): KeyObject => createSecretKey(bytesOf(base64));

/** The name reveals nothing of the key. */
function indexKeyOf({ key, from }: { readonly key: string; readonly from: Instant }): IndexKey {
  const bytes = bytesOf(key);
  const name = createHash('sha256').update('name of an index key').update(bytes).digest('base64url').slice(0, 8);
  return { name, secret: createSecretKey(bytes), from };
}

/** Throws if a key is missing or is not 32 bytes long. */
export function parseServiceKeys(text: string): ServiceKeys {
  const parsed = serviceKeysFormat.parse(JSON.parse(text));
  const sealing = new Map(Object.entries(parsed.sealing.keys).map(([version, key]) => [Number(version), keyOf(key)]));
  if (!sealing.has(parsed.sealing.current)) throw new Error('the current sealing key is missing');
  return { current: parsed.sealing.current, sealing, index: parsed.index.map(indexKeyOf) };
}

const keys = cachedSecret(keysSecret, (text) => parseServiceKeys(text ?? ''));

const retired = cachedSecret(
  () => retiredKeys().secret,
  (text = '{}') =>
    new Map(
      Object.entries(retiredKeysFormat.parse(JSON.parse(text))).map(([version, { key }]) => [
        Number(version),
        keyOf(key),
      ]),
    ),
);

/** Throws `servico_indisponivel` if this container holds no keys and cannot fetch them. */
export const serviceKeys = async (): Promise<ServiceKeys> => orUnavailable(keys.get(), NO_KEYS);

const NO_KEYS =
  "the service's keys are missing or unusable: see RUNBOOK.md, lost-keys; only a new stage gets its first keys by `npm run manager -- service-keys init`";

/** Throws `servico_indisponivel` if the keys could not be fetched. `why` is the hint in the log. */
export async function orUnavailable<T>(fetched: Promise<T>, why: string): Promise<T> {
  try {
    return await fetched;
  } catch (error) {
    throw new Failure('servico_indisponivel', { cause: new SafeError(why, { cause: error }) });
  }
}

/**
 * A version above all that are held is newer than the last fetch, so the keys are fetched again. If that fails, only
 * the rows of the new version are unavailable. A retired version may still be kept for copies of the table. Throws
 * `servico_indisponivel` if a secret cannot be fetched, and an Error if neither secret has the version.
 */
async function sealingKey(version: number): Promise<KeyObject> {
  const { sealing } = await serviceKeys();
  const known = sealing.get(version);
  if (known) return known;
  if (version > Math.max(...sealing.keys())) {
    const added = (await orUnavailable(keys.refresh(), NO_KEYS)).sealing.get(version);
    if (added) return added;
  }
  const kept = hasRetiredKeys() && (await orUnavailable(retired.get(), 'the retired keys cannot be read')).get(version);
  if (kept) return kept;
  throw new Error(`sealing key version ${version} is not among the service's keys`);
}

export function forgetServiceKeys(): void {
  keys.forget();
  retired.forget();
}

export interface SealedRow extends RowKey {
  readonly version?: number | undefined;
}

// A blob opens only in the row that it was sealed for, and only at that row's version.
const associatedData = ({ pk, sk, version: rowVersion }: SealedRow, version: number, format: Format): Buffer =>
  Buffer.from(JSON.stringify([tableName(), pk, sk, version, format, rowVersion]));

/**
 * Seals the personal part of a row as one AES-256-GCM blob: format (1 byte), key version (2), IV (12), tag (16),
 * ciphertext of the JSON, which is compressed if it is long. Table, row key, row version, key version and format are
 * bound as associated data.
 */
export async function encrypt(row: SealedRow, value: unknown): Promise<Uint8Array> {
  const text = Buffer.from(JSON.stringify(value), 'utf8');
  if (text.length < COMPRESSED_FROM) return encryptText(row, FORMATS.json, text);
  return encryptText(row, FORMATS.compressed, deflateRawSync(text));
}

async function encryptText(row: SealedRow, format: Format, text: Buffer): Promise<Uint8Array> {
  const { current } = await serviceKeys();
  const secret = await sealingKey(current);
  await countEncryption(current);
  return seal({ secret, version: current }, row, format, text);
}

interface SealingKey {
  readonly secret: KeyObject;
  readonly version: number;
}

function seal({ secret, version }: SealingKey, row: SealedRow, format: Format, text: Buffer): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(associatedData(row, version, format));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([Buffer.from([format, version >> 8, version & 255]), iv, cipher.getAuthTag(), sealed]);
}

function open({ secret, version }: SealingKey, row: SealedRow, format: Format, blob: Buffer): Buffer {
  const tagAt = HEAD_BYTES + IV_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', secret, blob.subarray(HEAD_BYTES, tagAt))
    .setAAD(associatedData(row, version, format))
    .setAuthTag(blob.subarray(tagAt, tagAt + TAG_BYTES));
  return Buffer.concat([decipher.update(blob.subarray(tagAt + TAG_BYTES)), decipher.final()]);
}

/** Throws if the blob was changed, moved or is from an older version of the row, or if its key is gone. */
export async function decrypt<T>(row: SealedRow, blob: unknown, schema: z.ZodMiniType<T>): Promise<T> {
  const { format, text } = await decryptText(row, blob);
  const json = format === FORMATS.json ? text : inflateRawSync(text, { maxOutputLength: LONGEST_JSON });
  return schema.parse(JSON.parse(json.toString('utf8')));
}

async function decryptText(row: SealedRow, blob: unknown): Promise<{ readonly format: Format; readonly text: Buffer }> {
  const format = blob instanceof Uint8Array && Object.values(FORMATS).find((known) => known === blob[0]);
  if (!format) throw new Error('a row has no sealed part of a known format');
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  const version = keyVersionOf(bytes);
  const secret = await sealingKey(version);
  return { format, text: open({ secret, version }, row, format, bytes) };
}

/** Encrypts with a random key, so that nothing is counted against the service's keys. */
export async function primeEncryption(): Promise<void> {
  if (!hasServiceKeys()) return;
  await serviceKeys();
  const key = { pk: 'NOBODY', sk: 'NOBODY' };
  const own = { secret: createSecretKey(randomBytes(32)), version: 0 };
  const blob = seal(own, key, FORMATS.json, Buffer.from('{}'));
  JSON.parse(open(own, key, FORMATS.json, Buffer.from(blob)).toString('utf8'));
}

/** Undefined if the row cannot be decrypted. Throws if the keys cannot be fetched, which is no fault of the row. */
export function ifItOpens<T>(opening: Promise<T>): Promise<T | undefined> {
  return opening.catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    return undefined;
  });
}

/** Returns the blob. Throws if it cannot be decrypted. */
export async function opened(row: SealedRow, blob: Uint8Array): Promise<Uint8Array> {
  await decryptText(row, blob);
  return blob;
}

/** Keeps the content byte for byte. Throws if the blob cannot be decrypted. */
export async function reencrypt(row: SealedRow, blob: unknown): Promise<Uint8Array> {
  const { format, text } = await decryptText(row, blob);
  return encryptText(row, format, text);
}

/** The second and third byte. */
export const keyVersionOf = (blob: Uint8Array): number =>
  new DataView(blob.buffer, blob.byteOffset, blob.byteLength).getUint16(1);
