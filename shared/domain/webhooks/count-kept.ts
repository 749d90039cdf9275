import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import { days, type Instant, type Milliseconds } from '../values/time.ts';
import { DELIVERY_KEPT } from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';
import type { DisabledEndpoint, KeptDeliveries } from './ports.ts';

/** Disabled endpoints whose deliveries are counted in parallel. */
const ENDPOINTS_AT_ONCE = 50;
/** Disabled endpoints whose deliveries are given up in parallel. Fewer than above, since giving up writes. */
const GIVING_UP_AT_ONCE = 25;
/**
 * Upper limit of the count of one endpoint in one environment, and of the count of events that were given up. Also the
 * number of deliveries in a page. A reader only has to see that there are many.
 */
const MOST_DELIVERIES = 500;
/** Most pages of one endpoint's deliveries that are read in a tick. */
const MOST_PAGES = 20;
/** Time for which the dead-letter queue keeps a message. Afterwards the event can no longer be redriven. */
const DEAD_LETTERS_STAY: Milliseconds = days(14);

/** What waits for a person in one environment. */
export interface KeptCount {
  readonly environment: Environment;
  /** Endpoints that disabled themselves and keep events of this environment. Not those that the manager disabled. */
  readonly endpoints: number;
  /** Events kept for disabled endpoints, also for those that the manager disabled. */
  readonly suspended: number;
  /** Events that were given up in the last 14 days, after their last attempt, and neither sent again nor discarded. */
  readonly exhausted: number;
}

/**
 * Calls `look` for each disabled endpoint, `atOnce` of them in parallel, and returns the results. Stops between pages
 * if the time is out; the remaining endpoints are left out.
 */
async function mapDisabledEndpoints<T>(
  { kept, inTime }: { readonly kept: Pick<KeptDeliveries, 'disabledEndpoints'>; readonly inTime: () => boolean },
  atOnce: number,
  look: (endpoint: DisabledEndpoint) => Promise<T>,
): Promise<T[]> {
  const found: T[] = [];
  let from: string | undefined;
  do {
    const { items, next } = await kept.disabledEndpoints(atOnce, from);
    found.push(...(await Promise.all(items.map(look))));
    from = next;
  } while (from !== undefined && inTime());
  return found;
}

interface Deps<Used extends keyof KeptDeliveries> {
  readonly kept: Pick<KeptDeliveries, 'disabledEndpoints' | Used>;
  readonly now: Instant;
  readonly inTime: () => boolean;
}

/**
 * Counts what waits until a person acts, over all disabled endpoints. An endpoint is counted only if it keeps events,
 * since most disabled endpoints may keep nothing for ever. Stops between pages if the time is out; the counts are then
 * lower bounds.
 */
export async function countKept({ kept, now, inTime }: Deps<'kept' | 'exhausted'>): Promise<readonly KeptCount[]> {
  const counted = await mapDisabledEndpoints({ kept, inTime }, ENDPOINTS_AT_ONCE, async (endpoint) => ({
    endpoint,
    count: await countEndpoint(endpoint, kept, inTime),
  }));
  return Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const keeping = counted.filter(({ endpoint, count }) => endpoint.environment === environment && count > 0);
      return {
        environment,
        endpoints: keeping.filter(({ endpoint }) => !endpoint.byManager).length,
        suspended: keeping.reduce((sum, { count }) => sum + count, 0),
        exhausted: await kept.exhausted(environment, now - DEAD_LETTERS_STAY, MOST_DELIVERIES),
      };
    }),
  );
}

/**
 * Returns how many deliveries an endpoint keeps, up to MOST_DELIVERIES. A page may hold fewer deliveries than its
 * limit, so several pages are read if there are more.
 */
async function countEndpoint(
  owner: EndpointOwner,
  kept: Pick<KeptDeliveries, 'kept'>,
  inTime: () => boolean,
): Promise<number> {
  let count = 0;
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && (pages === 0 || inTime()); pages++) {
    const page = await kept.kept(owner, MOST_DELIVERIES - count, after);
    count += page.count;
    after = page.next;
    if (after === undefined || count >= MOST_DELIVERIES) break;
  }
  return count;
}

interface GivenUp {
  /** Number of events that were given up, by environment. */
  readonly given: Readonly<Record<Environment, number>>;
  /**
   * Errors of the events that could not be given up, in the order in which they happened. The next tick tries again.
   */
  readonly failures: readonly unknown[];
}

/**
 * Gives up the events that a disabled endpoint has kept for 90 days since they were written, if nobody has asked to
 * send them again in that time (shared/contract/README.md#retention). The endpoints take turns, a page each. Never
 * throws: the events that were given up before a failure stay given up, and only the caller can report them. Stops
 * between pages if the time is out; the next tick continues.
 */
export async function giveUpKept({ kept, now, inTime }: Deps<'giveUp'>): Promise<GivenUp> {
  const given: Record<Environment, number> = { sandbox: 0, producao: 0 };
  const failures: unknown[] = [];
  const remaining: { readonly endpoint: EndpointOwner; readonly after: string }[] = [];
  const giveUpPage = async (endpoint: EndpointOwner, from?: string) => {
    try {
      const page = await kept.giveUp(endpoint, now - DELIVERY_KEPT, now, from);
      given[endpoint.environment] += page.givenUp;
      failures.push(...page.failures);
      if (page.next !== undefined) remaining.push({ endpoint, after: page.next });
    } catch (error) {
      failures.push(error);
    }
  };
  try {
    await mapDisabledEndpoints({ kept, inTime }, GIVING_UP_AT_ONCE, (endpoint) => giveUpPage(endpoint));
  } catch (error) {
    failures.push(error);
  }
  while (remaining.length > 0 && inTime()) {
    const turn = remaining.splice(0, GIVING_UP_AT_ONCE);
    await Promise.all(turn.map(({ endpoint, after }) => giveUpPage(endpoint, after)));
  }
  return { given, failures };
}
