import type { Context } from 'aws-lambda';
import { sweep } from '../../shared/domain/webhooks/sweep.ts';
import { withDeadline } from '../../shared/runtime/deadline.ts';
import { beginLog, loggingFailure, logInfo } from '../../shared/runtime/log.ts';
import { emit } from '../../shared/runtime/metrics.ts';
import * as wiring from '../../shared/wiring.ts';

/** Milliseconds before the function's timeout from which no further page is read. */
const SHUTDOWN_MARGIN_MS = 8_000;
/** Milliseconds before it at which calls still under way are given up. */
const LAST_CALL_MS = 1_000;

/** Each minute: sends the deliveries that fall due, those that the queue has lost, and those kept for endpoints that are enabled. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  beginLog({ request_id: context.awsRequestId, operation: 'sweep-deliveries' });
  const inTime = () => context.getRemainingTimeInMillis() > SHUTDOWN_MARGIN_MS;
  const now = wiring.clock()();
  const [deliveries, endpoints, queue] = [wiring.deliveries(), wiring.webhookEndpoints(), wiring.deliveryQueue()];
  const deps = { deliveries, endpoints, queue, now, inTime };
  const report = await loggingFailure(() =>
    withDeadline(context.getRemainingTimeInMillis() - LAST_CALL_MS, () => sweep(deps)),
  );
  logInfo('sweep_completed', { ...report });
  emit({}, { SweeperRepairs: report.repaired, DeliveriesDue: report.due });
}
