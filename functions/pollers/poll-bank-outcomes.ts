import type { Context } from 'aws-lambda';
import type { PollDeps } from '#shared/domain/analyses/poll-questions.ts';
import { pollShard } from '#shared/domain/analyses/poll-shard.ts';
import { UnsentWatch } from '#shared/domain/analyses/unsent-watch.ts';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { type ScheduledEvent, scheduledRun } from '#shared/runtime/background-runs.ts';
import { logInfo } from '#shared/runtime/log.ts';
import { stopwatch } from '#shared/runtime/stopwatch.ts';
import * as wiring from '#shared/wiring.ts';

/** Time in which a run finishes its running calls. */
const SHUTDOWN_MARGIN: Milliseconds = seconds(15);

function makePorts(): PollDeps {
  return {
    analyses: wiring.analyses(),
    operatorOf: wiring.operators(),
    cursors: wiring.cursors(),
    unsent: new UnsentWatch(stopwatch),
    notifier: wiring.deliveryNotifier(),
    clock: wiring.clock(),
    timeout: AbortSignal.timeout,
  };
}
let ports: PollDeps | undefined;

interface Tick extends ScheduledEvent {
  readonly shard: number;
  readonly shards: number;
}

export async function handler(tick: Tick, context: Context): Promise<void> {
  const run = async () => {
    ports ??= makePorts();
    const lastStart = ports.clock() + context.getRemainingTimeInMillis() - SHUTDOWN_MARGIN;
    logInfo('poll_completed', await pollShard(tick, lastStart, ports, wiring.pollObserver()));
  };
  await scheduledRun('poll-bank-outcomes', tick, context, run, { shard: tick.shard });
}
