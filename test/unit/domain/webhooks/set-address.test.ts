import { describe, expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { EndpointOwner, EndpointView } from '#shared/domain/webhooks/endpoint.ts';
import { planAddress, setAddress } from '#shared/domain/webhooks/set-address.ts';
import { makeDelivery, makeEndpoint } from '#test/makers/delivery.ts';

const OWNER: EndpointOwner = { partnerId: 3 as PartnerId, environment: 'producao' };
const URL_OF = { old: 'https://old.example', new: 'https://new.example' };
const NOW = 1_763_640_000_000;
const SENT = { url: URL_OF.new, setBy: 'hash of a token' };
const ENDPOINT: EndpointView = makeEndpoint({ url: URL_OF.old });

describe('planAddress', () => {
  /** Plans a new address. `counts`: how often the archive was read. */
  async function plan(before: EndpointView | undefined, refusal?: string) {
    let counts = 0;
    const page = async () => {
      counts += 1;
      return { items: [makeDelivery(), makeDelivery()], next: undefined };
    };
    const deps = {
      webhooks: { view: async () => before },
      archive: { page },
      addresses: { refusal: async () => refusal },
    };
    return { plan: await planAddress(OWNER, URL_OF.new, deps, () => true), counts };
  }

  it('planAddress counts the events that would go to the new address', async () => {
    expect(await plan(ENDPOINT)).toEqual({ plan: { before: ENDPOINT, refusal: undefined, waiting: 2 }, counts: 1 });
  });

  it('planAddress counts nothing for an owner that has no endpoint yet', async () => {
    expect(await plan(undefined)).toEqual({ plan: { before: undefined, refusal: undefined, waiting: 0 }, counts: 0 });
  });

  it('planAddress says why webhooks must not go to the address', async () => {
    expect((await plan(undefined, 'is private')).plan.refusal).toBe('is private');
  });
});

describe('setAddress', () => {
  interface Store {
    readonly isFree?: boolean;
    readonly changed?: { readonly enabled: boolean } | undefined;
    readonly firstSecret?: string;
  }

  /** Sets the new address. Returns the result and the writes of the store. */
  async function set(before: EndpointView | undefined, replaces: string | null | undefined, store: Store = {}) {
    const writes: unknown[] = [];
    const settings = {
      set: async (...write: unknown[]) => {
        writes.push(['set', ...write]);
        return store.isFree ?? true;
      },
      changeUrl: async (...write: unknown[]) => {
        writes.push(['changeUrl', ...write]);
        return store.changed;
      },
      firstSecret: async () => store.firstSecret,
    };
    const address = { owner: OWNER, ...SENT, replaces, inProduction: true, now: NOW };
    return { made: await setAddress(address, before, settings), writes };
  }

  it('setAddress sets a first address with a new secret', async () => {
    const { made, writes } = await set(undefined, undefined);
    expect(made).toEqual({ enabled: true, secret: expect.stringMatching(/^whsec_/) });
    expect(writes).toEqual([['set', OWNER, SENT, made?.secret, NOW, { inProduction: true }]]);
  });

  it('setAddress returns no secret if another first address was faster', async () => {
    expect((await set(undefined, undefined, { isFree: false })).made).toBeUndefined();
  });

  it('setAddress changes an address, and keeps its secret and whether it is enabled', async () => {
    const { made, writes } = await set(ENDPOINT, URL_OF.old, { changed: { enabled: false } });
    expect(made).toEqual({ enabled: false, secret: null });
    expect(writes).toEqual([['changeUrl', OWNER, SENT, NOW, ENDPOINT, { inProduction: true }]]);
  });

  it('setAddress changes nothing if another change was faster', async () => {
    expect((await set(ENDPOINT, URL_OF.old, { changed: undefined })).made).toBeUndefined();
  });

  it.each([null, `${URL_OF.old}/outro`])(
    'setAddress changes nothing for a caller that has seen another address: %s',
    async (replaces) => {
      const { made, writes } = await set(ENDPOINT, replaces, { changed: { enabled: true } });
      expect(made).toBeUndefined();
      expect(writes).toEqual([]);
    },
  );

  it('setAddress replaces the address that its plan has seen, though its caller names none', async () => {
    const { writes } = await set(ENDPOINT, undefined, { changed: { enabled: true } });
    expect(writes).toEqual([['changeUrl', OWNER, SENT, NOW, ENDPOINT, { inProduction: true }]]);
  });

  it.each(['whsec_first', undefined])(
    'setAddress writes nothing for an address that its token has set, and shows its first secret: %s',
    async (firstSecret) => {
      const { made, writes } = await set(makeEndpoint(SENT), URL_OF.old, firstSecret ? { firstSecret } : {});
      expect(made).toEqual({ enabled: true, secret: firstSecret ?? null });
      expect(writes).toEqual([]);
    },
  );

  it.each([
    ['another token has set', { setBy: 'another hash' }],
    ['its token has set in the place of another', { url: URL_OF.old }],
  ])('setAddress replaces the address that %s', async (_, other) => {
    const { writes } = await set(makeEndpoint({ ...SENT, ...other }), undefined, { changed: { enabled: true } });
    expect(writes).toHaveLength(1);
  });
});
