import type { Context } from 'aws-lambda';
import { sweepErasures, sweepRetention } from '#shared/domain/leads/erase-person.ts';
import { daysLeft } from '#shared/domain/simulations/pricing/tables/rate-expiries.ts';
import { type Instant, type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { type ScheduledEvent, scheduledRun } from '#shared/runtime/background-runs.ts';
import { leadRetention, rateDays } from '#shared/runtime/env.ts';
import { logError, logInfo } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

const SHUTDOWN_MARGIN: Milliseconds = seconds(15);

export async function handler(tick: ScheduledEvent, context: Context): Promise<void> {
  const inTime = () => context.getRemainingTimeInMillis() > SHUTDOWN_MARGIN;
  await scheduledRun('sweep-erasures', tick, context, async () => {
    // One of the two may fail without hiding the metrics of the other.
    const ends = await Promise.allSettled([sweep(inTime), recordRates(wiring.clock()())]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  });
}

async function sweep(inTime: () => boolean): Promise<void> {
  const [erasures, ledger, retained] = [wiring.erasures(), wiring.erasureLedger(), wiring.retainedLeads()];
  const deps = { erasures, ledger, retained, clock: wiring.clock(), terms: leadRetention(), inTime };
  // With another index key than the table's, the sweep would find no person.
  await erasures.confirmIndexKeys();
  const erased = await sweepErasures(deps);
  const retention = await sweepRetention(deps);
  const { looked, noticed, ended } = retention;
  for (const { unitId, leadId, state, pending, passes } of erased.advanced.concat(ended))
    logInfo('erasure_advanced', { unit: unitId, lead: leadId, state, pending, ...passes.at(-1) });
  if (looked > 0) logInfo('retention_swept', { looked, noticed: noticed.length, ended: ended.length });
  for (const { environment } of noticed) emit({ environment }, { LeadsNoticed: 1 });
  for (const { environment } of ended) emit({ environment }, { LeadsEnded: 1 });
  // Shows that the sweeper works, so it is emitted even if it is 0.
  const failed = erased.failed.concat(retention.failed);
  emit({}, { ErasuresFailed: failed.length });
  for (const { error, unitId, leadId, erasure } of failed)
    logError('erasure_failed', error, { unit: unitId, lead: leadId, state: erasure?.state ?? 'unreadable' });
}

/**
 * Emits in how many days production refuses a bank. Simulations cannot emit this: there may be no simulation for days.
 */
async function recordRates(now: Instant): Promise<void> {
  const { publications, unknown } = await wiring.bankRates().read();
  emit({}, { RateDaysLeft: daysLeft(now, rateDays(), publications), BankRatesUnknown: unknown.length });
}
