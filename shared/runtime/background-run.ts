import type { Context } from 'aws-lambda';
import { withDeadline } from './deadline.ts';
import { beginLog, logError } from './log.ts';

/** Milliseconds before the function's timeout at which a run gives up calls still under way, so that it can log its result. */
const LAST_CALL_MS = 1_000;

/** One invocation that no call waits for: a tick of a schedule, a batch of a queue. `facts` stand in its log beside its operation. */
export async function backgroundRun<T>(
  operation: string,
  context: Context,
  run: () => Promise<T>,
  facts: Readonly<Record<string, number>> = {},
): Promise<T> {
  beginLog({ request_id: context.awsRequestId, operation, ...facts });
  try {
    return await withDeadline(context.getRemainingTimeInMillis() - LAST_CALL_MS, run);
  } catch (error) {
    // Lambda's own line about it shows no causes.
    logError('run_failed', error);
    throw error;
  }
}
