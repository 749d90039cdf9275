import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import * as apiKeys from '#shared/domain/partners/api-key.ts';
import { keyOwner } from '#shared/domain/partners/partner.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const partner = fc.nat({ max: Number.MAX_SAFE_INTEGER }) as fc.Arbitrary<PartnerId>;
const seed = fc.uint8Array({ minLength: 64, maxLength: 64 });

/** The checksum, computed in another way than the service does: by division of a BigInt. */
function checksum(head: string): string {
  let rest = BigInt(crc32(head));
  let text = '';
  for (let digit = 0; digit < 6; digit++, rest /= 62n) text = DIGITS[Number(rest % 62n)]! + text;
  return text;
}

describe('makeApiKey', () => {
  it('a key names its partner and environment, and parseApiKey reads it back', () => {
    fc.assert(
      fc.property(partner, fc.constantFrom(...ENVIRONMENTS), fc.option(seed), (id, environment, bytes) => {
        const key = apiKeys.makeApiKey(id, environment, bytes ?? undefined);
        expect(key).toMatchObject({ partnerId: id, environment });
        expect(apiKeys.parseApiKey(key.text)).toEqual(key);
        expect({ text: key.text, ...keyOwner(apiKeys.displayPrefix(key)) }).toEqual(key);
      }),
    );
  });

  it('a key has a prefix, 9 characters of its partner, 5 of its id, 32 random characters and a checksum', () => {
    const zero = apiKeys.makeApiKey(125 as PartnerId, 'sandbox', new Uint8Array(64));
    const head = `pmc_sandbox_${'000000021'}${'0'.repeat(37)}`;
    expect(zero).toEqual({ text: head + checksum(head), partnerId: 125, keyId: '00000', environment: 'sandbox' });
    const one = apiKeys.makeApiKey(0 as PartnerId, 'producao', new Uint8Array(64).fill(255, 63));
    expect(one.text.slice(0, -6)).toBe(`pmc_${'0'.repeat(9)}${'0'.repeat(35)}47`);
    expect(apiKeys.displayPrefix(zero)).toBe('pmc_sandbox_00000002100000');
    expect(apiKeys.displayPrefix(one)).toBe('pmc_00000000000000');
  });

  it('a key is the same for the same seed, and another one each time without a seed', () => {
    const bytes = createHash('sha512').update('a wish').digest();
    const made = () => apiKeys.makeApiKey(1 as PartnerId, 'producao', bytes).text;
    expect(made()).toBe(made());
    const drawn = Array.from({ length: 50 }, () => apiKeys.makeApiKey(1 as PartnerId, 'producao').text);
    expect(new Set(drawn).size).toBe(50);
    expect(new Set(drawn.flatMap((text) => [...text.slice(13, -6)])).size).toBeGreaterThan(55);
  });

  test.each([
    ['an empty text', () => ''],
    ['a text before it', (text: string) => `x${text}`],
    ['a text after it', (text: string) => `${text}x`],
    ['a line after it', (text: string) => `${text}\n`],
    ['no marker', (text: string) => text.slice(4)],
    ['the marker of the other environment', (text: string) => text.replace('pmc_', 'pmc_sandbox_')],
    ['a character that is no digit', (text: string) => text.replace(/.$/, '-')],
  ])('parseApiKey refuses a key with %s', (_, spoilt) => {
    expect(apiKeys.parseApiKey(spoilt(apiKeys.makeApiKey(7 as PartnerId, 'producao').text))).toBeUndefined();
  });

  it('parseApiKey refuses a key whose partner is beyond the safe integers', () => {
    const head = `pmc_${'z'.repeat(9)}${'0'.repeat(37)}`;
    expect(apiKeys.parseApiKey(head + checksum(head))).toBeUndefined();
  });

  it('apiKeyHash is the SHA-256 of the whole key', () => {
    const { text } = apiKeys.makeApiKey(7 as PartnerId, 'producao');
    expect(Buffer.from(apiKeys.apiKeyHash(text)).toString('hex')).toBe(createHash('sha256').update(text).digest('hex'));
  });
});

it.each([
  // A single call of the minute before counts as a whole call during all of this minute.
  [120, 1, 1, 119],
  [120, 1, 59, 119],
  [120, 0, 0, 120],
  [120, 120, 0, 0],
  [120, 120, 30, 60],
  [120, 61, 30, 89],
  [2, 5, 0, -3],
])(
  'with a limit of %i calls and %i calls in the minute before, second %i has room for %i calls',
  (limit, previous, second, room) => {
    expect(apiKeys.allowance(limit, previous, second)).toBe(room);
  },
);

it.each([
  ['in this minute', 120, 120, 60, 30, 1],
  ['when the next minute begins, if this one has no room left', 120, 0, 120, 10, 51],
  ['later in the next minute, if the calls of this one still count', 2, 0, 3, 0, 61],
  ['at the first second of the next minute', 120, 120, 119, 59, 1],
  ['after 61 seconds if the limit is 0', 0, 0, 0, 0, 61],
])('secondsUntilAdmitted says that a refused call has room again %s', (_, limit, previous, current, second, wait) => {
  expect(apiKeys.secondsUntilAdmitted(limit, previous, current, second)).toBe(wait);
});

it('RateExceeded names the limit and the Retry-After', () => {
  expect(new apiKeys.RateExceeded(120, 7)).toMatchObject({ code: 'rate_limited', retryAfter: 7, limit: 120 });
});
