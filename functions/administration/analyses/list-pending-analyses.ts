import * as z from 'zod/mini';
import { analysisBody, listPendingAnalyses } from '#shared/administration/analyses.ts';
import { listPending, partitionsToList } from '#shared/domain/analyses/list-pending.ts';
import { administrationRead } from '#shared/http/administration-endpoint.ts';
import { cursorOf, placeIn } from '#shared/http/administration-parse.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({ partition: z.int().check(z.minimum(0)), after: z.optional(z.string()) });

export const handler = administrationRead(
  listPendingAnalyses,
  { clock: wiring.clock, analyses: wiring.analyses },
  async ({ query: { partner_id: partnerId, bank, unanswerable, cursor }, inTime }, { analyses }) => {
    const filter = { partnerId, bank, unanswerable };
    const { items, next } = await listPending(filter, placeIn(PLACE, cursor), { analyses, inTime });
    const total = partitionsToList(filter).length;
    return { analyses: items.map(analysisBody), done: next?.partition ?? total, total, next_cursor: cursorOf(next) };
  },
);
