import type { PartnerId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import { FAILING_LONG, type ListedEndpoint } from './endpoint.ts';
import type { TroubledEndpoints } from './ports.ts';

const PAGE = 50;
/** A reader only has to see that there are many. */
const MOST_PAGES = 10;

/** Stops between pages if the time is out, and then leaves some partners out. */
export async function listFailing({
  troubled,
  now,
  inTime,
}: {
  readonly troubled: Pick<TroubledEndpoints, 'failing'>;
  readonly now: Instant;
  readonly inTime: () => boolean;
}): Promise<Readonly<Record<Environment, readonly PartnerId[]>>> {
  const failing: Record<Environment, PartnerId[]> = { sandbox: [], producao: [] };
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && (pages === 0 || inTime()); pages++) {
    const { items, next } = await troubled.failing(now - FAILING_LONG, PAGE, after);
    for (const { environment, partnerId } of items) failing[environment].push(partnerId);
    after = next;
    if (after === undefined) break;
  }
  return failing;
}

export interface TroubledPlace {
  readonly part: 'failing' | 'disabled';
  readonly after?: string | undefined;
}

/** Lists the longest failing endpoints first, then the disabled endpoints. `next` is undefined at the end. */
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
