import type { Context } from 'aws-lambda';
import { sweepErasures } from '../../shared/domain/leads/erase-person.ts';
import { backgroundRun } from '../../shared/runtime/background-run.ts';
import { logError, logInfo } from '../../shared/runtime/log.ts';
import { emit } from '../../shared/runtime/metrics.ts';
import * as wiring from '../../shared/wiring.ts';

/** Milliseconds before the function's timeout from which no further erasure is begun. */
const SHUTDOWN_MARGIN_MS = 15_000;

/** Each minute: goes on with erasures that waited, broke off, or have their second pass due. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  const inTime = () => context.getRemainingTimeInMillis() > SHUTDOWN_MARGIN_MS;
  const deps = { erasures: wiring.erasures(), clock: wiring.clock(), inTime };
  const { advanced, failed } = await backgroundRun('sweep-erasures', context, () => sweepErasures(deps));
  for (const { unitId, leadId, state, pending, passes } of advanced)
    logInfo('erasure_advanced', { unit: unitId, lead: leadId, state, pending, ...passes.at(-1) });
  // The sign that it lives, 0 included.
  emit({}, { ErasuresFailed: failed.length });
  for (const { error, unitId, leadId, erasure } of failed)
    logError('erasure_failed', error, { unit: unitId, lead: leadId, state: erasure?.state ?? 'unreadable' });
}
