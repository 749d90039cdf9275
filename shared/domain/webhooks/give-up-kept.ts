import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import { DELIVERY_KEPT } from './delivery.ts';
import type { KeptDeliveries } from './ports.ts';

/** Endpoints that are looked at side by side. */
const ENDPOINTS_AT_ONCE = 25;

interface GiveUpDeps {
  readonly kept: Pick<KeptDeliveries, 'disabledEndpoints' | 'giveUp'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly inTime: () => boolean;
}

/**
 * Gives up the events that were booked 90 days ago, that nobody has wished to be sent again since, and that are still kept
 * for an endpoint that is disabled (contract.md, A person's erasure). Gives how many, by environment. Stops between pages
 * once out of time; the next tick goes on.
 */
export async function giveUpKept({ kept, now, inTime }: GiveUpDeps): Promise<Readonly<Record<Environment, number>>> {
  const given: Environment[] = [];
  let from: string | undefined;
  do {
    const endpoints = await kept.disabledEndpoints(ENDPOINTS_AT_ONCE, from);
    await Promise.all(
      endpoints.items.map(async ({ partnerId }) => {
        let after: string | undefined;
        do {
          const page = await kept.giveUp(partnerId, now - DELIVERY_KEPT, now, after);
          given.push(...page.items);
          after = page.next;
        } while (after !== undefined && inTime());
      }),
    );
    from = endpoints.next;
  } while (from !== undefined && inTime());
  const count = (environment: Environment) => given.filter((one) => one === environment).length;
  return Object.fromEntries(ENVIRONMENTS.map((one) => [one, count(one)])) as Record<Environment, number>;
}
