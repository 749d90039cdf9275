import { indexBody } from '#shared/administration/indexing.ts';
import { showSealingKeys } from '#shared/administration/sealing.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const NONE = {
  initialised: false,
  current: null,
  versions: [],
  settled_at: null,
  use: [],
  retired: [],
  index: null,
};

export const handler = administrationRead(showSealingKeys, {
  keys: wiring.serviceKeys,
  sealed: wiring.sealedTable,
}).handler(async (_, { keys, sealed }) => {
  if (!(await keys.initialised())) return NONE;
  const [{ current, versions, settledAt }, retired, index] = await Promise.all([
    keys.sealing(),
    keys.retired(),
    keys.indexing(),
  ]);
  const use = await sealed.use(versions);
  return {
    initialised: true,
    current,
    versions: [...versions],
    settled_at: timestamp(settledAt),
    use: use.map(({ percentOfLimit, ...counted }) => ({ ...counted, percent_of_limit: percentOfLimit })),
    retired: retired.map(({ version, until }) => ({ version, kept_until: timestamp(until) })),
    index: indexBody(index),
  };
});
