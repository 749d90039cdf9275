import type { Context } from 'aws-lambda';
import { sweepErasures } from '../../shared/domain/leads/erase-person.ts';
import { withDeadline } from '../../shared/runtime/deadline.ts';
import { beginLog, logError, loggingFailure, logInfo } from '../../shared/runtime/log.ts';
import { emit } from '../../shared/runtime/metrics.ts';
import * as wiring from '../../shared/wiring.ts';

/** Milliseconds before the function's timeout from which no further erasure is begun. */
const SHUTDOWN_MARGIN_MS = 15_000;
/** Milliseconds before it at which calls still under way are given up. */
const LAST_CALL_MS = 1_000;

/** Each minute: goes on with erasures that waited, broke off, or have their second pass due. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  beginLog({ request_id: context.awsRequestId, operation: 'sweep-erasures' });
  const inTime = () => context.getRemainingTimeInMillis() > SHUTDOWN_MARGIN_MS;
  const deps = { erasures: wiring.erasures(), clock: wiring.clock(), inTime };
  const { advanced, failed } = await loggingFailure(() =>
    withDeadline(context.getRemainingTimeInMillis() - LAST_CALL_MS, () => sweepErasures(deps)),
  );
  for (const { unitId, leadId, state, pending, passes } of advanced)
    logInfo('erasure_advanced', { unit: unitId, lead: leadId, state, pending, ...passes.at(-1) });
  if (failed.length > 0) emit({}, { ErasuresFailed: failed.length });
  for (const { error, erasure } of failed)
    logError('erasure_failed', error, { unit: erasure.unitId, lead: erasure.leadId, state: erasure.state });
}
