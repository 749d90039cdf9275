import type { PartnerId } from '../values/ids.ts';
import { fold } from '../values/nearest-name.ts';
import type { PartnerProfile } from './partner.ts';
import type { PartnerRegister } from './ports.ts';

/** Which partners are looked for. */
interface Search {
  /** A part of the name; case and accents do not matter. All where it is left out. */
  readonly name?: string | undefined;
  readonly limit: number;
  /** The last one that the page before has looked at. */
  readonly after?: PartnerId | undefined;
}

/** Partners that are read at once, and how many one call looks at before it gives what it has. */
const PAGE = 100;
const MOST_LOOKED_AT = 2_000;

/**
 * Partners whose name has a text in it, oldest first. `next` is where another call goes on; a page may have fewer than
 * `limit`, even none, where few of many partners match.
 */
export async function findPartners(
  { name, limit, after }: Search,
  register: Pick<PartnerRegister, 'page'>,
): Promise<{ items: readonly PartnerProfile[]; next: PartnerId | undefined }> {
  const wanted = fold(name ?? '');
  const items: PartnerProfile[] = [];
  let next = after;
  for (let seen = 0; seen < MOST_LOOKED_AT; seen += PAGE) {
    const page = await register.page(wanted === '' ? Math.min(PAGE, limit - items.length) : PAGE, next);
    for (const [index, profile] of page.items.entries()) {
      if (fold(profile.name).includes(wanted)) items.push(profile);
      const last = page.next === undefined && index === page.items.length - 1;
      if (items.length === limit) return { items, next: last ? undefined : profile.id };
    }
    next = page.next;
    if (next === undefined) break;
  }
  return { items, next };
}
