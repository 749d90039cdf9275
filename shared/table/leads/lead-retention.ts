import * as z from 'zod/mini';
import { beginErasure, consentCutoff, type Erasure } from '#shared/domain/leads/erasure.ts';
import type { LeadTrace } from '#shared/domain/leads/lead.ts';
import type { DueLead, RetainedLeads, SeenLead } from '#shared/domain/leads/ports.ts';
import type { NextLook } from '#shared/domain/leads/retention.ts';
import { idOf, idTime, type LeadId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { analysesOfLead } from '../analyses/analysis-row.ts';
import { getRow, type Item, queryPage, type TransactItem, transact, winRow } from '../rows/client.ts';
import { outliveLead } from '../rows/consent-cutoff.ts';
import { dueQuery, erasureKey, leadKey, RETENTION_PARTITIONS, retentionDue, unitNumberKey } from '../rows/keys.ts';
import { leadTrace, livingLead } from '../rows/living-lead.ts';
import { numberOf } from '../rows/row-format.ts';
import { opportunityIdsOf } from '../simulations/simulations.ts';
import { erasureRow } from './lead-erasure.ts';

const unitNumberFormat = z.object({ partnerId: numberOf<PartnerId>() });
const markFormat = z.object({ erasingSince: z.optional(z.number()) });
const environmentFormat = z.enum(ENVIRONMENTS);

export class TableRetainedLeads implements RetainedLeads {
  async *due(before: Instant): AsyncGenerator<DueLead, void> {
    for (const partition of RETENTION_PARTITIONS) {
      let after: string | undefined;
      do {
        const page = await queryPage(dueQuery(partition, { before }), after);
        yield* page.items.map(dueLead);
        after = page.next;
      } while (after !== undefined);
    }
  }

  async look(due: DueLead): Promise<SeenLead | undefined> {
    // The lead is read first. A later addition changes its row, so that `keep` and `claim` are refused. The reads below
    // find earlier additions.
    const item = await getRow(leadKey(due, due.leadId));
    if (item?.['dueSk'] !== due.entry) return undefined;
    // A mark without an erasure is from a reset of the sandbox that was cut off: such a lead ends as others do.
    if (!livingLead(item) && (await getRow(erasureKey(due, due.leadId)))) return undefined;
    const { analyses } = await analysesOfLead(due, due.leadId);
    const simulated = await opportunityIdsOf(due, due.leadId);
    const ends = analyses.map(({ concludedAt }) => concludedAt);
    return {
      ...due,
      lead: leadTrace.parse(item),
      erasingSince: markFormat.parse(item).erasingSince,
      usedAt: latest(simulated.map(idTime).concat(analyses.map(({ createdAt }) => createdAt))),
      pending: ends.includes(undefined),
      analysedAt: latest(ends.filter((end) => end !== undefined)),
    };
  }

  async keep(seen: SeenLead, { at, notice }: NextLook): Promise<boolean> {
    const { duePk, dueSk } = retentionDue(seen, seen.leadId, at);
    const update = notice
      ? 'SET duePk = :pk, dueSk = :sk, notice = :notice'
      : 'SET duePk = :pk, dueSk = :sk REMOVE notice';
    const outcome = await winRow(asSeen(seen, update, { ':pk': duePk, ':sk': dueSk, ':notice': notice }));
    return 'written' in outcome;
  }

  async claim(seen: SeenLead, now: Instant, nextCheckAt: Instant): Promise<Erasure | undefined> {
    const { unitId, environment, leadId } = seen;
    const { partnerId } = unitNumberFormat.parse(await getRow(unitNumberKey(unitId)));
    const erasure = beginErasure({ partnerId, unitId, environment, leadId, cause: 'retention' }, now, nextCheckAt);
    const { consentWithdrawnAt } = seen.lead;
    const cutoff = consentCutoff(erasure, consentWithdrawnAt);
    const kept = cutoff === undefined ? [] : await outliveLead(seen, await getRow(leadKey(seen, leadId)), cutoff, now);
    const mark = asSeen(seen, 'SET erasingSince = :now REMOVE duePk, dueSk', { ':now': now }, { consentWithdrawnAt });
    const parts: TransactItem[] = [
      { Put: { Item: erasureRow(erasure), ConditionExpression: 'attribute_not_exists(pk)' } },
      { Update: mark },
    ];
    const outcome = await transact(parts.concat(kept));
    return outcome === 'written' ? erasure : undefined;
  }
}

const latest = (moments: readonly Instant[]): Instant | undefined =>
  moments.length > 0 ? Math.max(...moments) : undefined;

/** `look#unit#environment#lead` */
function dueLead(item: Item): DueLead {
  const entry = String(item['dueSk']);
  const [, unitId, environment, leadId] = entry.split('#');
  return {
    unitId: idOf<UnitId>(Number(unitId)),
    environment: environmentFormat.parse(environment),
    leadId: idOf<LeadId>(Number(leadId)),
    entry,
  };
}

/**
 * The update fails if the lead was used, changed, looked at or marked since it was seen, or if a field of `further` has changed.
 */
function asSeen(
  { entry, lead, erasingSince, ...place }: SeenLead,
  UpdateExpression: string,
  values: Item,
  further: Pick<LeadTrace, 'consentWithdrawnAt'> = {},
) {
  const { version, uses, reusedAt, replayedAt } = lead;
  const seen = Object.entries({ version, uses, reusedAt, replayedAt, dueSk: entry, erasingSince, ...further });
  const conditions = seen.map(([field, value]) =>
    value === undefined ? `attribute_not_exists(${field})` : `${field} = :${field}`,
  );
  const seenValues = Object.fromEntries(seen.map(([field, value]) => [`:${field}`, value]));
  return {
    Key: leadKey(place, place.leadId),
    UpdateExpression,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeValues: { ...values, ...seenValues },
  };
}
