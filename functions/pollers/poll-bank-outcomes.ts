import type { Context } from 'aws-lambda';
import { eventOf } from '../../shared/contract/event.ts';
import { type PollDeps, pollShard } from '../../shared/domain/analyses/poll-shard.ts';
import { beginLog, loggingFailure, logInfo } from '../../shared/runtime/log.ts';
import * as wiring from '../../shared/wiring.ts';

/** Milliseconds that a run keeps back before the function's own timeout: for what it has begun. */
const SHUTDOWN_MARGIN_MS = 15_000;

function ports(): PollDeps {
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
  };
}
let made: PollDeps | undefined;

/** Each minute: asks about the pending analyses of one shard that are due by their age. */
export async function handler(tick: { shard: number; shards: number }, context: Context): Promise<void> {
  beginLog({ request_id: context.awsRequestId, operation: 'poll-bank-outcomes', shard: tick.shard });
  await loggingFailure(async () => {
    made ??= ports();
    const deadline = made.clock() + context.getRemainingTimeInMillis() - SHUTDOWN_MARGIN_MS;
    logInfo('poll_completed', await pollShard(tick, deadline, made, wiring.observePoll(made.clock)));
  });
}
