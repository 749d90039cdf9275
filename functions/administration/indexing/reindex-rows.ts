import { AdministrationFailure } from '#shared/administration/failures.ts';
import { reindexRows } from '#shared/administration/indexing.ts';
import { unsettledRefusal } from '#shared/domain/sealing/rotation.ts';
import { goesOnFrom, keptCursor } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(reindexRows, wiring.noted, {
  keys: wiring.serviceKeys,
  indexed: wiring.indexedTable,
}).handler(async ({ body: { units_per_second: unitsPerSecond, cursor }, inTime }, { clock, keys, indexed }) => {
  // The cursor is only checked. Each run continues from the place that the table keeps, with a cursor or without.
  goesOnFrom(cursor);
  const indexKeys = await keys.indexing();
  const refusal = unsettledRefusal(indexKeys, clock());
  const { next } = indexKeys;
  if (refusal !== undefined || !next) throw new AdministrationFailure('refused', { text: refusal });
  const { name } = next;
  return {
    about: 'service',
    target: { name },
    change: async () => {
      const { broken, brokenCount, done, ...counts } = await indexed.reindex(name, { unitsPerSecond }, inTime);
      return {
        name,
        ...counts,
        broken: [...broken],
        broken_count: brokenCount,
        total: await indexed.rows(),
        next_cursor: keptCursor(done),
      };
    },
    result: ({ seen, moved, removed, broken_count }) => ({ seen, moved, removed, broken: broken_count }),
  };
});
