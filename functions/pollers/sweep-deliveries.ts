import type { Context } from 'aws-lambda';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { countWaiting, giveUpSuspended, type WaitingCount } from '#shared/domain/webhooks/suspended.ts';
import { sweep } from '#shared/domain/webhooks/sweep.ts';
import { countFailing } from '#shared/domain/webhooks/troubled.ts';
import { type ScheduledEvent, scheduledRun } from '#shared/runtime/background-runs.ts';
import { logInfo } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

const SHUTDOWN_MARGIN: Milliseconds = seconds(8);

/**
 * The counts of production are emitted at every tick, even if they are 0, since an alarm needs them to end. Those of
 * the sandbox are emitted only if a delivery is kept or was given up, or an endpoint fails.
 */
function recordWaiting(counts: readonly WaitingCount[], failing: Readonly<Record<Environment, number>>): void {
  for (const { environment, endpoints, suspended, exhausted } of counts) {
    if (environment === 'producao' || suspended + exhausted + failing[environment] > 0) {
      const gauges = {
        EndpointsDisabled: endpoints,
        EndpointsFailing: failing[environment],
        DeliveriesSuspended: suspended,
        DeliveriesExhausted: exhausted,
      };
      emit({ environment }, gauges);
    }
  }
}

function recordGivenUp(givenUp: Readonly<Record<Environment, number>>): void {
  for (const environment of ENVIRONMENTS) {
    if (givenUp[environment] === 0) continue;
    logInfo('kept_given_up', { environment, deliveries: givenUp[environment] });
    emit({ environment }, { WebhookExhausted: givenUp[environment] });
  }
}

export async function handler(tick: ScheduledEvent, context: Context): Promise<void> {
  const inTime = () => context.getRemainingTimeInMillis() > SHUTDOWN_MARGIN;
  const run = async () => {
    const now = wiring.clock()();
    const [deliveries, endpoints, queue] = [wiring.deliveries(), wiring.webhookEndpoints(), wiring.deliveryQueue()];
    const deps = { deliveries, endpoints, queue, now, inTime };
    const report = await sweep(deps);
    logInfo('sweep_completed', { ...report });
    const suspended = wiring.suspendedDeliveries();
    const { given, failures } = await giveUpSuspended({ suspended, now, inTime });
    recordGivenUp(given);
    const failing = await countFailing({ troubled: wiring.troubledEndpoints(), now, inTime });
    recordWaiting(await countWaiting({ suspended, now, inTime }), failing);
    // Shows that the sweeper works: a run that breaks off earlier does not emit these metrics.
    emit({}, { SweeperRepairs: report.repaired + report.unreadable, DeliveriesDue: report.due });
    // Thrown last: a row that cannot be written must not hide the other counts.
    if (failures.length > 0) throw failures[0];
  };
  await scheduledRun('sweep-deliveries', tick, context, run);
}
