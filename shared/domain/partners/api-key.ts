import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Failure } from '../values/failure.ts';
import { isKeyId, type PartnerId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';
import type { Seconds } from '../values/time.ts';
import { BASE62, KEY, type KeyOwner, keyOwner, PARTNER, PREFIX } from './partner.ts';

/** Characters of the body: the partner's reference and the key's id (`keyOwner`), 190 random bits, a CRC-32. */
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

/** The last base62 digits of a big number: with 512 bits none is likelier than another by more than 2^-290. */
function digitsOf(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; text.length < KEY + RANDOM; rest /= 62n) text = BASE62[Number(rest % 62n)] + text;
  return text;
}

export interface ApiKey extends KeyOwner {
  readonly text: string;
}

/** A new key of a partner; shown once, kept only as its hash. The same `seed` (64 secret bytes) gives the same key; random without. */
export function makeApiKey(partnerId: PartnerId, environment: Environment, seed?: Uint8Array): ApiKey {
  const drawn = seed ? digitsOf(seed) : randomText();
  const keyId = drawn.slice(0, KEY);
  if (!isKeyId(keyId)) throw new Error(`'${keyId}' is not the id of a key`);
  const head = `${PREFIX[environment]}${toBase62(partnerId, PARTNER)}${drawn}`;
  return { text: head + toBase62(crc32(head), CHECK), partnerId, keyId, environment };
}

/** Who a key says it belongs to; undefined where its shape or its checksum is wrong. Says nothing of whether it is live. */
export function parseApiKey(text: string): ApiKey | undefined {
  if (!SHAPE.test(text) || toBase62(crc32(text.slice(0, -CHECK)), CHECK) !== text.slice(-CHECK)) return undefined;
  const owner = keyOwner(text);
  if (!owner) return undefined;
  return { text, partnerId: owner.partnerId, keyId: owner.keyId, environment: owner.environment };
}

/** SHA-256 of the whole key: all that is kept of it beside what displayPrefix and lastFour show. */
export const apiKeyHash = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** The start of a key by which people recognise it: prefix, partner's reference and key id hold no secret. */
export const displayPrefix = ({ text, environment }: ApiKey): string =>
  text.slice(0, PREFIX[environment].length + PARTNER + KEY);

/**
 * Unknown keys of a partner in one environment that a container asks the table about by a write, in a clock minute. From
 * then on its brake is on: it reads the partner's keys first (table/partners/api-key-auth.ts).
 */
export const UNKNOWN_KEYS_ASKED = 30;

/** More calls than the minute allows. */
export class RateExceeded extends Failure {
  /** Calls a minute. */
  readonly limit: number;

  constructor(limit: number, retryAfter: Seconds) {
    super('rate_limited', { retryAfter });
    this.limit = limit;
  }
}

/**
 * Calls admitted so far that a minute allows, smoothed by the minute before: `limit - ceil(previous * (60 - second) / 60)`.
 * `second` is whole seconds into the clock minute. May be zero or less: then nothing is admitted.
 */
export const allowance = (limit: number, previous: number, second: number): number =>
  limit - Math.ceil((previous * (60 - second)) / 60);

/** The longest that a refused caller is told to wait. */
const LONGEST_RETRY_AFTER: Seconds = 61;

/** The time, a whole number from 1 to 61, after which a call would be admitted if no other came before it. */
export function secondsUntilAdmitted(limit: number, previous: number, current: number, second: number): Seconds {
  for (let later = second + 1; later < 60; later++) {
    if (current < allowance(limit, previous, later)) return later - second;
  }
  for (let later = 0; later < 60; later++) {
    if (0 < allowance(limit, current, later)) return Math.min(LONGEST_RETRY_AFTER, 60 - second + later);
  }
  return LONGEST_RETRY_AFTER;
}
