import * as z from 'zod/mini';
import { explainedBody, listDeliveries } from '#shared/administration/deliveries.ts';
import { orNotFound } from '#shared/administration/failures.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import type { DeliveryArchive } from '#shared/domain/webhooks/ports.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listDeliveries, {
  register: wiring.partnerRegister,
  archive: wiring.deliveryArchive,
}).handler(async ({ query }, { register, archive }) => {
  const { partner_id } = query;
  const [{ items, next }, partner] =
    partner_id === undefined
      ? [await givenUp(query, archive)]
      : await Promise.all([listed({ ...query, partner_id }, archive), register.get(partner_id)]);
  if (partner_id !== undefined) orNotFound(partner, `partner ${partner_id}`);
  const rows = await archive.explained(items);
  // The index may be late: deliveries that have left the wanted state are left out.
  const wanted = partner_id === undefined ? 'esgotada' : query.state;
  const listedRows = rows.filter(({ state }) => (wanted ?? state) === state);
  return { deliveries: listedRows.map(explainedBody), next_cursor: cursorOf(next) };
});

type Query = z.output<typeof listDeliveries.query>;

function givenUp({ environment = 'producao', limit, cursor, ...narrowing }: Query, archive: DeliveryArchive) {
  const [narrowedBy] = Object.entries(narrowing).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  if (narrowedBy !== undefined) throw invalidField(narrowedBy, 'needs its partner_id');
  return archive.exhausted(environment, limit, placeIn(z.string(), cursor));
}

async function listed(query: Query & { readonly partner_id: PartnerId }, archive: DeliveryArchive) {
  const { partner_id, unit_id: unitId, environment, state, analysis_id, since, until, limit, cursor } = query;
  if (analysis_id === undefined) {
    const filter = { unitId, environment, since, until, states: state && [state] };
    return archive.page(partner_id, filter, 'newest', limit, placeIn(z.string(), cursor));
  }
  if (unitId === undefined) throw invalidField('analysis_id', 'needs its unit_id');
  const environments = ENVIRONMENTS.filter((one) => (environment ?? one) === one);
  const found = await Promise.all(
    environments.map((one) => archive.ofAnalysis({ unitId, environment: one }, analysis_id)),
  );
  const isOwn = (row: Delivery) =>
    row.partnerId === partner_id &&
    (state ?? row.state) === row.state &&
    row.createdAt >= (since ?? row.createdAt) &&
    row.createdAt < (until ?? Number.POSITIVE_INFINITY);
  return { items: found.flat().filter(isOwn), next: undefined };
}
