import * as z from 'zod/mini';
import { analysisBody, listPendingAnalyses } from '#shared/administration/analyses.ts';
import { listPending, partitionsToList } from '#shared/domain/analyses/list-pending.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({ partition: z.int().check(z.minimum(0)), after: z.optional(z.string()) });

export const handler = administrationRead(listPendingAnalyses, { analyses: wiring.analyses }).handler(
  async ({ query: { partner_id: partnerId, bank, unanswerable, cursor }, inTime }, { analyses }) => {
    const filter = { partnerId, bank, unanswerable };
    const { items, next } = await listPending(filter, placeIn(PLACE, cursor), { analyses, inTime });
    const total = partitionsToList(filter).length;
    return { analyses: items.map(analysisBody), done: next?.partition ?? total, total, next_cursor: cursorOf(next) };
  },
);
