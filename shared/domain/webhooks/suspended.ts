import type { PartnerId } from '../values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import { days, type Instant, type Milliseconds } from '../values/time.ts';
import { DELIVERY_KEPT } from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';
import type { DisabledEndpoint, SuspendedDeliveries } from './ports.ts';

const ENDPOINTS_AT_ONCE = 50;
/** Fewer than ENDPOINTS_AT_ONCE, because giving up writes. */
const GIVING_UP_AT_ONCE = 25;
/** A reader only has to see that there are many. */
const MOST_DELIVERIES = 500;
/** Counted by partner: 500 events of one partner must not hide another partner's. */
const MOST_EXHAUSTED = 10_000;
/** After this time the event can no longer be redriven. */
const DEAD_LETTERS_STAY: Milliseconds = days(14);

export interface WaitingCount {
  readonly environment: Environment;
  /** Partners whose endpoint disabled itself, not those whose endpoint the manager disabled. */
  readonly disabled: readonly PartnerId[];
  /** Also counts events of endpoints that the manager disabled. */
  readonly suspended: number;
  /** The partner of each event. */
  readonly exhausted: readonly PartnerId[];
}

/** Stops between pages if the time is out; the remaining endpoints are left out. */
async function mapDisabledEndpoints<T>(
  { suspended, inTime }: Omit<Deps<'disabledEndpoints'>, 'now'>,
  atOnce: number,
  look: (endpoint: DisabledEndpoint) => Promise<T>,
): Promise<T[]> {
  const found: T[] = [];
  let from: string | undefined;
  do {
    const { items, next } = await suspended.disabledEndpoints(atOnce, from);
    found.push(...(await Promise.all(items.map(look))));
    from = next;
  } while (from !== undefined && inTime());
  return found;
}

interface Deps<Used extends keyof SuspendedDeliveries> {
  readonly suspended: Pick<SuspendedDeliveries, 'disabledEndpoints' | Used>;
  readonly now: Instant;
  readonly inTime: () => boolean;
}

/** Stops between pages if the time is out; the counts are then lower bounds. */
export async function countWaiting({
  suspended,
  now,
  inTime,
}: Deps<'count' | 'exhausted'>): Promise<readonly WaitingCount[]> {
  const counted = await mapDisabledEndpoints({ suspended, inTime }, ENDPOINTS_AT_ONCE, async (endpoint) => ({
    endpoint,
    count: (await suspended.count(endpoint, { most: MOST_DELIVERIES, inTime })).count,
  }));
  return Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const withSome = counted.filter(({ endpoint, count }) => endpoint.environment === environment && count > 0);
      return {
        environment,
        disabled: withSome.filter(({ endpoint }) => !endpoint.byManager).map(({ endpoint }) => endpoint.partnerId),
        suspended: withSome.reduce((sum, { count }) => sum + count, 0),
        exhausted: await suspended.exhausted(environment, now - DEAD_LETTERS_STAY, MOST_EXHAUSTED),
      };
    }),
  );
}

export interface GivenUp {
  readonly given: readonly (EndpointOwner & { readonly events: number })[];
  readonly failures: readonly unknown[];
}

/**
 * The endpoints take turns, a page each. Never throws: the events that were given up before a failure stay given up,
 * and only the caller can report them. Stops between pages if the time is out; the next tick continues.
 */
export async function giveUpSuspended({ suspended, now, inTime }: Deps<'giveUp'>): Promise<GivenUp> {
  const given: (EndpointOwner & { readonly events: number })[] = [];
  const failures: unknown[] = [];
  const remaining: { readonly endpoint: EndpointOwner; readonly after: string }[] = [];
  const giveUpPage = async (endpoint: EndpointOwner, from?: string) => {
    try {
      const page = await suspended.giveUp(endpoint, now - DELIVERY_KEPT, now, from);
      if (page.givenUp > 0) given.push({ ...endpoint, events: page.givenUp });
      failures.push(...page.failures);
      if (page.next !== undefined) remaining.push({ endpoint, after: page.next });
    } catch (error) {
      failures.push(error);
    }
  };
  try {
    await mapDisabledEndpoints({ suspended, inTime }, GIVING_UP_AT_ONCE, (endpoint) => giveUpPage(endpoint));
  } catch (error) {
    failures.push(error);
  }
  while (remaining.length > 0 && inTime()) {
    const turn = remaining.splice(0, GIVING_UP_AT_ONCE);
    await Promise.all(turn.map(({ endpoint, after }) => giveUpPage(endpoint, after)));
  }
  return { given, failures };
}
