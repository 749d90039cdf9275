import type { Context } from 'aws-lambda';
import { eventOf } from '../../shared/contract/event.ts';
import type { PollDeps } from '../../shared/domain/analyses/poll-questions.ts';
import { pollShard } from '../../shared/domain/analyses/poll-shard.ts';
import { withDeadline } from '../../shared/runtime/deadline.ts';
import { beginLog, loggingFailure, logInfo } from '../../shared/runtime/log.ts';
import * as wiring from '../../shared/wiring.ts';

/** Milliseconds before the function's timeout from which a run starts nothing new, so that it can finish what it has begun. */
const SHUTDOWN_MARGIN_MS = 15_000;
/** Milliseconds before the timeout at which a run gives up calls still under way, so that it can log its result. */
const LAST_CALL_MS = 1_000;

function makeDeps(): PollDeps {
  const queue = wiring.deliveryQueue();
  const clock = wiring.clock();
  return {
    analyses: wiring.analyses(),
    operatorOf: wiring.operators(),
    cursors: wiring.cursors(),
    read: wiring.readStatus,
    event: eventOf,
    notify: (booked) => wiring.publishOutbox(queue, booked, clock()),
    clock,
    timeout: AbortSignal.timeout,
  };
}
let made: PollDeps | undefined;

/** Each minute: asks about the pending analyses of one shard that are due by their age. */
export async function handler(tick: { shard: number; shards: number }, context: Context): Promise<void> {
  beginLog({ request_id: context.awsRequestId, operation: 'poll-bank-outcomes', shard: tick.shard });
  const remaining = context.getRemainingTimeInMillis();
  const run = async () => {
    made ??= makeDeps();
    const lastStart = made.clock() + remaining - SHUTDOWN_MARGIN_MS;
    return pollShard(tick, lastStart, made, wiring.observePoll(made.clock));
  };
  logInfo('poll_completed', await loggingFailure(() => withDeadline(remaining - LAST_CALL_MS, run)));
}
