import { deliveryBody, showDelivery } from '#shared/administration/deliveries.ts';
import { orNotFound } from '#shared/administration/failures.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(showDelivery, { deliveries: wiring.deliveries }).handler(
  async ({ params: { event_id } }, { deliveries }) => ({
    delivery: deliveryBody(orNotFound(await deliveries.get(event_id), `event ${event_id}`)),
  }),
);
