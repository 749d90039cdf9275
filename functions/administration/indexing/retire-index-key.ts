import { AdministrationFailure } from '#shared/administration/failures.ts';
import { retireIndexKey } from '#shared/administration/indexing.ts';
import { unsettledRefusal } from '#shared/domain/sealing/rotation.ts';
import { goesOnFrom, keptCursor } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(retireIndexKey, wiring.noted, {
  keys: wiring.serviceKeys,
  indexed: wiring.indexedTable,
}).handler(async ({ body: { name, cursor }, inTime }, { clock, keys, indexed }) => {
  const goesOn = goesOnFrom(cursor);
  const indexKeys = await keys.indexing();
  const refusal = unsettledRefusal(indexKeys, clock());
  if (refusal !== undefined) throw new AdministrationFailure('refused', { text: refusal });
  if (indexKeys.name !== name)
    throw new AdministrationFailure('changed_meanwhile', { text: `The older index key is now ${indexKeys.name}.` });
  return {
    about: 'service',
    target: { name },
    change: async () => {
      const { seen, retired } = await indexed.retire(indexKeys, { now: clock(), goesOn }, inTime);
      return { name, retired, seen, total: await indexed.rows(), next_cursor: keptCursor(retired) };
    },
    result: ({ seen, retired }) => ({ seen, retired }),
  };
});
