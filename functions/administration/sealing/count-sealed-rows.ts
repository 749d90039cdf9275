import * as z from 'zod/mini';
import { countSealedRows } from '#shared/administration/sealing.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(countSealedRows, { sealed: wiring.sealedTable }).handler(
  async ({ query: { cursor }, inTime }, { sealed }) => {
    const [total, { seen, rows, next }] = await Promise.all([
      sealed.rows(),
      sealed.count(placeIn(z.string(), cursor), inTime),
    ]);
    return { seen, rows: [...rows], total, next_cursor: cursorOf(next) };
  },
);
