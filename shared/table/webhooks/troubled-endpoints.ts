import * as z from 'zod/mini';
import { idOf, type PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Page } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import type { EndpointOwner, ListedEndpoint } from '#shared/domain/webhooks/endpoint.ts';
import type { TroubledEndpoints } from '#shared/domain/webhooks/ports.ts';
import { logError } from '#shared/runtime/log.ts';
import { getRows, type Item, queryPage } from '../rows/client.ts';
import { DISABLED_PARTITION, dueQuery, FAILING_PARTITION, failingBefore, webhookKey } from '../rows/keys.ts';
import { viewOf } from './webhook-endpoints.ts';

const environmentFormat = z.enum(ENVIRONMENTS);

/** `text#partner#environment` */
function ownerIn(sortKey: unknown): EndpointOwner {
  const [, partnerId, environment] = String(sortKey).split('#');
  return { partnerId: idOf<PartnerId>(Number(partnerId)), environment: environmentFormat.parse(environment) };
}

/** If the row cannot be read, logs it and returns undefined, so that the other endpoints are counted and listed. */
function readableEndpoint(owner: EndpointOwner, item: Item): ListedEndpoint | undefined {
  try {
    const { url, enabled, disabledBecause, health } = viewOf(item);
    return { ...owner, url, enabled, disabledBecause, health };
  } catch (error) {
    logError('row_unreadable', error, { partner: owner.partnerId });
    return undefined;
  }
}

/** Leaves out endpoints that are not `wanted`: the index may be late. */
async function listed(
  owners: readonly EndpointOwner[],
  wanted: (endpoint: ListedEndpoint) => boolean,
): Promise<readonly ListedEndpoint[]> {
  const items = await getRows(owners.map(webhookKey));
  return owners.flatMap((owner, index) => {
    const item = items[index];
    const endpoint = item && readableEndpoint(owner, item);
    return endpoint && wanted(endpoint) ? [endpoint] : [];
  });
}

export class TableTroubledEndpoints implements TroubledEndpoints {
  async failing(before: Instant, limit: number, after?: string): Promise<Page<ListedEndpoint>> {
    const query = {
      IndexName: 'byList',
      KeyConditionExpression: 'listPk = :pk AND listSk < :before',
      ExpressionAttributeValues: { ':pk': FAILING_PARTITION, ':before': failingBefore(before) },
      Limit: limit,
    };
    const { items, next } = await queryPage(query, after);
    const isFailing = ({ enabled, health: { failingSince } }: ListedEndpoint) =>
      enabled && failingSince !== undefined && failingSince < before;
    return {
      items: await listed(
        items.map(({ listSk }) => ownerIn(listSk)),
        isFailing,
      ),
      next,
    };
  }

  async disabled(limit: number, after?: string): Promise<Page<ListedEndpoint>> {
    const { items, next } = await queryPage(dueQuery(DISABLED_PARTITION, { limit }), after);
    const disabledItself = ({ enabled, disabledBecause }: ListedEndpoint) => !enabled && disabledBecause !== 'manager';
    return {
      items: await listed(
        items.map(({ dueSk }) => ownerIn(dueSk)),
        disabledItself,
      ),
      next,
    };
  }
}
