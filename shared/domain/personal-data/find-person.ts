import type { PartnerRegister } from '../partners/ports.ts';
import type { Cpf } from '../values/cpf.ts';
import type { LeadId, PartnerId, UnitId } from '../values/ids.ts';
import { ENVIRONMENTS, type Environment, type Tenancy } from '../values/tenancy.ts';
import type { PersonalRecords } from './ports.ts';

export const ROLES = ['holder', 'spouse'] as const;
export type Role = (typeof ROLES)[number];

export interface KnownPerson extends Tenancy {
  readonly partnerId: PartnerId;
  readonly leadId: LeadId;
  readonly role: Role;
}

export interface PersonSearch {
  readonly cpf: Cpf;
  readonly partnerId?: PartnerId | undefined;
  readonly unitId?: UnitId | undefined;
  readonly environment?: Environment | undefined;
}

interface Deps {
  readonly register: Pick<PartnerRegister, 'page' | 'units'>;
  readonly records: Pick<PersonalRecords, 'leadByCpf' | 'spouseByCpf'>;
  readonly inTime: () => boolean;
}

const PAGE = 100;

export async function partnersToSearch({ partnerId }: PersonSearch, { register }: Deps): Promise<number> {
  if (partnerId !== undefined) return 1;
  let count = 0;
  let after: PartnerId | undefined;
  do {
    const page = await register.page(PAGE, after);
    count += page.items.length;
    after = page.next;
  } while (after !== undefined);
  return count;
}

/**
 * Searches at least one partner, the oldest first. `next` is the last searched partner if time ran out, and undefined
 * at the end.
 */
export async function findPerson(
  search: PersonSearch,
  after: PartnerId | undefined,
  deps: Deps,
): Promise<{ found: readonly KnownPerson[]; looked: number; next: PartnerId | undefined }> {
  const found: KnownPerson[] = [];
  if (search.partnerId !== undefined) {
    return { found: await atPartner(search.partnerId, search, deps), looked: 1, next: undefined };
  }
  let looked = 0;
  let lastLooked = after;
  let hasMore = true;
  while (hasMore) {
    const page = await deps.register.page(PAGE, lastLooked);
    for (const { id } of page.items) {
      if (looked > 0 && !deps.inTime()) return { found, looked, next: lastLooked };
      found.push(...(await atPartner(id, search, deps)));
      looked += 1;
      lastLooked = id;
    }
    hasMore = page.next !== undefined;
  }
  return { found, looked, next: undefined };
}

async function atPartner(
  partnerId: PartnerId,
  { cpf, unitId, environment }: PersonSearch,
  { register, records }: Deps,
): Promise<KnownPerson[]> {
  const units = (await register.units(partnerId)).filter(({ id }) => (unitId ?? id) === id);
  const places = units.flatMap(({ id }) =>
    ENVIRONMENTS.filter((one) => (environment ?? one) === one).map((one) => ({ unitId: id, environment: one })),
  );
  const known = await Promise.all(
    places.map(async (tenancy) => {
      const [holder, named] = await Promise.all([records.leadByCpf(tenancy, cpf), records.spouseByCpf(tenancy, cpf)]);
      const people: KnownPerson[] = [];
      if (holder !== undefined) people.push({ partnerId, ...tenancy, leadId: holder, role: 'holder' });
      for (const leadId of new Set(named.map((spouse) => spouse.leadId)))
        people.push({ partnerId, ...tenancy, leadId, role: 'spouse' });
      return people;
    }),
  );
  return known.flat();
}
