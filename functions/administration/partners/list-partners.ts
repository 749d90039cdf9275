import { id } from '#shared/administration/fields.ts';
import { listPartners, partnerBody } from '#shared/administration/partners.ts';
import { findPartners } from '#shared/domain/partners/find-partners.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = id<PartnerId>('The last partner of the page before.');

export const handler = administrationRead(listPartners, { register: wiring.partnerRegister }).handler(
  async ({ query: { name, unit_id, limit, cursor } }, { register }) => {
    if (unit_id !== undefined) {
      const owner = await register.ofUnit(unit_id);
      return { partners: owner ? [partnerBody(owner)] : [], next_cursor: null };
    }
    const { items, next } = await findPartners({ name, limit, after: placeIn(PLACE, cursor) }, register);
    return { partners: items.map(partnerBody), next_cursor: cursorOf(next) };
  },
);
