import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { apiKeyHash, makeApiKey, parseApiKey, UNKNOWN_KEYS_ASKED } from '#shared/domain/partners/api-key.ts';
import type { ApiKeyAuth } from '#shared/domain/partners/ports.ts';
import type { Failure } from '#shared/domain/values/failure.ts';
import type { KeyId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { dayNumber, TableApiKeyAuth } from '#shared/table/partners/api-key-auth.ts';
import { revokeKey, rotateKey } from '#shared/table/partners/api-keys.ts';
import { setLimits } from '#shared/table/partners/partner-register.ts';
import { getRow, tableClient } from '#shared/table/rows/client.ts';
import { authKey } from '#shared/table/rows/keys.ts';
import { countUnits } from '../makers/counting.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { setFields } from '../makers/rows.ts';

const MINUTE = 60_000;
/** A moment at the start of a clock minute. */
const START = 29_919_600 * MINUTE;

/** Returns how a call ended: `admitted`, or the code of its failure and after how many seconds to come again. */
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ code: 'admitted' as const, retryAfter: undefined }),
    ({ code, retryAfter }: Failure) => ({ code, retryAfter }),
  );

const peers = usePeers();
let partner: MadePartner;
let now: number;
let counted: ReturnType<typeof countUnits>;
const clock = () => now;

beforeAll(async () => {
  counted = countUnits(tableClient());
});
beforeEach(async () => {
  partner = await makePartner(120);
  now = START;
  counted.reset();
});

it('authenticate returns the caller of a key: partner, unit, environment, scopes and rate', async () => {
  const auth = new TableApiKeyAuth(clock);
  const scoped = await partner.addKey({ environment: 'producao', scopes: ['leads', 'acompanhamento'] });
  expect(await auth.authenticate(scoped)).toEqual({
    partnerId: partner.partnerId,
    unitId: partner.unitId,
    environment: 'producao',
    keyId: scoped.slice(13, 18),
    scopes: ['leads', 'acompanhamento'],
    limit: 120,
    left: 119,
    resetsIn: 60,
  });
  expect((await auth.authenticate(partner.keys.sandbox)).scopes).toHaveLength(4);
});

it('authenticate refuses a key of a partner that does not exist', async () => {
  const { text } = makeApiKey(1 as never, 'sandbox');
  expect((await refusal(new TableApiKeyAuth(clock).authenticate(text))).code).toBe('auth_invalid');
});

it('authenticate refuses a revoked key from the next call on', async () => {
  const auth = new TableApiKeyAuth(clock);
  const { keyId } = await auth.authenticate(partner.keys.sandbox);
  await revokeKey(partner.partnerId, keyId, Date.now());
  expect((await refusal(auth.authenticate(partner.keys.sandbox))).code).toBe('auth_invalid');
  expect((await refusal(auth.authenticate(partner.keys.producao))).code).toBe('admitted');
});

describe('authenticate with a callback', () => {
  const asked = async (auth: ApiKeyAuth, key: string) => {
    const told: unknown[] = [];
    const { code } = await refusal(auth.authenticate(key, (lastKnown) => told.push(lastKnown)));
    return [code, ...told];
  };

  it('authenticate calls back with the tenancy with which the container last admitted the key', async () => {
    const auth = new TableApiKeyAuth(clock);
    const { unitId, keys } = partner;
    expect(await asked(auth, keys.sandbox)).toEqual(['admitted']);
    expect(await asked(auth, keys.sandbox)).toEqual(['admitted', { unitId, environment: 'sandbox' }]);
    expect(await asked(auth, keys.producao)).toEqual(['admitted']);
    expect(await asked(new TableApiKeyAuth(clock), keys.sandbox)).toEqual(['admitted']);
  });

  it('authenticate returns the unit that the key has now, not the unit that the container remembers', async () => {
    const auth = new TableApiKeyAuth(clock);
    const { keyId } = await auth.authenticate(partner.keys.sandbox);
    const unitId = await partner.addUnit();
    await setFields(authKey(partner.partnerId), { [`k.${keyId}.u`]: unitId });
    expect(await auth.authenticate(partner.keys.sandbox)).toMatchObject({ unitId });
  });

  it('authenticate does not call back after a refusal of the key', async () => {
    const auth = new TableApiKeyAuth(clock);
    const { keyId } = await auth.authenticate(partner.keys.sandbox);
    await revokeKey(partner.partnerId, keyId, Date.now());
    expect(await asked(auth, partner.keys.sandbox)).toHaveLength(2);
    expect(await asked(auth, partner.keys.sandbox)).toEqual(['auth_invalid']);
  });
});

