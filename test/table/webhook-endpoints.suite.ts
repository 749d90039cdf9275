import { beforeEach, describe, expect, test } from 'vitest';
import { drawId, type PartnerId } from '#shared/domain/values/ids.ts';
import type { WebhookEndpoints } from '#shared/domain/webhooks/ports.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';

const NOW = 1_767_300_000_000;
const URL = 'https://hooks.parceiro.com.br/';
const well = { failures: 0, failingSince: undefined };

/** What the manager can do to an endpoint, at the moment `now`. */
export interface EndpointManager {
  set(partnerId: PartnerId, url: string, secret: string, now: number): Promise<unknown>;
  move(partnerId: PartnerId, url: string, now: number): Promise<unknown>;
  enable(partnerId: PartnerId, now: number): Promise<unknown>;
  disable(partnerId: PartnerId, now: number): Promise<unknown>;
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

  async function made(): Promise<{ partnerId: PartnerId; secret: string }> {
    const [partnerId, secret] = [drawId<PartnerId>(Date.now()), newWebhookSecret()];
    await manager.set(partnerId, URL, secret, NOW);
    return { partnerId, secret };
  }
  const read = async (partnerId: PartnerId) => (await endpoints.get(partnerId))!;

  describe('WebhookEndpoints', () => {
    test('get returns undefined if the partner has no endpoint', async () => {
      expect(await endpoints.get(drawId<PartnerId>(Date.now()))).toBeUndefined();
    });

    test('countFailure counts the failures since the last success, and keeps the moment of the first one', async () => {
      const { partnerId } = await made();
      const endpoint = await read(partnerId);
      const later = NOW + 30 * 86_400_000;
      await Promise.all(Array.from({ length: 5 }, () => endpoints.countFailure(partnerId, endpoint, later)));
      expect(await endpoints.countFailure(partnerId, endpoint, later + 7)).toEqual({
        enabled: true,
        health: { failures: 6, failingSince: later },
      });
      await endpoints.forgetFailures(partnerId, endpoint);
      expect((await read(partnerId)).health).toEqual(well);
      await endpoints.countFailure(partnerId, endpoint, later + 9);
      expect((await read(partnerId)).health).toEqual({ failures: 1, failingSince: later + 9 });
    });

    test('a disabled endpoint has no failures once the manager enables it', async () => {
      const { partnerId, secret } = await made();
      const endpoint = await read(partnerId);
      await endpoints.countFailure(partnerId, endpoint, NOW + 1);
      expect(await endpoints.disable(partnerId, await read(partnerId), 'failing', NOW + 2)).toBe(true);
      expect(await read(partnerId)).toMatchObject({ enabled: false, disabledBecause: 'failing', secret });
      expect(await endpoints.countFailure(partnerId, endpoint, NOW + 3)).toMatchObject({ enabled: false });
      await manager.enable(partnerId, NOW + 4);
      expect(await read(partnerId)).toMatchObject({
        enabled: true,
        disabledBecause: undefined,
        changedAt: NOW + 4,
        health: well,
        secret,
      });
    });

    test('disable leaves an endpoint enabled whose failures ended meanwhile', async () => {
      const { partnerId } = await made();
      await endpoints.countFailure(partnerId, await read(partnerId), NOW + 1);
      const failing = await read(partnerId);
      await endpoints.forgetFailures(partnerId, failing);
      expect(await endpoints.disable(partnerId, failing, 'failing', NOW + 2)).toBe(false);
      await endpoints.countFailure(partnerId, failing, NOW + 3);
      expect(await endpoints.disable(partnerId, failing, 'failing', NOW + 4)).toBe(false);
      expect(await read(partnerId)).toMatchObject({ enabled: true, health: { failures: 1, failingSince: NOW + 3 } });
    });

    test('an attempt from before a change of the endpoint counts and forgets no failure, and disables nothing', async () => {
      const { partnerId } = await made();
      const old = await read(partnerId);
      await endpoints.countFailure(partnerId, old, NOW + 1);
      await manager.move(partnerId, `${URL}novo`, NOW + 2);
      expect(await endpoints.countFailure(partnerId, old, NOW + 3)).toEqual({ enabled: true, health: well });
      expect(await endpoints.disable(partnerId, old, 'gone', NOW + 3)).toBe(false);
      await endpoints.countFailure(partnerId, await read(partnerId), NOW + 4);
      await endpoints.forgetFailures(partnerId, old);
      expect(await read(partnerId)).toMatchObject({ enabled: true, health: { failures: 1, failingSince: NOW + 4 } });
    });

    test('enabledLately returns an endpoint from its enabling on, until it is released or disabled', async () => {
      const { partnerId } = await made();
      const lately = async () => (await endpoints.enabledLately()).filter((one) => one.partnerId === partnerId);
      expect(await lately()).toEqual([]);
      await manager.disable(partnerId, NOW + 1);
      await manager.enable(partnerId, NOW + 2);
      expect(await lately()).toEqual([{ partnerId, enabledAt: NOW + 2 }]);
      await manager.enable(partnerId, NOW + 3);
      await endpoints.released({ partnerId, enabledAt: NOW + 2 });
      expect(await lately()).toEqual([{ partnerId, enabledAt: NOW + 3 }]);
      await endpoints.released({ partnerId, enabledAt: NOW + 3 });
      expect(await lately()).toEqual([]);
      await manager.enable(partnerId, NOW + 4);
      await manager.disable(partnerId, NOW + 5);
      expect(await lately()).toEqual([]);
      await manager.enable(partnerId, NOW + 6);
      await endpoints.disable(partnerId, await read(partnerId), 'gone', NOW + 7);
      expect(await lately()).toEqual([]);
    });

    test('disable does not change the cause of an endpoint that the manager has disabled', async () => {
      const { partnerId } = await made();
      const old = await read(partnerId);
      await manager.disable(partnerId, NOW + 1);
      expect(await read(partnerId)).toMatchObject({ enabled: false, disabledBecause: 'manager', changedAt: NOW + 1 });
      expect(await endpoints.disable(partnerId, old, 'gone', NOW + 2)).toBe(true);
      expect((await read(partnerId)).disabledBecause).toBe('manager');
    });
  });
}
