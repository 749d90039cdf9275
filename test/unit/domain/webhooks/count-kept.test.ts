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

/** What is counted where each of these endpoints is disabled and keeps so much; `exhausted`: when events were given up. */
function counted(endpoints: readonly Kept[], exhausted: Partial<Record<Environment, readonly number[]>> = {}) {
  const port: Pick<KeptDeliveries, 'disabledEndpoints' | 'kept' | 'exhausted'> = {
    disabledEndpoints: async (limit) => ({
      items: endpoints
        .map(({ byManager = false }, index) => ({ partnerId: index as PartnerId, byManager }))
        .slice(0, limit),
      next: endpoints.length > limit ? 'more' : undefined,
    }),
    kept: async (partnerId, limit) => {
      const { sandbox = 0, producao = 0 } = endpoints[partnerId]!;
      return { sandbox: Math.min(sandbox, limit), producao: Math.min(producao, limit) };
    },
    exhausted: async (environment, since, limit) =>
      (exhausted[environment] ?? []).filter((at) => at >= since).slice(0, limit).length,
  };
  return countKept(port, NOW);
}

const of = (counts: Awaited<ReturnType<typeof counted>>, wanted: Environment) =>
  counts.find(({ environment }) => environment === wanted);

describe('what is kept', () => {
  it('is told for each environment, zeros too', async () => {
    const none = { endpoints: 0, suspended: 0, exhausted: 0 };
    expect(await counted([])).toEqual([
      { environment: 'sandbox', ...none },
      { environment: 'producao', ...none },
    ]);
  });

  it('counts an endpoint where it keeps something of the environment, and not where the manager disabled it', async () => {
    const counts = await counted([{ producao: 2 }, { sandbox: 3 }, { byManager: true, producao: 5 }, {}]);
    expect(of(counts, 'producao')).toMatchObject({ endpoints: 1, suspended: 7 });
    expect(of(counts, 'sandbox')).toMatchObject({ endpoints: 1, suspended: 3 });
  });

  it('counts events given up in the last 14 days, for which their dead letters stay', async () => {
    const counts = await counted([], { producao: [NOW - 14 * DAY - 1, NOW - 14 * DAY, NOW], sandbox: [NOW] });
    expect(of(counts, 'producao')?.exhausted).toBe(2);
    expect(of(counts, 'sandbox')?.exhausted).toBe(1);
  });

  it('looks at 50 endpoints and counts 500 deliveries of each at most', async () => {
    const counts = await counted(Array<Kept>(60).fill({ producao: 800 }), { producao: Array<number>(700).fill(NOW) });
    expect(of(counts, 'producao')).toMatchObject({ endpoints: 50, suspended: 50 * 500, exhausted: 500 });
  });
});
