import * as z from 'zod/mini';
import { AdministrationFailure } from '#shared/administration/failures.ts';
import { countOlderRows } from '#shared/administration/indexing.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(countOlderRows, {
  clock: wiring.clock,
  keys: wiring.serviceKeys,
  indexed: wiring.indexedTable,
}).handler(async ({ query: { cursor }, inTime }, { clock, keys, indexed }) => {
  const place = placeIn(z.string(), cursor);
  if (!(await keys.indexing()).next)
    throw new AdministrationFailure('refused', {
      text: 'There is one index key: no row lies under an older one.',
    });
  const [total, { seen, cpfs, records, recordsEndAt, next }] = await Promise.all([
    indexed.rows(),
    indexed.count(place, clock(), inTime),
  ]);
  const records_until = records > 0 ? timestamp(recordsEndAt) : null;
  return { seen, cpfs, records, records_until, total, next_cursor: cursorOf(next) };
});
