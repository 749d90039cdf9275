import type { Caller } from '#shared/domain/partners/partner.ts';
import { RESET_PAUSE, type SandboxReset } from '#shared/domain/partners/ports.ts';
import { idOf, type LeadId, type SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { type Instant, type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { remainingTime } from '#shared/runtime/deadline.ts';
import { readAnalysisList } from '../analyses/analysis-list.ts';
import { deletions, forgetAnswers, forgetCpf, formsOf } from '../leads/lead-erasure.ts';
import { getRow, queryPartition, transact, winRow } from '../rows/client.ts';
import {
  analysisKey,
  analysisListKey,
  checklistKey,
  cutoffPartition,
  erasureKey,
  leadKey,
  leadOpportunityKey,
  opportunityKey,
  type RowKey,
  refusedCallPartition,
  sandboxLeadKey,
  unitKey,
} from '../rows/keys.ts';
import { keyOf } from '../rows/table-scan.ts';
import { opportunityIdsOf } from '../simulations/simulations.ts';
import { readSteps, stepsMade } from './sandbox-checklist.ts';
import { sandboxLeadsOf } from './sandbox-leads.ts';

const AT_ONCE = 10;
const TIME_FOR_LEADS: Milliseconds = seconds(4);
const TIME_OUTSIDE: Milliseconds = seconds(10);
/** A transaction takes 100 parts. */
const BATCH = 99;

const isInTime = () => remainingTime(TIME_OUTSIDE) > TIME_FOR_LEADS;

export class TableSandboxReset implements SandboxReset {
  async reset(
    caller: Caller,
    now: Instant,
  ): Promise<
    | { readonly kind: 'too_soon'; readonly resetAt: Instant }
    | { readonly kind: 'reset'; readonly leads: number; readonly more: boolean }
  > {
    const resetAt = await noteReset(caller, now);
    if (resetAt !== undefined) return { kind: 'too_soon', resetAt };
    // Notes the steps that were made, so that the partner need not make them again.
    await stepsMade(caller, readSteps(await getRow(checklistKey(caller.partnerId))));
    const leads = await sandboxLeadsOf(caller.unitId);
    let [begun, removed] = [0, 0];
    for (; begun < leads.length && isInTime(); begun += AT_ONCE) {
      const removals = leads.slice(begun, begun + AT_ONCE).map((id) => removeLead(caller, id, now));
      removed += (await Promise.all(removals)).filter(Boolean).length;
    }
    const refusedCalls = await queryPartition(refusedCallPartition(caller));
    await removeRows(refusedCalls.map(keyOf));
    // These cutoffs would refuse the consents of a script that uses a test CPF again.
    await removeRows((await queryPartition(cutoffPartition(caller))).map(keyOf));
    return { kind: 'reset', leads: removed, more: begun < leads.length };
  }
}

/** Returns the moment of the last reset instead if it was less than RESET_PAUSE ago. */
async function noteReset({ partnerId, unitId }: Caller, now: Instant): Promise<Instant | undefined> {
  const outcome = await winRow({
    Key: unitKey(partnerId, unitId),
    UpdateExpression: 'SET resetAt = :now',
    ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(resetAt) OR resetAt <= :before)',
    ExpressionAttributeValues: { ':now': now, ':before': now - RESET_PAUSE },
  });
  return 'written' in outcome ? undefined : Number(outcome.refused['resetAt']);
}

/**
 * The consents stay: no function may delete them, and nobody reads them without the lead. A stored answer that the
 * index does not show yet stays, too; its key is free, since its lead is gone. A lead that is being erased is left to
 * the erasure. The analyses are deleted before their list, because an outcome that is being written updates both. The
 * lead is deleted last, so that the next reset repeats a run that was cut off.
 */
async function removeLead({ unitId, environment, partnerId }: Caller, leadId: LeadId, now: Instant): Promise<boolean> {
  const lead = { unitId, environment, partnerId, leadId };
  const Key = leadKey(lead, leadId);
  const unlessErased = {
    ConditionCheck: { Key: erasureKey(lead, leadId), ConditionExpression: 'attribute_not_exists(pk)' },
  };
  const mark = {
    Key,
    UpdateExpression: 'SET erasingSince = :now',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': now },
  };
  if ((await transact([{ Update: mark }, unlessErased])) !== 'written') return false;
  const { analyses = [], consentIds = [] } = (await readAnalysisList(lead, leadId)) ?? {};
  const submissions = consentIds.map((id) => ({ unitId, environment, leadId, submissionId: idOf<SubmissionId>(id) }));
  await removeRows((await formsOf(lead, submissions)).flat());
  await removeRows(await simulationKeys(lead, leadId));
  await removeRows(analyses.map(({ id }) => analysisKey(lead, id)));
  await forgetAnswers(lead);
  await forgetCpf(lead);
  await removeRows(submissions.map(analysisListKey));
  const ends = deletions([Key, sandboxLeadKey(lead, leadId)]);
  return (await transact(ends.concat(unlessErased))) === 'written';
}

async function simulationKeys(tenancy: Tenancy, leadId: LeadId): Promise<RowKey[]> {
  const ids = await opportunityIdsOf(tenancy, leadId);
  return ids.flatMap((id) => [opportunityKey(tenancy, id), leadOpportunityKey(tenancy, leadId, id)]);
}

async function removeRows(keys: readonly RowKey[]): Promise<void> {
  for (let from = 0; from < keys.length; from += BATCH) await transact(deletions(keys.slice(from, from + BATCH)));
}
