import { expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { ListedEndpoint } from '#shared/domain/webhooks/endpoint.ts';
import type { TroubledEndpoints } from '#shared/domain/webhooks/ports.ts';
import { countFailing, listTroubled, type TroubledPlace } from '#shared/domain/webhooks/troubled.ts';

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

it('countFailing counts by environment the endpoints that have failed for more than six hours', async () => {
  const { troubled } = tableOf([...since([5, 6, 6.1, 48]), ...since([7], 'sandbox')]);
  expect(await countFailing({ troubled, now: NOW, inTime: () => true })).toEqual({ producao: 2, sandbox: 1 });
});

it('countFailing reads every page, up to ten pages of 50', async () => {
  const { troubled, read } = tableOf(since(Array<number>(700).fill(7)));
  expect(await countFailing({ troubled, now: NOW, inTime: () => true })).toEqual({ producao: 500, sandbox: 0 });
  expect(read.pages).toBe(10);
});

it('countFailing reads one page if the time is out', async () => {
  const { troubled, read } = tableOf(since(Array<number>(120).fill(7)));
  expect(await countFailing({ troubled, now: NOW, inTime: () => false })).toEqual({ producao: 50, sandbox: 0 });
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
