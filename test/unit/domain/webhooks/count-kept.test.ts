import { describe, expect, it } from 'vitest';
import type { PartnerId } from '../../../../shared/domain/values/ids.ts';
import type { Environment } from '../../../../shared/domain/values/tenancy.ts';
import { countKept } from '../../../../shared/domain/webhooks/count-kept.ts';
import type { KeptDeliveries } from '../../../../shared/domain/webhooks/ports.ts';

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

const of = ({ counts }: Awaited<ReturnType<typeof counted>>, wanted: Environment) =>
  counts.find(({ environment }) => environment === wanted);

describe('what is kept', () => {
  it('is told for each environment, zeros too', async () => {
    const none = { endpoints: 0, suspended: 0, exhausted: 0 };
    expect((await counted([])).counts).toEqual([
      { environment: 'sandbox', ...none },
      { environment: 'producao', ...none },
    ]);
  });

  it('counts an endpoint where it keeps something of the environment, and not where the manager disabled it', async () => {
    const found = await counted([{ producao: 2 }, { sandbox: 3 }, { byManager: true, producao: 5 }, {}]);
    expect(of(found, 'producao')).toMatchObject({ endpoints: 1, suspended: 7 });
    expect(of(found, 'sandbox')).toMatchObject({ endpoints: 1, suspended: 3 });
  });

  it('counts events given up in the last 14 days, for which their dead letters stay', async () => {
    const found = await counted([], { producao: [NOW - 14 * DAY - 1, NOW - 14 * DAY, NOW], sandbox: [NOW] });
    expect(of(found, 'producao')?.exhausted).toBe(2);
    expect(of(found, 'sandbox')?.exhausted).toBe(1);
  });

  it('is found behind any number of endpoints that keep nothing', async () => {
    const found = await counted([...Array<Kept>(120).fill({}), { producao: 1 }]);
    expect(of(found, 'producao')).toMatchObject({ endpoints: 1, suspended: 1 });
  });

  it('is found behind any number of events of the other environment', async () => {
    const found = await counted([{ sandbox: 1_200, producao: 3 }]);
    expect(of(found, 'producao')).toMatchObject({ endpoints: 1, suspended: 3 });
  });

  it('is counted up to 500 deliveries of each endpoint and environment: nothing more is read', async () => {
    const one = await counted([{ sandbox: 600, producao: 9_000 }], { producao: Array<number>(700).fill(NOW) });
    expect(of(one, 'producao')).toMatchObject({ endpoints: 1, suspended: 500, exhausted: 500 });
    expect(of(one, 'sandbox')).toMatchObject({ endpoints: 1, suspended: 500 });
    expect(one.read).toBe(1 + 3);
  });

  it('is looked for among the oldest 10,000 of an endpoint', async () => {
    const found = await counted([{ sandbox: 9_999, producao: 30_000 }]);
    expect(of(found, 'producao')).toMatchObject({ endpoints: 1, suspended: 1 });
    expect(found.read).toBe(1 + 20);
  });

  it('takes one look where nothing is disabled', async () => {
    expect((await counted([])).read).toBe(1);
  });

  it('is what was found by then once there is no more time', async () => {
    const endpoints = Array<Kept>(60).fill({ producao: 1_200 });
    const found = await counted(endpoints, { producao: [NOW] }, 1);
    expect(of(found, 'producao')).toMatchObject({ endpoints: 50, suspended: 50 * 500, exhausted: 1 });
    expect(found.read).toBe(1 + 50);
  });
});