it('authenticate admits 120 calls a minute, refuses the 121st, and counts each environment on its own', async () => {
  const auth = new TableApiKeyAuth(clock);
  for (let call = 0; call < 120; call++) await auth.authenticate(partner.keys.sandbox);
  expect(await refusal(auth.authenticate(partner.keys.sandbox))).toEqual({ code: 'rate_limited', retryAfter: 61 });
  expect((await refusal(auth.authenticate(partner.keys.producao))).code).toBe('admitted');
});

it('authenticate refuses a call at the start of a minute if the minute before was full', async () => {
  const auth = new TableApiKeyAuth(clock);
  for (let call = 0; call < 120; call++) await auth.authenticate(partner.keys.sandbox);
  now = START + MINUTE;
  // A new container learns of the full minute from the refusal. The other container has counted the minute itself.
  for (const container of [new TableApiKeyAuth(clock), auth])
    expect(await refusal(container.authenticate(partner.keys.sandbox))).toEqual({
      code: 'rate_limited',
      retryAfter: 1,
    });
});

it('authenticate applies a lower limit from the next call on, including calls counted before', async () => {
  const auth = new TableApiKeyAuth(clock);
  await auth.authenticate(partner.keys.sandbox);
  await setLimits(partner.partnerId, { sandbox: 1, producao: 120 });
  expect((await refusal(auth.authenticate(partner.keys.sandbox))).code).toBe('rate_limited');
});

it('five containers together admit 120 of 150 calls that come at once', async () => {
  const gates = Array.from({ length: 5 }, () => new TableApiKeyAuth(clock));
  const codes = await Promise.all(
    Array.from({ length: 150 }, (_, call) => refusal(gates[call % 5]!.authenticate(partner.keys.sandbox))),
  );
  expect(codes.filter(({ code }) => code === 'admitted')).toHaveLength(120);
});

it('authenticate admits every call that fits a new minute while late calls of the last minute still come', async () => {
  await setLimits(partner.partnerId, { sandbox: 100_000 });
  const [before, after] = [new TableApiKeyAuth(() => START + MINUTE - 1), new TableApiKeyAuth(() => START + MINUTE)];
  let going = true;
  const lateClient = async () => {
    while (going) await before.authenticate(partner.keys.sandbox);
  };
  const late = Promise.all(Array.from({ length: 20 }, lateClient));
  const calls = Array.from({ length: 100 }, () => refusal(after.authenticate(partner.keys.sandbox)));
  const outcomes = await Promise.all(calls);
  going = false;
  await late;
  expect(outcomes.filter(({ code }) => code !== 'admitted')).toEqual([]);
});

const gateItem = async () => (await getRow(authKey(partner.partnerId)))!;

it('authenticate counts no call with a key that the partner does not have', async () => {
  const foreign = makeApiKey(partner.partnerId, 'sandbox').text;
  expect((await refusal(new TableApiKeyAuth(clock).authenticate(foreign))).code).toBe('auth_invalid');
  expect(Object.keys(await gateItem()).filter((name) => /^s\d/.test(name))).toEqual([]);
});

it('authenticate notes the day of a call on its key with the write that counts the call, and no other', async () => {
  const auth = new TableApiKeyAuth(clock);
  await auth.authenticate(partner.keys.sandbox);
  expect(counted.units.calls).toEqual(['Update']);
  expect(await gateItem()).toHaveProperty(['k', keyIdOf(partner.keys.sandbox), 'd'], dayNumber(START));
  expect(await gateItem()).not.toHaveProperty(['k', keyIdOf(partner.keys.producao), 'd']);
});

