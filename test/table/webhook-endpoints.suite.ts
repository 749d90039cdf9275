import { beforeEach, describe, expect, test } from 'vitest';
import { drawId, type PartnerId } from '#shared/domain/values/ids.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import type { WebhookEndpoints } from '#shared/domain/webhooks/ports.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';

const NOW = 1_767_300_000_000;
const URL = 'https://hooks.parceiro.com.br/';
const well = { failures: 0, failingSince: undefined };

/** What the manager can do to an endpoint, at the moment `now`. */
export interface EndpointManager {
  set(owner: EndpointOwner, url: string, secret: string, now: number): Promise<unknown>;
  move(owner: EndpointOwner, url: string, now: number): Promise<unknown>;
  enable(owner: EndpointOwner, now: number): Promise<unknown>;
  disable(owner: EndpointOwner, now: number): Promise<unknown>;
}

/** The conformance suite of the port WebhookEndpoints. */
export function describeWebhookEndpoints(
  make: () => { readonly endpoints: WebhookEndpoints; readonly manager: EndpointManager },
): void {
  let endpoints: WebhookEndpoints;
  let manager: EndpointManager;
  beforeEach(() => {
    ({ endpoints, manager } = make());
  });

  async function made(): Promise<{ owner: EndpointOwner; secret: string }> {
    const owner: EndpointOwner = { partnerId: drawId<PartnerId>(Date.now()), environment: 'producao' };
    const secret = newWebhookSecret();
    await manager.set(owner, URL, secret, NOW);
    return { owner, secret };
  }
  const read = async (owner: EndpointOwner) => (await endpoints.get(owner))!;

  describe('WebhookEndpoints', () => {
    test('get returns undefined if the partner has no endpoint', async () => {
      expect(await endpoints.get({ partnerId: drawId<PartnerId>(Date.now()), environment: 'sandbox' })).toBeUndefined();
    });

    test('countFailure counts the failures since the last success, and keeps the moment of the first one', async () => {
      const { owner } = await made();
      const endpoint = await read(owner);
      const later = NOW + 30 * 86_400_000;
      await Promise.all(Array.from({ length: 5 }, () => endpoints.countFailure(owner, endpoint, later)));
      expect(await endpoints.countFailure(owner, endpoint, later + 7)).toEqual({
        enabled: true,
        health: { failures: 6, failingSince: later },
      });
      await endpoints.forgetFailures(owner, endpoint);
      expect((await read(owner)).health).toEqual(well);
      await endpoints.countFailure(owner, endpoint, later + 9);
      expect((await read(owner)).health).toEqual({ failures: 1, failingSince: later + 9 });
    });

    test('a disabled endpoint has no failures once the manager enables it', async () => {
      const { owner, secret } = await made();
      const endpoint = await read(owner);
      await endpoints.countFailure(owner, endpoint, NOW + 1);
      expect(await endpoints.disable(owner, await read(owner), 'failing', NOW + 2)).toBe(true);
      expect(await read(owner)).toMatchObject({ enabled: false, disabledBecause: 'failing', secret });
      expect(await endpoints.countFailure(owner, endpoint, NOW + 3)).toMatchObject({ enabled: false });
      await manager.enable(owner, NOW + 4);
      expect(await read(owner)).toMatchObject({
        enabled: true,
        disabledBecause: undefined,
        changedAt: NOW + 4,
        health: well,
        secret,
      });
    });

    test('disable leaves an endpoint enabled whose failures ended meanwhile', async () => {
      const { owner } = await made();
      await endpoints.countFailure(owner, await read(owner), NOW + 1);
      const failing = await read(owner);
      await endpoints.forgetFailures(owner, failing);
      expect(await endpoints.disable(owner, failing, 'failing', NOW + 2)).toBe(false);
      await endpoints.countFailure(owner, failing, NOW + 3);
      expect(await endpoints.disable(owner, failing, 'failing', NOW + 4)).toBe(false);
      expect(await read(owner)).toMatchObject({ enabled: true, health: { failures: 1, failingSince: NOW + 3 } });
    });

    test('an attempt from before a change of the endpoint counts and forgets no failure, and disables nothing', async () => {
      const { owner } = await made();
      const old = await read(owner);
      await endpoints.countFailure(owner, old, NOW + 1);
      await manager.move(owner, `${URL}novo`, NOW + 2);
      expect(await endpoints.countFailure(owner, old, NOW + 3)).toEqual({ enabled: true, health: well });
      expect(await endpoints.disable(owner, old, 'gone', NOW + 3)).toBe(false);
      await endpoints.countFailure(owner, await read(owner), NOW + 4);
      await endpoints.forgetFailures(owner, old);
      expect(await read(owner)).toMatchObject({ enabled: true, health: { failures: 1, failingSince: NOW + 4 } });
    });

    test('enabledLately returns an endpoint from its enabling on, until it is released or disabled', async () => {
      const { owner } = await made();
      const lately = async () => (await endpoints.enabledLately()).filter((one) => one.partnerId === owner.partnerId);
      expect(await lately()).toEqual([]);
      await manager.disable(owner, NOW + 1);
      await manager.enable(owner, NOW + 2);
      expect(await lately()).toEqual([{ ...owner, enabledAt: NOW + 2 }]);
      await manager.enable(owner, NOW + 3);
      await endpoints.released({ ...owner, enabledAt: NOW + 2 });
      expect(await lately()).toEqual([{ ...owner, enabledAt: NOW + 3 }]);
      await endpoints.released({ ...owner, enabledAt: NOW + 3 });
      expect(await lately()).toEqual([]);
      await manager.enable(owner, NOW + 4);
      await manager.disable(owner, NOW + 5);
      expect(await lately()).toEqual([]);
      await manager.enable(owner, NOW + 6);
      await endpoints.disable(owner, await read(owner), 'gone', NOW + 7);
      expect(await lately()).toEqual([]);
    });

    test('disable does not change the cause of an endpoint that the manager has disabled', async () => {
      const { owner } = await made();
      const old = await read(owner);
      await manager.disable(owner, NOW + 1);
      expect(await read(owner)).toMatchObject({ enabled: false, disabledBecause: 'manager', changedAt: NOW + 1 });
      expect(await endpoints.disable(owner, old, 'gone', NOW + 2)).toBe(true);
      expect((await read(owner)).disabledBecause).toBe('manager');
    });

    describe.each([
      { environment: 'sandbox', other: 'producao' },
      { environment: 'producao', other: 'sandbox' },
    ] as const)('a partner with an endpoint in each environment, seen from $environment', ({ environment, other }) => {
      /** Sets both endpoints of a new partner. Returns their owners. */
      async function both(): Promise<{ own: EndpointOwner; foreign: EndpointOwner }> {
        const partnerId = drawId<PartnerId>(Date.now());
        const [own, foreign] = [{ partnerId, environment } as const, { partnerId, environment: other } as const];
        for (const owner of [own, foreign])
          await manager.set(owner, `${URL}${owner.environment}`, newWebhookSecret(), NOW);
        return { own, foreign };
      }
      const lately = async ({ partnerId }: EndpointOwner) =>
        (await endpoints.enabledLately()).filter((enabled) => enabled.partnerId === partnerId);

      test('get and view return the endpoint of the environment, and undefined if only the other one has an endpoint', async () => {
        const { own, foreign } = await both();
        expect(await read(own)).toMatchObject({ url: `${URL}${environment}` });
        expect(await endpoints.view(own)).toMatchObject({ url: `${URL}${environment}` });
        expect((await read(own)).secret).not.toBe((await read(foreign)).secret);
        const alone: EndpointOwner = { partnerId: drawId<PartnerId>(Date.now() + 1), environment };
        await manager.set({ ...alone, environment: other }, URL, newWebhookSecret(), NOW);
        expect(await endpoints.get(alone)).toBeUndefined();
        expect(await endpoints.view(alone)).toBeUndefined();
      });

      test('no method changes the endpoint of the other environment', async () => {
        const { own, foreign } = await both();
        const before = await read(foreign);
        const untouched = async (what: string) => expect(await read(foreign), what).toEqual(before);
        await endpoints.countFailure(own, await read(own), NOW + 1);
        await untouched('countFailure');
        await endpoints.forgetFailures(own, await read(own));
        await untouched('forgetFailures');
        expect(await endpoints.disable(own, await read(own), 'gone', NOW + 2)).toBe(true);
        await untouched('disable');
        await manager.enable(own, NOW + 3);
        await untouched('enabling by the manager');
        await endpoints.released({ ...own, enabledAt: NOW + 3 });
        await untouched('released');
        await manager.move(own, `${URL}novo`, NOW + 4);
        await untouched('another address');
        await manager.disable(own, NOW + 5);
        await untouched('disabling by the manager');
      });

      test('failures of the other environment neither disable an endpoint nor count against it', async () => {
        const { own, foreign } = await both();
        const seen = await read(own);
        for (let failures = 0; failures < 3; failures++)
          await endpoints.countFailure(foreign, await read(foreign), NOW + 1);
        expect(await endpoints.disable(foreign, await read(foreign), 'failing', NOW + 2)).toBe(true);
        expect(await endpoints.countFailure(own, seen, NOW + 3)).toEqual({
          enabled: true,
          health: { failures: 1, failingSince: NOW + 3 },
        });
      });

      test('enabledLately returns an endpoint with its environment, and released ends only the mark of this one', async () => {
        const { own, foreign } = await both();
        await manager.enable(own, NOW + 1);
        expect(await lately(own)).toEqual([{ ...own, enabledAt: NOW + 1 }]);
        await manager.enable(foreign, NOW + 1);
        expect(await lately(own)).toHaveLength(2);
        await endpoints.released({ ...own, enabledAt: NOW + 1 });
        expect(await lately(own)).toEqual([{ ...foreign, enabledAt: NOW + 1 }]);
      });
    });
  });
}
