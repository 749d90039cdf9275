import * as z from 'zod/mini';
import { analysisEnd } from '#shared/domain/analyses/analysis.ts';
import { beginErasure, type Erasure } from '#shared/domain/leads/erasure.ts';
import type { DueLead, RetainedLeads, SeenLead } from '#shared/domain/leads/ports.ts';
import { idTime, type LeadId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { analysesOfLead } from '../analyses/analysis-row.ts';
import { getRow, type Item, queryPage, transact, updateRow } from '../rows/client.ts';
import { dueQuery, erasureKey, leadKey, RETENTION_PARTITIONS, retentionDue, unitNumberKey } from '../rows/keys.ts';
import { numberOf } from '../rows/row-format.ts';
import { opportunityIdsOf } from '../simulations/simulations.ts';
import { erasureRow } from './lead-erasure.ts';
import { livingLead, openLead } from './leads.ts';

const unitNumber = z.object({ partnerId: numberOf<PartnerId>() });

export function tableRetainedLeads(): RetainedLeads {
  return {
    async *due(before) {
      for (const partition of RETENTION_PARTITIONS) {
        let after: string | undefined;
        do {
          const page = await queryPage(dueQuery(partition, before), after);
          yield* page.items.map(dueLead);
          after = page.next;
        } while (after !== undefined);
      }
    },

    // The lead first: what is hung on it after this reading changes its row, and what was hung before is read after it.
    async look(due) {
      const item = await getRow(leadKey(due, due.leadId));
      if (item?.['dueSk'] !== due.entry) return undefined;
      // Marked without an erasure: a reset of the sandbox was cut off, and none came after it. The lead ends as others do.
      if (!livingLead(item) && (await getRow(erasureKey(due, due.leadId)))) return undefined;
      const { analyses } = await analysesOfLead(due, due.leadId);
      const simulated = await opportunityIdsOf(due, due.leadId);
      const ends = analyses.map(analysisEnd);
      return {
        ...due,
        lead: openLead.parse(item),
        erasingSince: z.optional(numberOf<number>()).parse(item['erasingSince']),
        usedAt: latest([...simulated.map(idTime), ...analyses.map(({ createdAt }) => createdAt)]),
        pending: ends.includes(undefined),
        analysedAt: latest(ends.filter((end) => end !== undefined)),
      };
    },

    async keep(seen, { at, notice }) {
      const { duePk, dueSk } = retentionDue(seen, seen.leadId, at);
      const values = { ':pk': duePk, ':sk': dueSk, ...(notice && { ':notice': notice }) };
      const set = `SET duePk = :pk, dueSk = :sk${notice ? ', notice = :notice' : ' REMOVE notice'}`;
      return 'written' in (await updateRow(asSeen(seen, set, values)));
    },

    async claim(seen, now, nextCheckAt) {
      const { unitId, environment, leadId } = seen;
      const { partnerId } = unitNumber.parse(await getRow(unitNumberKey(unitId)));
      const begun = beginErasure({ partnerId, unitId, environment, leadId }, now, nextCheckAt);
      const erasure: Erasure = { ...begun, cause: 'retention' };
      const outcome = await transact([
        { Put: { Item: erasureRow(erasure), ConditionExpression: 'attribute_not_exists(pk)' } },
        { Update: asSeen(seen, 'SET erasingSince = :now REMOVE duePk, dueSk', { ':now': now }) },
      ]);
      return outcome === 'written' ? erasure : undefined;
    },
  };
}

const latest = (moments: readonly number[]) => (moments.length > 0 ? Math.max(...moments) : undefined);

function dueLead(item: Item): DueLead {
  const entry = String(item['dueSk']);
  const [, unitId, environment, leadId] = entry.split('#');
  const tenancy = { unitId: Number(unitId) as UnitId, environment: environment as Environment };
  return { ...tenancy, leadId: Number(leadId) as LeadId, entry };
}

/** An update of a lead that is as it was seen: neither used, nor changed, nor looked at, nor being erased since. */
function asSeen({ entry, lead, erasingSince, ...place }: SeenLead, UpdateExpression: string, values: Item) {
  const { version, uses, reusedAt, replayedAt } = lead;
  const seen = Object.entries({ version, uses, reusedAt, replayedAt, dueSk: entry, erasingSince });
  const known = seen.filter(([, value]) => value !== undefined);
  const conditions = seen.map(([field, value]) =>
    value === undefined ? `attribute_not_exists(${field})` : `${field} = :${field}`,
  );
  return {
    Key: leadKey(place, place.leadId),
    UpdateExpression,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(known.map(([field, value]) => [`:${field}`, value])),
    },
  };
}