it('authenticate leaves the day of a key as it is if the rate refuses the call', async () => {
  const auth = new TableApiKeyAuth(clock);
  await auth.authenticate(partner.keys.sandbox);
  now += 24 * 60 * MINUTE;
  await setLimits(partner.partnerId, { sandbox: 0 });
  expect((await refusal(auth.authenticate(partner.keys.sandbox))).code).toBe('rate_limited');
  expect(await gateItem()).toHaveProperty(['k', keyIdOf(partner.keys.sandbox), 'd'], dayNumber(START));
});

/** Returns the id that a key's text names. */
const keyIdOf = (text: string): KeyId => {
  const key = parseApiKey(text);
  if (!key) throw new Error('no key');
  return key.keyId;
};

/** Returns a key of the partner that somebody has made up. Its reference and its checksum are right. */
const forgedKey = (environment: Environment = 'producao') => makeApiKey(partner.partnerId, environment).text;

describe('the brake on forged keys', () => {
  /** Returns a container whose brake is on, and forgets the calls that this took. */
  async function brakedContainer(): Promise<ApiKeyAuth> {
    const auth = new TableApiKeyAuth(clock);
    for (let call = 0; call < UNKNOWN_KEYS_ASKED; call++) await refusal(auth.authenticate(forgedKey()));
    counted.reset();
    return auth;
  }

  it('the brake goes on after 30 unknown keys of a partner in a minute, and off with the next minute', async () => {
    const auth = new TableApiKeyAuth(clock);
    for (let call = 0; call < 30; call++)
      expect((await refusal(auth.authenticate(forgedKey()))).code).toBe('auth_invalid');
    expect(counted.units.calls).toEqual(Array(30).fill('Update'));
    counted.reset();
    await refusal(auth.authenticate(forgedKey()));
    expect(counted.units.calls).toEqual(['Get']);
    now += MINUTE;
    counted.reset();
    await refusal(auth.authenticate(forgedKey()));
    expect(counted.units.calls).toEqual(['Update']);
  });

  it('a container with the brake on reads the item of a partner once a second, however many forged keys come', async () => {
    const auth = await brakedContainer();
    for (let call = 0; call < 100; call++) {
      now = START + call * 50;
      await refusal(auth.authenticate(forgedKey(call % 2 ? 'sandbox' : 'producao')));
    }
    // The keys of the sandbox have a brake of their own, but the same reads of the item.
    expect(counted.units.calls.filter((name) => name === 'Update')).toHaveLength(30);
    expect(counted.units.calls.filter((name) => name === 'Get')).toHaveLength(5);
  });

  it('the brake answers 401 to the key for which the item was read, and 429 with one second to other unknown keys', async () => {
    const auth = await brakedContainer();
    expect((await refusal(auth.authenticate(forgedKey()))).code).toBe('auth_invalid');
    now += 999;
    expect(await refusal(auth.authenticate(forgedKey()))).toEqual({ code: 'rate_limited', retryAfter: 1 });
    now += 1;
    expect((await refusal(auth.authenticate(forgedKey()))).code).toBe('auth_invalid');
  });

  it('the 429 of the brake shows the usual limit, since the partner’s own would show that there is such a partner', async () => {
    await setLimits(partner.partnerId, { producao: 5_000 });
    const auth = await brakedContainer();
    expect(await auth.authenticate(partner.keys.producao)).toMatchObject({ limit: 5_000 });
    await refusal(auth.authenticate(forgedKey()));
    await expect(auth.authenticate(forgedKey())).rejects.toMatchObject({ code: 'rate_limited', limit: 120 });
  });

  it('a container with the brake on admits a key of the partner that it has not seen, and counts its call', async () => {
    const auth = await brakedContainer();
    expect(await auth.authenticate(partner.keys.producao)).toMatchObject({ left: 119 });
    expect(counted.units.calls).toEqual(['Get', 'Update']);
    // The read for the forged key also judges the new key. A key that was admitted before needs no read.
    const another = await partner.addKey({ environment: 'producao' });
    now += 1_000;
    await refusal(auth.authenticate(forgedKey()));
    counted.reset();
    await auth.authenticate(another);
    await auth.authenticate(partner.keys.producao);
    expect(counted.units.calls).toEqual(['Update', 'Update']);
  });

  it('a container with the brake on writes nothing for a key that has the id of a live one and another secret', async () => {
    const auth = await brakedContainer();
    const forged = makeApiKey(partner.partnerId, 'producao');
    const live = { h: apiKeyHash(partner.keys.producao), s: 0, u: partner.unitId };
    await setFields(authKey(partner.partnerId), { [`k.${forged.keyId}`]: live });
    counted.reset();
    expect((await refusal(auth.authenticate(forged.text))).code).toBe('auth_invalid');
    expect(counted.units.calls).toEqual(['Get']);
  });

  it('each unknown key that the table is asked about is counted, and the brake is logged once a minute', async () => {
    const before = peers.metrics.length;
    const lines = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const auth = await brakedContainer();
    for (let call = 0; call < 3; call++) await refusal(auth.authenticate(forgedKey()));
    const logged = lines.mock.calls
      .map(([text]) => String(text))
      .filter((text) => text.includes('unknown_keys_braked'));
    lines.mockRestore();
    expect(peers.metrics.slice(before).filter((line) => 'UnknownKeysAsked' in line)).toHaveLength(31);
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ partner: partner.partnerId, environment: 'producao' });
  });

  it('a new container admits the owner’s old and new key within a second while forged keys come', async () => {
    // Each container gets 300 forged keys a minute. The owner comes to each container for the first time at its moment
    // of arrival, and again with the new key after the rotation. It tries five times a second until it is admitted.
    const [EVERY, LASTS, ROTATED_AT] = [200, 121_000, 90_000];
    const arrivals = [7_000, 89_800, 90_400, 119_800];
    let key = partner.keys.producao;
    const containers = arrivals.map((arrivesAt) => ({
      auth: new TableApiKeyAuth(clock),
      arrivesAt,
      triesFrom: arrivesAt,
    }));
    const admitted: { arrivesAt: number; waited: number }[] = [];
    let writesForForged = 0;
    for (let at = 0; at < LASTS; at += EVERY) {
      now = START + at;
      if (at === ROTATED_AT) {
        key = (await rotateKey(partner.partnerId, keyIdOf(key), now)).text;
        for (const container of containers) container.triesFrom = Math.max(container.arrivesAt, at);
      }
      for (const container of containers) {
        const { auth, arrivesAt, triesFrom } = container;
        counted.reset();
        await refusal(auth.authenticate(forgedKey()));
        writesForForged += counted.units.calls.filter((name) => name === 'Update').length;
        if (at < triesFrom || (await refusal(auth.authenticate(key))).code !== 'admitted') continue;
        admitted.push({ arrivesAt, waited: at - triesFrom });
        container.triesFrom = Number.POSITIVE_INFINITY;
      }
    }
    expect(admitted.filter(({ waited }) => waited > 1_000)).toEqual([]);
    // Two containers have admitted the old key, and then the new one.
    expect(admitted).toHaveLength(arrivals.length + 2);
    // Two minutes with the brake, and five forged keys of a third minute.
    expect(writesForForged).toBe((2 * UNKNOWN_KEYS_ASKED + 5) * arrivals.length);
  });
});

