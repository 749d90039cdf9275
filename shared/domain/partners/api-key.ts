import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Failure } from '../values/failure.ts';
import { isKeyId, type KeyId, type PartnerId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';
import type { Seconds } from '../values/time.ts';
import { BASE62, KEY, type KeyOwner, keyOwner, PARTNER, PREFIX } from './partner.ts';

// After its prefix, a key has the partner's reference, the id of the key (`keyOwner`), random characters and a
// checksum.
/** 190 bits. */
const RANDOM = 32;
const CHECK = 6;
const SHAPE = /^pmc_(sandbox_)?[0-9A-Za-z]{52}$/;

function toBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
}

function randomText(): string {
  let text = '';
  while (text.length < KEY + RANDOM) text += BASE62[randomInt(62)];
  return text;
}

/** With 512 bits, no text is more likely than another by more than 2^-290. */
function digitsOf(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; text.length < KEY + RANDOM; rest /= 62n) text = BASE62[Number(rest % 62n)] + text;
  return text;
}

export interface ApiKey extends KeyOwner {
  readonly text: string;
}

/** The same `seed` (64 secret bytes) makes the same key. `id` replaces the id that follows from the seed. */
export function makeApiKey(partnerId: PartnerId, environment: Environment, seed?: Uint8Array, id?: KeyId): ApiKey {
  const drawn = seed ? digitsOf(seed) : randomText();
  const keyId = id ?? keyIdIn(drawn);
  const head = `${PREFIX[environment]}${toBase62(partnerId, PARTNER)}${keyId}${drawn.slice(KEY)}`;
  return { text: head + toBase62(crc32(head), CHECK), partnerId, keyId, environment };
}

export const keyIdFrom = (seed: Uint8Array): KeyId => keyIdIn(digitsOf(seed));

function keyIdIn(text: string): KeyId {
  const keyId = text.slice(0, KEY);
  if (!isKeyId(keyId)) throw new Error(`'${keyId}' is not the id of a key`);
  return keyId;
}

/** Undefined if the shape or the checksum is wrong. Does not check whether the key exists or is live. */
export function parseApiKey(text: string): ApiKey | undefined {
  if (!SHAPE.test(text) || toBase62(crc32(text.slice(0, -CHECK)), CHECK) !== text.slice(-CHECK)) return undefined;
  const owner = keyOwner(text);
  if (!owner) return undefined;
  return { text, partnerId: owner.partnerId, keyId: owner.keyId, environment: owner.environment };
}

/** Besides the hash, only the beginning (`displayPrefix`) and the last four characters are stored. */
export const apiKeyHash = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** Nothing in this text is secret. */
export const displayPrefix = ({ text, environment }: ApiKey): string =>
  text.slice(0, PREFIX[environment].length + PARTNER + KEY);

/**
 * After this number, a container reads the partner's keys first (api-key-auth.ts), so that forged keys use no writes.
 */
export const UNKNOWN_KEYS_ASKED = 30;

export class RateExceeded extends Failure {
  readonly limit: number;

  constructor(limit: number, retryAfter: Seconds) {
    super('rate_limited', { retryAfter });
    this.limit = limit;
  }
}

/**
 * The `previous` calls of the minute before count in proportion to the part of that minute that lies within the last 60
 * s, rounded up. If the result is zero or less, no call is admitted.
 */
export const allowance = (limit: number, previous: number, second: number): number =>
  limit - Math.ceil((previous * (60 - second)) / 60);

const LONGEST_RETRY_AFTER: Seconds = 61;

/** Assumes that no other call comes meanwhile. */
export function secondsUntilAdmitted(limit: number, previous: number, current: number, second: number): Seconds {
  for (let later = second + 1; later < 60; later++) {
    if (current < allowance(limit, previous, later)) return later - second;
  }
  for (let later = 0; later < 60; later++) {
    if (0 < allowance(limit, current, later)) return Math.min(LONGEST_RETRY_AFTER, 60 - second + later);
  }
  return LONGEST_RETRY_AFTER;
}
