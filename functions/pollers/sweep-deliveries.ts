import type { Context } from 'aws-lambda';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { countWaiting, type GivenUp, giveUpSuspended, type WaitingCount } from '#shared/domain/webhooks/suspended.ts';
import { sweep } from '#shared/domain/webhooks/sweep.ts';
import { listFailing } from '#shared/domain/webhooks/troubled.ts';
import { type ScheduledEvent, scheduledRun } from '#shared/runtime/background-runs.ts';
import { logInfo } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

type Failing = Awaited<ReturnType<typeof listFailing>>;

const SHUTDOWN_MARGIN: Milliseconds = seconds(8);

/** Emits how many things of each partner of production wait for a person. */
function recordUnreached(kind: string, partners: readonly PartnerId[]): void {
  const environment = 'producao';
  for (const [partner, { length }] of Map.groupBy(partners, String))
    emit({ environment, partner, kind }, { PartnerUnreached: length });
}

/**
 * The counts of production are emitted at every tick, even if they are 0, since an alarm needs them to end. The counts
 * of the sandbox are emitted only if a delivery is kept or was given up, or an endpoint fails.
 */
function recordWaiting(counts: readonly WaitingCount[], failing: Failing): void {
  for (const { environment, disabled, suspended, exhausted } of counts) {
    if (environment === 'producao' || suspended + exhausted.length + failing[environment].length > 0) {
      const gauges = {
        EndpointsDisabled: disabled.length,
        EndpointsFailing: failing[environment].length,
        DeliveriesSuspended: suspended,
        DeliveriesExhausted: exhausted.length,
      };
      emit({ environment }, gauges);
    }
    if (environment !== 'producao') continue;
    recordUnreached('disabled', disabled);
    recordUnreached('failing', failing.producao);
    recordUnreached('given_up', exhausted);
  }
}

function recordGivenUp(given: GivenUp['given']): void {
  for (const { environment, partnerId, events } of given) {
    logInfo('kept_given_up', { environment, partner: partnerId, deliveries: events });
    emit({ environment }, { WebhookExhausted: events });
    if (environment === 'producao') recordUnreached('too_old', [partnerId]);
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
    const failing = await listFailing({ troubled: wiring.troubledEndpoints(), now, inTime });
    recordWaiting(await countWaiting({ suspended, now, inTime }), failing);
    // Shows that the sweeper works: a run that breaks off earlier does not emit these metrics.
    emit({}, { SweeperRepairs: report.repaired + report.unreadable, DeliveriesDue: report.due });
    // Thrown last: a row that cannot be written must not hide the other counts.
    if (failures.length > 0) throw failures[0];
  };
  await scheduledRun('sweep-deliveries', tick, context, run);
}
