import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import { FAILING_LONG, type ListedEndpoint } from './endpoint.ts';
import type { TroubledEndpoints } from './ports.ts';

/** Endpoints on a page of the index. */
const PAGE = 50;
/** Most pages that are counted in a tick. A reader only has to see that there are many. */
const MOST_PAGES = 10;

/**
 * Counts the enabled endpoints that have failed for FAILING_LONG, by environment. Stops between pages if the time is out;
 * the counts are then lower bounds.
 */
export async function countFailing({
  troubled,
  now,
  inTime,
}: {
  readonly troubled: Pick<TroubledEndpoints, 'failing'>;
  readonly now: Instant;
  readonly inTime: () => boolean;
}): Promise<Readonly<Record<Environment, number>>> {
  const counts: Record<Environment, number> = { sandbox: 0, producao: 0 };
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && (pages === 0 || inTime()); pages++) {
    const { items, next } = await troubled.failing(now - FAILING_LONG, PAGE, after);
    for (const environment of ENVIRONMENTS)
      counts[environment] += items.filter((endpoint) => endpoint.environment === environment).length;
    after = next;
    if (after === undefined) break;
  }
  return counts;
}

/** Where the list of troubled endpoints continues: in which of its two parts, and the table's cursor there. */
export interface TroubledPlace {
  readonly part: 'failing' | 'disabled';
  readonly after?: string | undefined;
}

/**
 * Returns a page of the endpoints of all partners that fail or have disabled themselves. The endpoints that fail come
 * first, those that have failed for longest before the others. `next` is undefined at the end.
 */
export async function listTroubled(
  place: TroubledPlace | undefined,
  { troubled, now }: { readonly troubled: TroubledEndpoints; readonly now: Instant },
): Promise<{ readonly items: readonly ListedEndpoint[]; readonly next: TroubledPlace | undefined }> {
  const { part, after } = place ?? { part: 'failing' };
  if (part === 'failing') {
    const { items, next } = await troubled.failing(now, PAGE, after);
    return { items, next: next === undefined ? { part: 'disabled' } : { part, after: next } };
  }
  const { items, next } = await troubled.disabled(PAGE, after);
  return { items, next: next === undefined ? undefined : { part, after: next } };
}
