import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { Failure } from '../domain/values/failure.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import { cached, SECRETS_CLIENT } from '../runtime/cached.ts';
import { hasServiceKeys, keysSecret, tableName } from '../runtime/env.ts';
import { SafeError } from '../runtime/log.ts';
import type { RowKey } from './keys.ts';

/** The service's own keys as Secrets Manager holds them; keys in base64, 32 bytes each. */
export const serviceKeysFormat = z.object({
  sealing: z.object({ current: z.int().positive().max(65535), keys: z.record(z.string(), z.base64()) }),
  index: z.base64(),
});

/** As key objects: made once, where bytes would be turned into one at each use, which takes longer than the sealing itself. */
interface ServiceKeys {
  readonly current: number;
  readonly sealing: ReadonlyMap<number, KeyObject>;
  readonly index: KeyObject;
}

/** How long a container keeps the keys before it asks again, in milliseconds: until then it may seal by a key that was current before. */
export const KEYS_KEPT = 300_000;
/** When a held set of keys is refreshed, beside the calls that it goes on serving, in milliseconds. */
const KEYS_REFRESHED = 240_000;
/** How long fetching the keys may take, in milliseconds. */
const FETCH_TIMEOUT = 2_500;

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

function keyOf(base64: string): KeyObject {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 32) throw new Error('a service key is not 32 bytes long');
  return createSecretKey(bytes);
}

/** Reads the keys from their JSON text. Throws where a key is missing or has another length than 32 bytes. */
export function parseServiceKeys(text: string): ServiceKeys {
  const parsed = serviceKeysFormat.parse(JSON.parse(text));
  const sealing = new Map(Object.entries(parsed.sealing.keys).map(([version, key]) => [Number(version), keyOf(key)]));
  if (!sealing.has(parsed.sealing.current)) throw new Error('the current sealing key is missing');
  return { current: parsed.sealing.current, sealing, index: keyOf(parsed.index) };
}

let secrets: SecretsManagerClient | undefined;

const keys = cached({ fetch: fetchKeys, timeout: FETCH_TIMEOUT, refreshAfter: KEYS_REFRESHED, usableFor: KEYS_KEPT });

async function fetchKeys(abortSignal: AbortSignal): Promise<ServiceKeys> {
  secrets ??= new SecretsManagerClient(SECRETS_CLIENT);
  const request = new GetSecretValueCommand({ SecretId: keysSecret() });
  const { SecretString } = await secrets.send(request, { abortSignal });
  return parseServiceKeys(SecretString ?? '');
}

async function serviceKeys(): Promise<ServiceKeys> {
  try {
    return await keys.get();
  } catch (error) {
    // Without the keys nothing personal can be read or written: no call may go on.
    throw new Failure('servico_indisponivel', {
      cause: new SafeError("the service's keys are missing or unusable: run `npm run manager -- keys init`", {
        cause: error,
      }),
    });
  }
}

/**
 * The key of a version. A version above all that are held was made since they were fetched, by a rotation whose rows
 * others write already: the keys are fetched anew.
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
  throw new Error(`sealing key version ${version} is not among the service's keys`);
}

/** Forgets the keys that this process holds, so that the next use fetches them anew: after a rotation, and in tests. */
export function forgetServiceKeys(): void {
  keys.forget();
}

// A blob opens only in the row that it was sealed for: moving it to another row, table or key version breaks its tag.
function associatedData({ pk, sk }: RowKey, version: number, format: Format): Buffer {
  const bound = [tableName(), pk, sk, version];
  return Buffer.from(JSON.stringify(format === FORMATS.json ? bound : [...bound, format]));
}

/**
 * The personal part of a row as one AES-256-GCM blob: format (1 byte), key version (2), IV (12), tag (16), ciphertext of
 * the JSON, compressed where it is long. Table, row key, key version and format are bound as associated data.
 */
export async function encrypt(key: RowKey, value: unknown): Promise<Uint8Array> {
  const text = Buffer.from(JSON.stringify(value), 'utf8');
  if (text.length < COMPRESSED_FROM) return encryptText(key, FORMATS.json, text);
  return encryptText(key, FORMATS.compressed, deflateRawSync(text));
}

async function encryptText(key: RowKey, format: Format, text: Buffer): Promise<Uint8Array> {
  const { current, sealing } = await serviceKeys();
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealing.get(current)!, iv).setAAD(associatedData(key, current, format));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([Buffer.from([format, current >> 8, current & 255]), iv, cipher.getAuthTag(), sealed]);
}

/** What was sealed, parsed by its schema. Throws where the blob was changed, moved, or sealed by a key that is gone. */
export async function decrypt<T>(key: RowKey, blob: unknown, schema: z.ZodType<T>): Promise<T> {
  const { format, text } = await decryptText(key, blob);
  const json = format === FORMATS.json ? text : inflateRawSync(text, { maxOutputLength: LONGEST_JSON });
  return schema.parse(JSON.parse(json.toString('utf8')));
}

async function decryptText(key: RowKey, blob: unknown): Promise<{ readonly format: Format; readonly text: Buffer }> {
  const format = blob instanceof Uint8Array && Object.values(FORMATS).find((known) => known === blob[0]);
  if (!format) throw new Error('a row has no sealed part of a known format');
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  const version = keyVersionOf(bytes);
  const secret = await sealingKey(version);
  const tagAt = HEAD_BYTES + IV_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(HEAD_BYTES, tagAt))
    .setAAD(associatedData(key, version, format))
    .setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(tagAt + TAG_BYTES)), decipher.final()]);
  return { format, text };
}

/** Fetches the keys and goes once through sealing and opening; does nothing in a function that has no keys. */
export async function primeEncryption(): Promise<void> {
  if (!hasServiceKeys()) return;
  const key = { pk: 'NOBODY', sk: 'NOBODY' };
  await decrypt(key, await encrypt(key, {}), z.object({}));
}

/** The same content, byte for byte, sealed by the current key. Throws where the blob does not open. */
export async function reencrypt(key: RowKey, blob: unknown): Promise<Uint8Array> {
  const { format, text } = await decryptText(key, blob);
  return encryptText(key, format, text);
}

/** The key version that sealed a blob. */
export function keyVersionOf(blob: Uint8Array): number {
  return (blob[1]! << 8) | blob[2]!;
}

/** 64 bytes that follow from a text and the index key, which nobody can compute without the key. */
export async function derivedBytes(purpose: string, text: string): Promise<Uint8Array> {
  const { index } = await serviceKeys();
  return createHmac('sha512', index)
    .update(JSON.stringify([purpose, text]))
    .digest();
}

/** A keyed hash of a text inside one unit and environment: finds equal values without telling which. 128 bits, base64url. */
export async function indexHash(purpose: string, { unitId, environment }: Tenancy, text: string): Promise<string> {
  const { index } = await serviceKeys();
  return createHmac('sha256', index)
    .update(JSON.stringify([purpose, unitId, environment, text]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}
