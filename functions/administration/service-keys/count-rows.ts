import * as z from 'zod/mini';
import { countRows, indexedBody } from '#shared/administration/service-keys.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(countRows, {
  clock: wiring.clock,
  table: wiring.keyedTable,
}).handler(async ({ query: { cursor }, inTime }, { clock, table }) => {
  const [total, { seen, sealed, indexed, next }] = await Promise.all([
    table.rows(),
    table.count(placeIn(z.string(), cursor), clock(), inTime),
  ]);
  return { seen, sealed: [...sealed], indexed: indexedBody(indexed), total, next_cursor: cursorOf(next) };
});
