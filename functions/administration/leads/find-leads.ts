import * as z from 'zod/mini';
import { orNotFound } from '#shared/administration/failures.ts';
import { id } from '#shared/administration/fields.ts';
import { findLeads, knownBody, searchFacts } from '#shared/administration/leads.ts';
import { findPerson, partnersToSearch } from '#shared/domain/personal-data/find-person.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({ after: id<PartnerId>('The last partner that was searched.'), done: z.int(), total: z.int() });

export const handler = administrationChange(findLeads, wiring.noted, {
  register: wiring.partnerRegister,
  records: wiring.personalRecords,
}).handler(async ({ body, inTime }, { register, records }) => {
  const { cpf, partner_id: partnerId, unit_id: unitId, environment, cursor } = body;
  if (unitId !== undefined && partnerId === undefined) throw invalidField('unit_id', 'needs its partner_id');
  if (partnerId !== undefined) orNotFound(await register.get(partnerId), `partner ${partnerId}`);
  const place = placeIn(PLACE, cursor);
  const search = { cpf, partnerId, unitId, environment };
  const deps = { register, records, inTime };
  const pseudonym = await records.pseudonym(cpf);
  return {
    about: partnerId ?? 'service',
    target: searchFacts(pseudonym, unitId, environment),
    change: async () => {
      const total = place?.total ?? (await partnersToSearch(search, deps));
      const { found, looked, next } = await findPerson(search, place?.after, deps);
      const done = (place?.done ?? 0) + looked;
      return {
        found: found.map(knownBody),
        done,
        total: Math.max(total, done),
        next_cursor: cursorOf(next === undefined ? undefined : { after: next, done, total }),
      };
    },
    result: ({ found }) => ({ found: found.length, leads: found.map(({ lead_id }) => lead_id).join(',') }),
  };
});
