import { deliveryList, deliveryListBody, parseDeliveryQuery } from '#shared/contract/delivery.ts';
import { listOwnDeliveries } from '#shared/contract/routes.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { queryFields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(listOwnDeliveries, wiring.admission, { deliveries: wiring.unitDeliveries })
  .use(queryFields(parseDeliveryQuery))
  .handler(async ({ caller, input: { page, filter } }, { deliveries }) => {
    return answer(200, deliveryList, deliveryListBody(await deliveries.list(caller, filter, page), page));
  });