it('a container asks the table once a minute about an unknown key, however often the key comes', async () => {
  const forged = makeApiKey(partner.partnerId, 'sandbox').text;
  const auth = new TableApiKeyAuth(clock);
  for (let call = 0; call < 20; call++) expect((await refusal(auth.authenticate(forged))).code).toBe('auth_invalid');
  expect(counted.units.calls).toHaveLength(1);
  await auth.authenticate(partner.keys.sandbox);
  now += MINUTE;
  expect((await refusal(auth.authenticate(forged))).code).toBe('auth_invalid');
  expect(counted.units.calls).toHaveLength(3);
});

describe('a clock that is put back by two days', () => {
  const TWO_DAYS = 2_880 * MINUTE;

  it('a container asks the table again about an unknown key once its clock was put back', async () => {
    const forged = makeApiKey(partner.partnerId, 'sandbox').text;
    const auth = new TableApiKeyAuth(clock);
    await refusal(auth.authenticate(forged));
    counted.reset();
    now -= TWO_DAYS;
    await refusal(auth.authenticate(forged));
    expect(counted.units.calls).toHaveLength(1);
  });

  it('a container names no wait of days once its clock was put back after a refusal for the rate', async () => {
    const auth = new TableApiKeyAuth(clock);
    for (let call = 0; call < 121; call++) await refusal(auth.authenticate(partner.keys.sandbox));
    now -= TWO_DAYS;
    expect((await refusal(auth.authenticate(partner.keys.sandbox))).code).toBe('admitted');
  });

  it('a container with the brake on reads the item again once its clock was put back', async () => {
    const auth = new TableApiKeyAuth(clock);
    const forged = () => auth.authenticate(makeApiKey(partner.partnerId, 'sandbox').text);
    for (let call = 0; call <= UNKNOWN_KEYS_ASKED; call++) await refusal(forged());
    now -= TWO_DAYS;
    for (let call = 0; call < UNKNOWN_KEYS_ASKED; call++) await refusal(forged());
    expect((await refusal(forged())).code).toBe('auth_invalid');
  });
});

