import { expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { countKept } from '#shared/domain/webhooks/count-kept.ts';
import type { KeptDeliveries } from '#shared/domain/webhooks/ports.ts';

const NOW = 1_763_640_000_000;
const DAY = 86_400_000;

interface Kept {
  readonly byManager?: true;
  readonly sandbox?: number;
  readonly producao?: number;
}

/**
 * What is counted where each of these endpoints is disabled and keeps so much, the sandbox's first; `exhausted`: when
 * events were given up; `pages` of endpoints and kept events may be read.
 */
async function counted(
  endpoints: readonly Kept[],
  exhausted: Partial<Record<Environment, readonly number[]>> = {},
  pages = Number.POSITIVE_INFINITY,
) {
  let read = 0;
  const pageOf = <One>(all: readonly One[], limit: number, after = '0') => {
    read++;
    const end = Number(after) + limit;
    return { items: all.slice(Number(after), end), next: all.length > end ? String(end) : undefined };
  };
  const kept: Pick<KeptDeliveries, 'disabledEndpoints' | 'kept' | 'exhausted'> = {
    disabledEndpoints: async (limit, after) => {
      const all = endpoints.map(({ byManager = false }, index) => ({ partnerId: index as PartnerId, byManager }));
      return pageOf(all, limit, after);
    },
    kept: async (partnerId, limit, after) => {
      const { sandbox = 0, producao = 0 } = endpoints[partnerId]!;
      const all = [...Array<Environment>(sandbox).fill('sandbox'), ...Array<Environment>(producao).fill('producao')];
      return pageOf(all, limit, after);
    },
    exhausted: async (environment, since, limit) =>
      (exhausted[environment] ?? []).filter((at) => at >= since).slice(0, limit).length,
  };
  const counts = await countKept({ kept, now: NOW, inTime: () => read < pages });
  return { counts, read };
}

/** Endpoints and what they keep of an environment. */
type Count = readonly [endpoints: number, suspended: number];

it.each<[string, Kept[], Count, Count, number]>([
  ['nothing', [], [0, 0], [0, 0], 1],
  ['what each endpoint keeps of an environment', [{ producao: 2 }, { sandbox: 3 }, {}], [1, 3], [1, 2], 1 + 3],
  ['no endpoint that the manager disabled', [{ byManager: true, producao: 5 }], [0, 0], [0, 5], 1 + 1],
  ['past endpoints without any', [...Array<Kept>(120).fill({}), { producao: 1 }], [0, 0], [1, 1], 3 + 121],
  ['up to 500 of each environment', [{ sandbox: 600, producao: 9_000 }], [1, 500], [1, 500], 1 + 3],
  ['among the oldest 10,000', [{ sandbox: 9_999, producao: 30_000 }], [1, 500], [1, 1], 1 + 20],
])('what is kept counts %s, and reads no more than it needs', async (_, endpoints, sandbox, producao, read) => {
  const count = (environment: Environment, [endpoints, suspended]: Count) => ({ environment, endpoints, suspended });
  const counts = [count('sandbox', sandbox), count('producao', producao)].map((one) => ({ ...one, exhausted: 0 }));
  expect(await counted(endpoints)).toEqual({ counts, read });
});

it('what is kept counts up to 500 events given up in the last 14 days, for which their dead letters stay', async () => {
  const given = { producao: [NOW - 14 * DAY - 1, NOW - 14 * DAY, NOW], sandbox: Array<number>(700).fill(NOW) };
  expect((await counted([], given)).counts).toMatchObject([{ exhausted: 500 }, { exhausted: 2 }]);
});

it('what is kept is what was found by then once there is no more time', async () => {
  const { counts, read } = await counted(Array<Kept>(60).fill({ producao: 1_200 }), { producao: [NOW] }, 1);
  expect(counts[1]).toMatchObject({ endpoints: 50, suspended: 50 * 500, exhausted: 1 });
  expect(read).toBe(1 + 50);
});
