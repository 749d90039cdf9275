import type { PartnerId } from '../values/ids.ts';
import { fold } from '../values/nearest-name.ts';
import type { PartnerProfile } from './partner.ts';
import type { PartnerRegister } from './ports.ts';

interface Search {
  /** Case and accents do not matter. */
  readonly name?: string | undefined;
  readonly limit: number;
  readonly after?: PartnerId | undefined;
}

const PAGE = 100;
const MOST_LOOKED_AT = 2_000;

/** If few of many partners match, a page may have fewer than `limit`, or none. */
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
