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

/** The service's own keys as Secrets Manager holds them; keys in base64, 32 bytes each. */
export const serviceKeysFormat = z.object({
  sealing: z.object({ current: z.int().check(z.positive(), z.maximum(65535)), keys: z.record(z.string(), z.base64()) }),
  index: z.base64(),
  /** The index key that takes over at a moment, in milliseconds since 1970, and stands beside the older until that is retired. */
  nextIndex: z.optional(z.object({ key: z.base64(), from: z.int() })),
});

/** Sealing keys that only copies of the table still need, by version; `until` in milliseconds since 1970. */
export const retiredKeysFormat = z.record(z.string(), z.object({ key: z.base64(), until: z.int() }));

/** An index key with the name by which rows tell which one they lie under. */
export interface IndexKey {
  readonly name: string;
  readonly secret: KeyObject;
}

/** As key objects: made once, where bytes would be turned into one at each use, which takes longer than the sealing itself. */
export interface ServiceKeys {
  readonly current: number;
  readonly sealing: ReadonlyMap<number, KeyObject>;
  readonly index: IndexKey;
  readonly nextIndex: { readonly key: IndexKey; readonly from: Instant } | undefined;
}

/** What is sealed: JSON, or JSON compressed by raw deflate. */
const FORMATS = { json: 1, compressed: 2 } as const;
type Format = (typeof FORMATS)[keyof typeof FORMATS];
/**
 * Bytes of JSON from which it is compressed. A call's ten offers take 11 KB and shrink to 2: reading them again costs one
 * read unit instead of three. Nobody but the lead's own partner chooses what is in a row, so that its size betrays nothing.
 */
const COMPRESSED_FROM = 2_048;
/** The longest JSON that a compressed blob may open to: far above what a row can hold. */
const LONGEST_JSON = 4_194_304;

const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 3;

function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 32) throw new Error('a service key is not 32 bytes long');
  return bytes;
}

const keyOf = (base64: string): KeyObject => createSecretKey(bytesOf(base64));

/** The name tells which key it is, and nothing of it. */
function indexKeyOf(base64: string): IndexKey {
  const bytes = bytesOf(base64);
  const name = createHash('sha256').update('name of an index key').update(bytes).digest('base64url').slice(0, 8);
  return { name, secret: createSecretKey(bytes) };
}

/** Reads the keys from their JSON text. Throws where a key is missing or has another length than 32 bytes. */
export function parseServiceKeys(text: string): ServiceKeys {
  const parsed = serviceKeysFormat.parse(JSON.parse(text));
  const sealing = new Map(Object.entries(parsed.sealing.keys).map(([version, key]) => [Number(version), keyOf(key)]));
  if (!sealing.has(parsed.sealing.current)) throw new Error('the current sealing key is missing');
  const { nextIndex } = parsed;
  return {
    current: parsed.sealing.current,
    sealing,
    index: indexKeyOf(parsed.index),
    nextIndex: nextIndex && { key: indexKeyOf(nextIndex.key), from: nextIndex.from },
  };
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

/** The service's keys, held for minutes. Throws `servico_indisponivel` where they cannot be had. */
export const serviceKeys = async (): Promise<ServiceKeys> =>
  orUnavailable(keys.get(), "the service's keys are missing or unusable: run `npm run manager -- keys init`");

/** Without the keys nothing personal can be read or written: no call may go on. */
async function orUnavailable<T>(fetched: Promise<T>, why: string): Promise<T> {
  try {
    return await fetched;
  } catch (error) {
    throw new Failure('servico_indisponivel', { cause: new SafeError(why, { cause: error }) });
  }
}

/**
 * The key of a version. A version above all that are held was made since they were fetched, by a rotation whose rows
 * others write already: the keys are fetched anew. One that is held no more may be kept for the copies of the table.
 */
async function sealingKey(version: number): Promise<KeyObject> {
  const { sealing } = await serviceKeys();
  const known = sealing.get(version);
  if (known) return known;
  if (version > Math.max(...sealing.keys())) {
    forgetServiceKeys();
    const added = (await serviceKeys()).sealing.get(version);
    if (added) return added;
  }
  const kept = hasRetiredKeys() && (await orUnavailable(retired.get(), 'the retired keys cannot be read')).get(version);
  if (kept) return kept;
  throw new Error(`sealing key version ${version} is not among the service's keys`);
}

/** Forgets the keys that this process holds, so that the next use fetches them anew: after a rotation, and in tests. */
export function forgetServiceKeys(): void {
  keys.forget();
  retired.forget();
}

/** A row with a sealed part, and its version where it counts one. */
export interface SealedRow extends RowKey {
  readonly version?: number | undefined;
}

// A blob opens only in the row that it was sealed for, at that row's version: moved, put back or under another key it does not.
const associatedData = ({ pk, sk, version: rowVersion }: SealedRow, version: number, format: Format): Buffer =>
  Buffer.from(JSON.stringify([tableName(), pk, sk, version, format, rowVersion]));

/**
 * The personal part of a row as one AES-256-GCM blob: format (1 byte), key version (2), IV (12), tag (16), ciphertext of
 * the JSON, compressed where it is long. Table, row key, row version, key version and format are bound as associated data.
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

/** A sealing key with its version. */
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

/** What was sealed, parsed by its schema. Throws where the blob was changed, moved, put back, or sealed by a key that is gone. */
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

/**
 * Fetches the keys and goes once through sealing and opening, by a key of its own that counts against none of the
 * service's; does nothing in a function that has no keys.
 */
export async function primeEncryption(): Promise<void> {
  if (!hasServiceKeys()) return;
  await serviceKeys();
  const key = { pk: 'NOBODY', sk: 'NOBODY' };
  const own = { secret: createSecretKey(randomBytes(32)), version: 0 };
  const blob = seal(own, key, FORMATS.json, Buffer.from('{}'));
  JSON.parse(open(own, key, FORMATS.json, Buffer.from(blob)).toString('utf8'));
}

/** What the opening of a row gives; undefined where it does not open. Keys that cannot be fetched are no fault of the row: throws. */
export function ifItOpens<T>(opening: Promise<T>): Promise<T | undefined> {
  return opening.catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    return undefined;
  });
}

/** The same content, byte for byte, sealed by the current key. Throws where the blob does not open. */
export async function reencrypt(row: SealedRow, blob: unknown): Promise<Uint8Array> {
  const { format, text } = await decryptText(row, blob);
  return encryptText(row, format, text);
}

/** Returns the version of the key that sealed a blob: its second and third byte. */
export const keyVersionOf = (blob: Uint8Array): number =>
  new DataView(blob.buffer, blob.byteOffset, blob.byteLength).getUint16(1);
