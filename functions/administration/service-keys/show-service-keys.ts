import { heldBody, showServiceKeys } from '#shared/administration/service-keys.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const NONE = { initialised: false, current: null, versions: [], index: [], settled_at: null, use: [], retired: [] };

export const handler = administrationRead(showServiceKeys, {
  keys: wiring.serviceKeys,
  table: wiring.keyedTable,
}).handler(async (_, { keys, table }) => {
  if (!(await keys.initialised())) return NONE;
  const [held, retired] = await Promise.all([keys.held(), keys.retired()]);
  const use = await table.use(held.versions);
  return {
    initialised: true,
    ...heldBody(held),
    use: use.map(({ percentOfLimit, ...counted }) => ({ ...counted, percent_of_limit: percentOfLimit })),
    retired: retired.map(({ version, until }) => ({ version, kept_until: timestamp(until) })),
  };
});
