import type { PartnerId } from '../values/ids.ts';
import { fold } from '../values/nearest-name.ts';
import type { PartnerProfile } from './partner.ts';
import type { PartnerRegister } from './ports.ts';

/** Which partners are looked for. */
interface Search {
  /** A part of the name, or with an @ of a unit's contact; case and accents do not matter. All where it is left out. */
  readonly name?: string | undefined;
  readonly limit: number;
  /** The last one that the page before has looked at. */
  readonly after?: PartnerId | undefined;
}

/** Partners that are read at once, and how many one call looks at before it gives what it has. */
const PAGE = 100;
const MOST_LOOKED_AT = 2_000;
/** The units of each are a read of their own. */
const MOST_WITH_UNITS = 200;

/**
 * Partners whose name, or with an @ whose unit's contact, has a text in it, oldest first. `next` is where another call goes on;
 * a page may have fewer than `limit`, even none, where few of many partners match.
 */
export async function findPartners(
  { name, limit, after }: Search,
  register: Pick<PartnerRegister, 'page' | 'units'>,
): Promise<{ items: readonly PartnerProfile[]; next: PartnerId | undefined }> {
  const wanted = fold(name ?? '');
  const byContact = wanted.includes('@');
  const most = byContact ? MOST_WITH_UNITS : MOST_LOOKED_AT;
  const items: PartnerProfile[] = [];
  let next = after;
  for (let seen = 0; seen < most; seen += PAGE) {
    const page = await register.page(wanted === '' ? Math.min(PAGE, limit - items.length) : PAGE, next);
    const contacts = await Promise.all(page.items.map(({ id }) => (byContact ? contactsOf(id, register) : '')));
    for (const [index, profile] of page.items.entries()) {
      if (fold(`${profile.name} ${contacts[index]}`).includes(wanted)) items.push(profile);
      const last = page.next === undefined && index === page.items.length - 1;
      if (items.length === limit) return { items, next: last ? undefined : profile.id };
    }
    next = page.next;
    if (next === undefined) break;
  }
  return { items, next };
}

const contactsOf = async (id: PartnerId, register: Pick<PartnerRegister, 'units'>): Promise<string> =>
  (await register.units(id)).map(({ contact }) => contact).join(' ');
