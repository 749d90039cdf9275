import type { PartnerId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';
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

interface GivenUp {
  /** How many events, by environment. */
  readonly given: Readonly<Record<Environment, number>>;
  /** Why others could not be given up, the first failure first; the next tick tries them again. */
  readonly failures: readonly unknown[];
}

/**
 * Gives up the events that were booked 90 days ago, that nobody has wished to be sent again since, and that are still kept
 * for an endpoint that is disabled (contract.md, A person's erasure). Never throws: what was given up before a failure is
 * final, and only the caller tells of it. Stops between pages once out of time; the next tick goes on.
 */
export async function giveUpKept({ kept, now, inTime }: GiveUpDeps): Promise<GivenUp> {
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
  const giveUpAll = async () => {
    let from: string | undefined;
    do {
      const endpoints = await kept.disabledEndpoints(ENDPOINTS_AT_ONCE, from);
      await Promise.all(endpoints.items.map(({ partnerId }) => giveUpOne(partnerId).catch(noted)));
      from = endpoints.next;
    } while (from !== undefined && inTime());
  };
  await giveUpAll().catch(noted);
  return { given, failures };
}
