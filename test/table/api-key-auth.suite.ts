import { beforeEach, describe, expect, it } from 'vitest';
import { makeApiKey } from '../../shared/domain/partners/api-key.ts';
import type { ApiKeyAuth } from '../../shared/domain/partners/ports.ts';
import type { Clock } from '../../shared/domain/values/clock.ts';
import type { Failure } from '../../shared/domain/values/failure.ts';
import type { KeyId } from '../../shared/domain/values/ids.ts';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import type { MadePartner } from '../makers/peers.ts';

const MINUTE = 60_000;
/** A moment at the start of a clock minute. */
const START = 29_919_600 * MINUTE;

/** A partner, and what the manager does to its keys and limits. */
export interface KeyedPartner extends Pick<MadePartner, 'partnerId' | 'unitId' | 'keys' | 'addKey'> {
  revoke(keyId: KeyId): Promise<unknown>;
  setLimits(limits: Partial<Record<Environment, number>>): Promise<unknown>;
}

/** What came of a call: `admitted`, or why not, and when to come again (seconds). */
export const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ code: 'admitted' as const, retryAfter: undefined }),
    ({ code, retryAfter }: Failure) => ({ code, retryAfter }),
  );

/** What every adapter of ApiKeyAuth keeps to; `authAt` makes it anew, as another container does. */
export function describeApiKeyAuth(
  authAt: (clock: Clock) => ApiKeyAuth,
  newPartner: (limit: number) => Promise<KeyedPartner>,
): void {
  let partner: KeyedPartner;
  let now: number;
  const clock = () => now;
  beforeEach(async () => {
    partner = await newPartner(120);
    now = START;
  });

  describe('who is admitted', () => {
    it('tells the caller apart by the key alone', async () => {
      const auth = authAt(clock);
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

    it.each([
      ['no key', ''],
      ['another prefix', 'sk_live_123'],
      ['a key of no partner', makeApiKey(1 as never, 'sandbox').text],
    ])('refuses %s', async (_, key) => {
      expect((await refusal(authAt(clock).authenticate(key))).code).toBe('auth_invalid');
    });

    it('refuses a key that the partner does not have, though its checksum holds', async () => {
      const foreign = makeApiKey(partner.partnerId, 'sandbox').text;
      expect((await refusal(authAt(clock).authenticate(foreign))).code).toBe('auth_invalid');
    });

    it('refuses a revoked key from the next call on', async () => {
      const auth = authAt(clock);
      const { keyId } = await auth.authenticate(partner.keys.sandbox);
      await partner.revoke(keyId);
      expect((await refusal(auth.authenticate(partner.keys.sandbox))).code).toBe('auth_invalid');
      expect((await refusal(auth.authenticate(partner.keys.producao))).code).toBe('admitted');
    });
  });

  describe('what a container remembers of a key', () => {
    const asked = async (auth: ApiKeyAuth, key: string) => {
      const told: unknown[] = [];
      const { code } = await refusal(auth.authenticate(key, (lastKnown) => told.push(lastKnown)));
      return [code, ...told];
    };

    it('is where it was last admitted to, told while the next call of it is asked about', async () => {
      const auth = authAt(clock);
      const { unitId, keys } = partner;
      expect(await asked(auth, keys.sandbox)).toEqual(['admitted']);
      expect(await asked(auth, keys.sandbox)).toEqual(['admitted', { unitId, environment: 'sandbox' }]);
      expect(await asked(auth, keys.producao)).toEqual(['admitted']);
      expect(await asked(authAt(clock), keys.sandbox)).toEqual(['admitted']);
    });

    it('is gone with the first refusal', async () => {
      const auth = authAt(clock);
      const { keyId } = await auth.authenticate(partner.keys.sandbox);
      await partner.revoke(keyId);
      expect(await asked(auth, partner.keys.sandbox)).toHaveLength(2);
      expect(await asked(auth, partner.keys.sandbox)).toEqual(['auth_invalid']);
    });

    it('is not told of a call that a remembered refusal answers', async () => {
      await partner.setLimits({ sandbox: 1 });
      const auth = authAt(clock);
      await auth.authenticate(partner.keys.sandbox);
      expect(await asked(auth, partner.keys.sandbox)).toHaveLength(2);
      expect(await asked(auth, partner.keys.sandbox)).toEqual(['rate_limited']);
    });
  });

  describe('the rate', () => {
    it('admits 120 calls a minute, refuses the 121st, and keeps environments apart', async () => {
      const auth = authAt(clock);
      for (let call = 0; call < 120; call++) await auth.authenticate(partner.keys.sandbox);
      expect(await refusal(auth.authenticate(partner.keys.sandbox))).toEqual({ code: 'rate_limited', retryAfter: 61 });
      expect((await refusal(auth.authenticate(partner.keys.producao))).code).toBe('admitted');
    });

    it('refuses at the start of a minute after a full one, though nothing was counted in it', async () => {
      const auth = authAt(clock);
      for (let call = 0; call < 120; call++) await auth.authenticate(partner.keys.sandbox);
      now = START + MINUTE;
      // A new container learns of the full minute from the refusal; the one that has counted it asks with what it knows.
      for (const container of [authAt(clock), auth])
        expect(await refusal(container.authenticate(partner.keys.sandbox))).toEqual({
          code: 'rate_limited',
          retryAfter: 1,
        });
    });

    it('follows the manager: a new limit holds from the next call on', async () => {
      const auth = authAt(clock);
      await auth.authenticate(partner.keys.sandbox);
      await partner.setLimits({ sandbox: 2, producao: 120 });
      expect((await auth.authenticate(partner.keys.sandbox)).limit).toBe(2);
      expect((await refusal(auth.authenticate(partner.keys.sandbox))).code).toBe('rate_limited');
    });

    it('admits no more than the limit to 150 calls at once through 5 containers', async () => {
      const gates = Array.from({ length: 5 }, () => authAt(clock));
      const codes = await Promise.all(
        Array.from({ length: 150 }, (_, call) => refusal(gates[call % 5]!.authenticate(partner.keys.sandbox))),
      );
      expect(codes.filter(({ code }) => code === 'admitted')).toHaveLength(120);
    });

    it('admits all who fit at a minute’s turn, while calls that began before it still come in', async () => {
      await partner.setLimits({ sandbox: 100_000 });
      const [before, after] = [authAt(() => START + MINUTE - 1), authAt(() => START + MINUTE)];
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
  });
}