describe('authenticate and the rate', () => {
  it('authenticate counts no call that it refuses', async () => {
    const auth = new TableApiKeyAuth(clock);
    for (let call = 0; call < 121; call++) await refusal(auth.authenticate(partner.keys.sandbox));
    expect((await gateItem())[`s${START / MINUTE}`]).toBe(120);
  });

  it('a container refuses a caller without asking the table until the moment that Retry-After named', async () => {
    const auth = new TableApiKeyAuth(clock);
    for (let call = 0; call < 120; call++) await auth.authenticate(partner.keys.sandbox);
    await refusal(auth.authenticate(partner.keys.sandbox));
    counted.reset();
    now = START + 60_999;
    expect(await refusal(auth.authenticate(partner.keys.sandbox))).toEqual({ code: 'rate_limited', retryAfter: 1 });
    expect(counted.units.calls).toEqual([]);
    now = START + 61_000;
    expect((await refusal(auth.authenticate(partner.keys.sandbox))).code).toBe('admitted');
  });

  it('Retry-After names the first second in which another container admits a call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 130 }), async (second, previous) => {
        partner = await makePartner(120);
        const minute = START / MINUTE;
        const counters = { [`s${minute - 1}`]: Math.min(previous, 120), [`s${minute}`]: previous > 120 ? 120 : 90 };
        await setFields(authKey(partner.partnerId), counters);
        now = START + second * 1000;
        const first = await refusal(new TableApiKeyAuth(clock).authenticate(partner.keys.sandbox));
        if (first.code === 'admitted') return;
        const wait = first.retryAfter!;
        expect(wait).toBeGreaterThanOrEqual(1);
        expect(wait).toBeLessThanOrEqual(61);
        now += (wait - 1) * 1000;
        if (wait > 1)
          expect((await refusal(new TableApiKeyAuth(clock).authenticate(partner.keys.sandbox))).code).toBe(
            'rate_limited',
          );
        now += 1000;
        expect((await refusal(new TableApiKeyAuth(clock).authenticate(partner.keys.sandbox))).code).toBe('admitted');
      }),
      { numRuns: process.env['SOAK'] ? 500 : 50 },
    );
  });

  it('authenticate counts a part of the minute before, which a new container learns by one more call', async () => {
    const first = new TableApiKeyAuth(clock);
    for (let call = 0; call < 120; call++) await first.authenticate(partner.keys.sandbox);
    now = START + MINUTE + 30_000;
    counted.reset();
    const caller = await new TableApiKeyAuth(clock).authenticate(partner.keys.sandbox);
    expect(counted.units.calls).toEqual(['Update', 'Update']);
    expect(caller.left).toBe(59);
    counted.reset();
    expect((await first.authenticate(partner.keys.sandbox)).left).toBe(58);
    expect(counted.units.calls).toEqual(['Update']);
  });

  it('authenticate keeps at most nine minute counters of an environment in the auth item', async () => {
    const counters: number[] = [];
    for (let call = 0; call < 20; call++) {
      now = START + call * 7 * MINUTE;
      await new TableApiKeyAuth(clock).authenticate(partner.keys.sandbox);
      counters.push(Object.keys(await gateItem()).filter((name) => /^s\d/.test(name)).length);
    }
    // Eight stale counters, and the counter of this minute.
    expect(Math.max(...counters)).toBe(9);
  });
});
