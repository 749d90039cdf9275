import { expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { ListedEndpoint } from '#shared/domain/webhooks/endpoint.ts';
import type { TroubledEndpoints } from '#shared/domain/webhooks/ports.ts';
import { listFailing, listTroubled, type TroubledPlace } from '#shared/domain/webhooks/troubled.ts';

const NOW = 1_763_640_000_000;
const HOUR = 3_600_000;

/** Returns endpoints that have failed for so many hours. */
const since = (hours: readonly number[], environment: Environment = 'producao'): ListedEndpoint[] =>
  hours.map((failedFor) => ({
    partnerId: failedFor as PartnerId,
    environment,
    url: 'https://a.example/',
    enabled: true,
    disabledBecause: undefined,
    health: { failures: 5, failingSince: NOW - failedFor * HOUR },
  }));

/** A table with these endpoints, which counts its pages. */
function tableOf(all: readonly ListedEndpoint[], disabled: readonly ListedEndpoint[] = []) {
  const read = { pages: 0 };
  const pageOf = (from: readonly ListedEndpoint[], limit: number, after = '0') => {
    read.pages++;
    const end = Number(after) + limit;
    return { items: from.slice(Number(after), end), next: from.length > end ? String(end) : undefined };
  };
  const troubled: TroubledEndpoints = {
    failing: async (before, limit, after) =>
      pageOf(
        all.filter(({ health }) => (health.failingSince ?? before) < before),
        limit,
        after,
      ),
    disabled: async (limit, after) => pageOf(disabled, limit, after),
  };
  return { troubled, read };
}

it('listFailing returns by environment the partners whose endpoint has failed for more than six hours', async () => {
  const { troubled } = tableOf([...since([5, 6, 6.1, 48]), ...since([7], 'sandbox')]);
  expect(await listFailing({ troubled, now: NOW, inTime: () => true })).toEqual({ producao: [6.1, 48], sandbox: [7] });
});

it('listFailing reads every page, up to ten pages of 50', async () => {
  const { troubled, read } = tableOf(since(Array<number>(700).fill(7)));
  const { producao, sandbox } = await listFailing({ troubled, now: NOW, inTime: () => true });
  expect(producao).toHaveLength(500);
  expect(sandbox).toEqual([]);
  expect(read.pages).toBe(10);
});

it('listFailing reads one page if the time is out', async () => {
  const { troubled, read } = tableOf(since(Array<number>(120).fill(7)));
  const { producao, sandbox } = await listFailing({ troubled, now: NOW, inTime: () => false });
  expect(producao).toHaveLength(50);
  expect(sandbox).toEqual([]);
  expect(read.pages).toBe(1);
});

it('listTroubled lists failing endpoints, also of a minute, and then those that disabled themselves', async () => {
  const [failing, disabled] = [since(Array<number>(60).fill(0.01)), since([9])];
  const { troubled } = tableOf(failing, disabled);
  const pages: number[] = [];
  let place: TroubledPlace | undefined;
  do {
    const { items, next } = await listTroubled(place, { troubled, now: NOW });
    pages.push(items.length);
    place = next;
  } while (place !== undefined);
  expect(pages).toEqual([50, 10, 1]);
});
