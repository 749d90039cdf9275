import type { Context } from 'aws-lambda';
import { countKept, type KeptCount } from '../../shared/domain/webhooks/count-kept.ts';
import { sweep } from '../../shared/domain/webhooks/sweep.ts';
import { withDeadline } from '../../shared/runtime/deadline.ts';
import { beginLog, loggingFailure, logInfo } from '../../shared/runtime/log.ts';
import { emit } from '../../shared/runtime/metrics.ts';
import * as wiring from '../../shared/wiring.ts';

/** Milliseconds before the function's timeout from which no further page is read. */
const SHUTDOWN_MARGIN_MS = 8_000;
/** Milliseconds before it at which calls still under way are given up. */
const LAST_CALL_MS = 1_000;

/** Production's at every tick, 0 included, since alarms end with them; the sandbox's only where there is something to show. */
function recordKept(counts: readonly KeptCount[]): void {
  for (const { environment, endpoints, suspended, exhausted } of counts) {
    if (environment === 'producao' || suspended + exhausted > 0) {
      const gauges = { EndpointsDisabled: endpoints, DeliveriesSuspended: suspended, DeliveriesExhausted: exhausted };
      emit({ environment }, gauges);
    }
  }
}

/**
 * Each minute: sends the deliveries that fall due, those that the queue has lost, and those kept for endpoints that are
 * enabled; then counts what is still kept.
 */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  beginLog({ request_id: context.awsRequestId, operation: 'sweep-deliveries' });
  const inTime = () => context.getRemainingTimeInMillis() > SHUTDOWN_MARGIN_MS;
  const now = wiring.clock()();
  const [deliveries, endpoints, queue] = [wiring.deliveries(), wiring.webhookEndpoints(), wiring.deliveryQueue()];
  const deps = { deliveries, endpoints, queue, now, inTime };
  const run = async () => {
    const report = await sweep(deps);
    logInfo('sweep_completed', { ...report });
    emit({}, { SweeperRepairs: report.repaired, DeliveriesDue: report.due });
    recordKept(await countKept(wiring.keptDeliveries(), now));
  };
  await loggingFailure(() => withDeadline(context.getRemainingTimeInMillis() - LAST_CALL_MS, run));
}
