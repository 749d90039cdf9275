import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import type { KeptDeliveries } from './ports.ts';

/** Endpoints looked at in a tick, and deliveries counted of each: enough to see that there are many. */
const MOST_ENDPOINTS = 50;
const MOST_DELIVERIES = 500;
/** For how long the dead-letter queue keeps its messages, in milliseconds: what is older can no longer be redriven. */
const DEAD_LETTERS_STAY = 14 * 86_400_000;

/** What is so now in one environment. */
export interface KeptCount {
  readonly environment: Environment;
  /** Endpoints that have disabled themselves and keep events of this environment; those that the manager disabled are left out. */
  readonly endpoints: number;
  /** Events kept for disabled endpoints. */
  readonly suspended: number;
  /** Events given up after their last attempt in the last 14 days, and not sent again. */
  readonly exhausted: number;
}

/** Counts, at `now` (milliseconds), what waits until somebody acts; an endpoint counts where it keeps something. */
export async function countKept(
  port: Pick<KeptDeliveries, 'disabledEndpoints' | 'kept' | 'exhausted'>,
  now: number,
): Promise<readonly KeptCount[]> {
  const { items: disabled } = await port.disabledEndpoints(MOST_ENDPOINTS);
  const counted = await Promise.all(
    disabled.map(async ({ partnerId, byManager }) => ({
      byManager,
      kept: await port.kept(partnerId, MOST_DELIVERIES),
    })),
  );
  return Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const keeping = counted.filter(({ kept }) => kept[environment] > 0);
      return {
        environment,
        endpoints: keeping.filter(({ byManager }) => !byManager).length,
        suspended: keeping.reduce((sum, { kept }) => sum + kept[environment], 0),
        exhausted: await port.exhausted(environment, now - DEAD_LETTERS_STAY, MOST_DELIVERIES),
      };
    }),
  );
}
