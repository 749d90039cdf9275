import type { PartnerId } from '../values/ids.ts';
import { fold } from '../values/nearest-name.ts';
import type { PartnerProfile } from './partner.ts';
import type { PartnerRegister } from './ports.ts';

/** Which partners are looked for. */
interface Search {
  /** A part of the partner's name. Case and accents do not matter. Undefined finds all partners. */
  readonly name?: string | undefined;
  readonly limit: number;
  /** The last partner that the page before looked at. */
  readonly after?: PartnerId | undefined;
}

/** Partners that are read at once. */
const PAGE = 100;
/** Most partners that one call looks at, even if it has found fewer than `limit`. */
const MOST_LOOKED_AT = 2_000;

/**
 * Returns a page of the partners that match a text, oldest first. `next` is the partner after which the next page
 * continues. Undefined at the end. If few of many partners match, a page may have fewer than `limit`, or none.
 */
export async function findPartners(
  { name, limit, after }: Search,
  register: Pick<PartnerRegister, 'page'>,
): Promise<{ items: readonly PartnerProfile[]; next: PartnerId | undefined }> {
  const wanted = fold(name ?? '');
  const items: PartnerProfile[] = [];
  let next = after;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += PAGE) {
    const page = await register.page(wanted === '' ? Math.min(PAGE, limit - items.length) : PAGE, next);
    for (const [index, profile] of page.items.entries()) {
      if (fold(profile.name).includes(wanted)) items.push(profile);
      const isLast = page.next === undefined && index === page.items.length - 1;
      if (items.length === limit) return { items, next: isLast ? undefined : profile.id };
    }
    next = page.next;
    if (next === undefined) break;
  }
  return { items, next };
}
