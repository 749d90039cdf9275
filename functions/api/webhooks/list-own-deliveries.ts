import { deliveryList, deliveryListBody, parseDeliveryQuery } from '#shared/contract/delivery.ts';
import { listOwnDeliveries } from '#shared/contract/routes.ts';
import { answer, endpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  listOwnDeliveries,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, deliveries: wiring.unitDeliveries },
  async ({ caller, query }, { deliveries }) => {
    const { page, filter } = parseDeliveryQuery(query);
    return answer(200, deliveryList, deliveryListBody(await deliveries.list(caller, filter, page), page));
  },
);
