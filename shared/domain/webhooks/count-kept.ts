import type { PartnerId } from '../values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import { days, type Instant, type Milliseconds } from '../values/time.ts';
import { DELIVERY_KEPT } from './delivery.ts';
import type { DisabledEndpoint, KeptDeliveries } from './ports.ts';

/** Endpoints that are looked at side by side. */
const ENDPOINTS_AT_ONCE = 50;
/** The same while deliveries of them are given up, which writes. */
const GIVING_UP_AT_ONCE = 25;
/** Deliveries counted of an endpoint and an environment, and read in a page: enough to see that there are many. */
const MOST_DELIVERIES = 500;
/** Such pages of an endpoint that are looked at in a tick. */
const MOST_PAGES = 20;
/** For how long the dead-letter queue keeps its messages: what is older can no longer be redriven. */
const DEAD_LETTERS_STAY: Milliseconds = days(14);

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

/** What `look` gives for each disabled endpoint, so many side by side; the rest is left out once out of time. */
async function ofDisabled<T>(
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
 * Counts what waits until somebody acts, over all disabled endpoints: most of them may keep nothing, for good. An endpoint
 * counts where it keeps something. Stops between pages once out of time; what it gives is then the least there is.
 */
export async function countKept({ kept, now, inTime }: Deps<'kept' | 'exhausted'>): Promise<readonly KeptCount[]> {
  const counted = await ofDisabled({ kept, inTime }, ENDPOINTS_AT_ONCE, async ({ partnerId, byManager }) => ({
    byManager,
    counts: await countOne(partnerId, kept, inTime),
  }));
  return Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const keeping = counted.filter(({ counts }) => counts[environment] > 0);
      return {
        environment,
        endpoints: keeping.filter(({ byManager }) => !byManager).length,
        suspended: keeping.reduce((sum, { counts }) => sum + counts[environment], 0),
        exhausted: await kept.exhausted(environment, now - DEAD_LETTERS_STAY, MOST_DELIVERIES),
      };
    }),
  );
}

/**
 * How many deliveries an endpoint keeps, up to MOST_DELIVERIES of each environment, among its oldest 10,000: many of one
 * hide none of the other, and the table is not read through each minute for an endpoint that keeps still more.
 */
async function countOne(
  partnerId: PartnerId,
  kept: Pick<KeptDeliveries, 'kept'>,
  inTime: () => boolean,
): Promise<Readonly<Record<Environment, number>>> {
  const counts: Record<Environment, number> = { sandbox: 0, producao: 0 };
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && (pages === 0 || inTime()); pages++) {
    const page = await kept.kept(partnerId, MOST_DELIVERIES, after);
    for (const environment of page.items) counts[environment] = Math.min(counts[environment] + 1, MOST_DELIVERIES);
    after = page.next;
    if (after === undefined || ENVIRONMENTS.every((one) => counts[one] === MOST_DELIVERIES)) break;
  }
  return counts;
}

interface GivenUp {
  /** How many events, by environment. */
  readonly given: Readonly<Record<Environment, number>>;
  /** Why others could not be given up, the first failure first; the next tick tries them again. */
  readonly failures: readonly unknown[];
}

/**
 * Gives up the events that were booked 90 days ago, that nobody has wished to be sent again since, and that are still kept
 * for an endpoint that is disabled (shared/contract/README.md#retention). Never throws: what was given up before a
 * failure is final, and only the caller tells of it. Stops between pages once out of time; the next tick goes on.
 */
export async function giveUpKept({ kept, now, inTime }: Deps<'giveUp'>): Promise<GivenUp> {
  const given: Record<Environment, number> = { sandbox: 0, producao: 0 };
  const failures: unknown[] = [];
  const giveUpOne = async (partnerId: PartnerId) => {
    let after: string | undefined;
    do {
      const page = await kept.giveUp(partnerId, now - DELIVERY_KEPT, now, after);
      for (const environment of page.items) given[environment]++;
      failures.push(...page.failures);
      after = page.next;
    } while (after !== undefined && inTime());
  };
  const noted = (error: unknown) => void failures.push(error);
  const giveUpNoted = ({ partnerId }: DisabledEndpoint) => giveUpOne(partnerId).catch(noted);
  await ofDisabled({ kept, inTime }, GIVING_UP_AT_ONCE, giveUpNoted).catch(noted);
  return { given, failures };
}
