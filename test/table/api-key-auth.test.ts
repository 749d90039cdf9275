import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeApiKey } from '../../shared/domain/partners/api-key.ts';
import { tableApiKeyAuth } from '../../shared/table/api-key-auth.ts';
import { revokeKey } from '../../shared/table/api-keys.ts';
import { tableClient } from '../../shared/table/client.ts';
import { authKey } from '../../shared/table/keys.ts';
import { setLimits } from '../../shared/table/partner-register.ts';
import { countUnits } from '../makers/counting.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { describeApiKeyAuth, refusal } from './api-key-auth.suite.ts';

const MINUTE = 60_000;
/** A moment at the start of a clock minute. */
const START = 29_919_600 * MINUTE;

usePeers();
describeApiKeyAuth(tableApiKeyAuth, async (limit) => {
  const made = await makePartner(limit);
  return {
    ...made,
    revoke: (keyId) => revokeKey(made.partnerId, keyId, Date.now()),
    setLimits: (limits) => setLimits(made.partnerId, limits),
  };
});
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

const gateItem = async () =>
  (await tableClient().send(new GetCommand({ TableName: process.env['TABLE_NAME']!, Key: authKey(partner.partnerId) })))
    .Item!;

describe('the item of a partner', () => {
  it('counts nothing of a key that the partner does not have', async () => {
    const foreign = makeApiKey(partner.partnerId, 'sandbox').text;
    expect((await refusal(tableApiKeyAuth(clock).authenticate(foreign))).code).toBe('auth_invalid');
    expect(Object.keys(await gateItem()).filter((name) => /^s\d/.test(name))).toEqual([]);
  });

  it('is asked once a minute about a key that the partner does not have, however often it comes', async () => {
    const forged = makeApiKey(partner.partnerId, 'sandbox').text;
    const auth = tableApiKeyAuth(clock);
    for (let call = 0; call < 20; call++) expect((await refusal(auth.authenticate(forged))).code).toBe('auth_invalid');
    expect(counted.units.calls).toHaveLength(1);
    await auth.authenticate(partner.keys.sandbox);
    now += MINUTE;
    expect((await refusal(auth.authenticate(forged))).code).toBe('auth_invalid');
    expect(counted.units.calls).toHaveLength(3);
  });
});

describe('the rate by the table', () => {
  it('counts no call that it refuses', async () => {
    const auth = tableApiKeyAuth(clock);
    for (let call = 0; call < 121; call++) await refusal(auth.authenticate(partner.keys.sandbox));
    expect((await gateItem())[`s${START / MINUTE}`]).toBe(120);
  });

  it('answers a refused caller by itself until the time that it named', async () => {
    const auth = tableApiKeyAuth(clock);
    for (let call = 0; call < 120; call++) await auth.authenticate(partner.keys.sandbox);
    await refusal(auth.authenticate(partner.keys.sandbox));
    counted.reset();
    now = START + 60_999;
    expect(await refusal(auth.authenticate(partner.keys.sandbox))).toEqual({ code: 'rate_limited', retryAfter: 1 });
    expect(counted.units.calls).toEqual([]);
    now = START + 61_000;
    expect((await refusal(auth.authenticate(partner.keys.sandbox))).code).toBe('admitted');
  });

  it('names a true moment: a second before it another container is refused, at it a call is admitted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 130 }), async (second, previous) => {
        partner = await makePartner(120);
        const minute = START / MINUTE;
        await tableClient().send(
          new UpdateCommand({
            TableName: process.env['TABLE_NAME']!,
            Key: authKey(partner.partnerId),
            UpdateExpression: 'SET #previous = :previous, #current = :current',
            ExpressionAttributeNames: { '#previous': `s${minute - 1}`, '#current': `s${minute}` },
            ExpressionAttributeValues: { ':previous': Math.min(previous, 120), ':current': previous > 120 ? 120 : 90 },
          }),
        );
        now = START + second * 1000;
        const first = await refusal(tableApiKeyAuth(clock).authenticate(partner.keys.sandbox));
        if (first.code === 'admitted') return;
        const wait = first.retryAfter!;
        expect(wait).toBeGreaterThanOrEqual(1);
        expect(wait).toBeLessThanOrEqual(61);
        now += (wait - 1) * 1000;
        if (wait > 1)
          expect((await refusal(tableApiKeyAuth(clock).authenticate(partner.keys.sandbox))).code).toBe('rate_limited');
        now += 1000;
        expect((await refusal(tableApiKeyAuth(clock).authenticate(partner.keys.sandbox))).code).toBe('admitted');
      }),
      { numRuns: process.env['SOAK'] ? 500 : 50 },
    );
  });

  it('smooths by the minute before, which a new container learns in one more call', async () => {
    const first = tableApiKeyAuth(clock);
    for (let call = 0; call < 120; call++) await first.authenticate(partner.keys.sandbox);
    now = START + MINUTE + 30_000;
    counted.reset();
    const caller = await tableApiKeyAuth(clock).authenticate(partner.keys.sandbox);
    expect(counted.units.calls).toEqual(['Update', 'Update']);
    expect(caller.left).toBe(59);
    counted.reset();
    expect((await first.authenticate(partner.keys.sandbox)).left).toBe(58);
    expect(counted.units.calls).toEqual(['Update']);
  });

  it('keeps the item small: counters of minutes long past do not gather', async () => {
    for (let call = 0; call < 40; call++) {
      now = START + call * 7 * MINUTE;
      await tableApiKeyAuth(clock).authenticate(partner.keys.sandbox);
    }
    expect(Object.keys(await gateItem()).filter((name) => /^s\d/.test(name)).length).toBeLessThanOrEqual(10);
  });
});
