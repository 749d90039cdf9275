import type { Context } from 'aws-lambda';
import { sweep } from '../../shared/domain/sweep.ts';
import { beginLog, loggingFailure, logInfo } from '../../shared/runtime/log.ts';
import { emit } from '../../shared/runtime/metrics.ts';
import * as wiring from '../../shared/runtime/wiring.ts';

/** Milliseconds before the function's timeout from which no further page is read. */
const LAST_WORDS = 8_000;

/** Each minute: sends the deliveries that fall due, and again those that the queue has lost. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  beginLog({ request_id: context.awsRequestId, operation: 'sweep-deliveries' });
  const inTime = () => context.getRemainingTimeInMillis() > LAST_WORDS;
  const now = wiring.clock()();
  const means = { deliveries: wiring.deliveries(), queue: wiring.deliveryQueue(), now, inTime };
  const report = await loggingFailure(() => sweep(means));
  logInfo('sweep_completed', { ...report });
  emit({}, { SweeperRepairs: report.repaired, DeliveriesDue: report.due });
}
