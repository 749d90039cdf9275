import { reencryptRows } from '#shared/administration/sealing.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { goesOnFrom, keptCursor } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(reencryptRows, wiring.noted, {
  keys: wiring.serviceKeys,
  sealed: wiring.sealedTable,
}).handler(async ({ body: { restart, units_per_second: unitsPerSecond, cursor }, inTime }, { keys, sealed }) => {
  const begun = goesOnFrom(cursor);
  const { current: version, settledAt } = await keys.sealing();
  return {
    about: 'service',
    target: { version },
    change: async () => {
      const options = { restart: restart && !begun, unitsPerSecond };
      const { seen, resealed, broken, brokenCount, done } = await sealed.reencrypt(version, options, inTime);
      return {
        version,
        seen,
        resealed,
        broken: [...broken],
        broken_count: brokenCount,
        settled_at: timestamp(settledAt),
        total: await sealed.rows(),
        next_cursor: keptCursor(done),
      };
    },
    result: ({ seen, resealed, broken_count }) => ({ seen, resealed, broken: broken_count }),
  };
});
