import { rewriteRows } from '#shared/administration/service-keys.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { goesOnFrom, keptCursor } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(rewriteRows, wiring.noted, {
  keys: wiring.serviceKeys,
  table: wiring.keyedTable,
}).handler(async ({ body: { restart, units_per_second: unitsPerSecond, cursor }, inTime }, { clock, keys, table }) => {
  const begun = goesOnFrom(cursor);
  const held = await keys.held();
  const { current } = held;
  return {
    about: 'service',
    target: { version: current },
    change: async () => {
      const options = { restart: restart && !begun, unitsPerSecond };
      const { broken, brokenCount, done, ...counts } = await table.rewrite(held, clock(), options, inTime);
      return {
        current,
        ...counts,
        broken: [...broken],
        broken_count: brokenCount,
        settled_at: timestamp(held.settledAt),
        total: await table.rows(),
        next_cursor: keptCursor(done),
      };
    },
    result: ({ seen, resealed, moved, removed, broken_count }) => ({
      seen,
      resealed,
      moved,
      removed,
      broken: broken_count,
    }),
  };
});
