import { expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { SuspendedDeliveries } from '#shared/domain/webhooks/ports.ts';
import { countWaiting } from '#shared/domain/webhooks/suspended.ts';

const NOW = 1_763_640_000_000;
const DAY = 86_400_000;

/** A disabled endpoint. */
interface Endpoint {
  readonly environment: Environment;
  readonly byManager?: true;
  /** Number of its suspended events. */
  readonly events: number;
}

/**
 * Returns what countWaiting counts for these disabled endpoints, and how many pages and endpoints it read.
 * `exhausted`: when events were given up. The time is out after `pages` of them.
 */
async function counted(
  endpoints: readonly Endpoint[],
  exhausted: Partial<Record<Environment, readonly number[]>> = {},
  pages = Number.POSITIVE_INFINITY,
) {
  let read = 0;
  const suspended: Pick<SuspendedDeliveries, 'disabledEndpoints' | 'count' | 'exhausted'> = {
    disabledEndpoints: async (limit, after = '0') => {
      read++;
      const all = endpoints.map(({ environment, byManager = false }, index) => ({
        partnerId: index as PartnerId,
        environment,
        byManager,
      }));
      const end = Number(after) + limit;
      return { items: all.slice(Number(after), end), next: all.length > end ? String(end) : undefined };
    },
    count: async ({ partnerId, environment }, { most }) => {
      read++;
      const endpoint = endpoints[partnerId];
      if (endpoint?.environment !== environment) throw new Error(`no endpoint of ${partnerId} in ${environment}`);
      return { count: Math.min(endpoint.events, most), isWhole: endpoint.events <= most };
    },
    exhausted: async (environment, since, limit) =>
      (exhausted[environment] ?? [])
        .filter((at) => at >= since)
        .slice(0, limit)
        .map(() => 1 as PartnerId),
  };
  const counts = await countWaiting({ suspended, now: NOW, inTime: () => read < pages });
  return { counts, read };
}

const producao = (events: number): Endpoint => ({ environment: 'producao', events });
const sandbox = (events: number): Endpoint => ({ environment: 'sandbox', events });

/** Numbers of endpoints and of suspended events in one environment. */
type Count = readonly [endpoints: number, suspended: number];

it.each<[string, Endpoint[], Count, Count, number]>([
  ['nothing if no endpoint is disabled', [], [0, 0], [0, 0], 1],
  [
    'the suspended events of each endpoint by environment',
    [producao(2), sandbox(3), producao(0), sandbox(0)],
    [1, 3],
    [1, 2],
    1 + 4,
  ],
  [
    'the events but not the endpoint if the manager disabled it',
    [{ ...producao(5), byManager: true }],
    [0, 0],
    [0, 5],
    1 + 1,
  ],
  [
    'the events of an endpoint that comes after 120 endpoints without events',
    [...Array<Endpoint>(120).fill(sandbox(0)), producao(1)],
    [0, 0],
    [1, 1],
    3 + 121,
  ],
  ['up to 500 events of each endpoint', [sandbox(600), producao(9_000)], [1, 500], [1, 500], 1 + 2],
])('countWaiting counts %s, and reads only the pages that it needs', async (_, endpoints, sandbox, producao, read) => {
  const { counts, read: pages } = await counted(endpoints);
  expect(counts.map(({ disabled, suspended }) => [disabled.length, suspended])).toEqual([sandbox, producao]);
  expect(counts.map(({ exhausted }) => exhausted)).toEqual([[], []]);
  expect(pages).toBe(read);
});

it('countWaiting counts up to 10,000 exhausted events of the 14 days for which dead letters are kept', async () => {
  const given = { producao: [NOW - 14 * DAY - 1, NOW - 14 * DAY, NOW], sandbox: Array<number>(10_001).fill(NOW) };
  const { counts } = await counted([], given);
  expect(counts.map(({ exhausted }) => exhausted.length)).toEqual([10_000, 2]);
});

it('countWaiting returns what it has counted so far if the time is out', async () => {
  const { counts, read } = await counted(Array<Endpoint>(60).fill(producao(1_200)), { producao: [NOW] }, 1);
  expect(counts[1]?.disabled).toHaveLength(50);
  expect(counts[1]?.suspended).toBe(50 * 500);
  expect(counts[1]?.exhausted).toHaveLength(1);
  expect(read).toBe(1 + 50);
});
