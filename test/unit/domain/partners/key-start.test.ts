import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeApiKey } from '#shared/domain/partners/api-key.ts';
import { type KeyStart, NEEDED, readKeyStart, startsLikeThis } from '#shared/domain/partners/key-start.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';

/** A key of a partner, in either environment. */
const anyKey = fc
  .record({
    partnerId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) as fc.Arbitrary<PartnerId>,
    environment: fc.constantFrom(...ENVIRONMENTS),
    seed: fc.uint8Array({ minLength: 64, maxLength: 64 }),
  })
  .map(({ partnerId, environment, seed }) => makeApiKey(partnerId, environment, seed));

/** What `readKeyStart` must return for the first `length` characters of a key. */
function expected(key: ReturnType<typeof makeApiKey>, length: number): KeyStart {
  const { partnerId, environment, keyId, text } = key;
  const needed = NEEDED[environment];
  if (length < needed.partner)
    return { kind: 'short', given: length, environment: length > 4 ? environment : undefined };
  const start = text.slice(0, Math.min(length, needed.key));
  const named = { partnerId, environment, start, idStart: start.slice(needed.partner) };
  if (length < needed.key) return { kind: 'partner', ...named };
  return { kind: 'key', keyId, hasSecret: length > needed.key, ...named };
}

describe('readKeyStart', () => {
  it('readKeyStart says of a start of any length as much as it can: nothing, the partner, or the key', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        for (let length = 1; length <= key.text.length; length++)
          expect(readKeyStart(key.text.slice(0, length)), `${length} characters`).toEqual(expected(key, length));
      }),
    );
  });

  it('readKeyStart returns nothing of the secret part of a whole key', () => {
    fc.assert(
      fc.property(anyKey, ({ text, environment }) => {
        const secret = text.slice(NEEDED[environment].key);
        expect(JSON.stringify(readKeyStart(text))).not.toContain(secret.slice(0, 8));
      }),
    );
  });

  it('a key needs 13 characters to name its partner and 18 to name itself; in the sandbox 21 and 26', () => {
    expect(NEEDED).toEqual({ producao: { partner: 13, key: 18 }, sandbox: { partner: 21, key: 26 } });
  });

  it('readKeyStart reads the form in which lists show a key, and ignores blanks around it', () => {
    const key = { kind: 'key', partnerId: 123, keyId: 'a1B2c', environment: 'sandbox', hasSecret: false };
    for (const text of ['pmc_sandbox_00000001za1B2c…wXyZ', ' pmc_sandbox_00000001za1B2c...wXyZ\n'])
      expect(readKeyStart(text)).toMatchObject(key);
  });

  it.each([
    '',
    'x',
    'PMC_00000001za1B2c',
    'a1B2c',
    'pmc_00000001z-1B2c',
    'pmc_sandbox-00000001za1B2c',
    'pmc_sandbox00000001za1B2c',
    // A number beyond the safe integers, whole and shortened.
    'pmc_zzzzzzzzz',
    'pmc_z',
    // No partner has the number 0.
    'pmc_00000000000000',
  ])('readKeyStart returns none for "%s", with which no key begins', (text) => {
    expect(readKeyStart(text)).toEqual({ kind: 'none' });
  });
});

it('startsLikeThis compares the environment and the start of the id', () => {
  const start = { environment: 'sandbox', idStart: 'a1' } as const;
  expect(startsLikeThis(start, { environment: 'sandbox', keyId: 'a1B2c' })).toBe(true);
  expect(startsLikeThis(start, { environment: 'producao', keyId: 'a1B2c' })).toBe(false);
  expect(startsLikeThis(start, { environment: 'sandbox', keyId: 'b1B2c' })).toBe(false);
});
