import type { Context } from 'aws-lambda';
import { watchPoll } from '../../shared/banks/measure.ts';
import { readStatus } from '../../shared/banks/statuses.ts';
import { eventOf } from '../../shared/contract/event.ts';
import { type PollPorts, pollShard } from '../../shared/domain/poll.ts';
import { sendBooked } from '../../shared/queue/send-booked.ts';
import { beginLog, loggingFailure, logInfo } from '../../shared/runtime/log.ts';
import * as wiring from '../../shared/runtime/wiring.ts';

/** Milliseconds that a run keeps back before the function's own timeout: for what it has begun. */
const LAST_WORDS = 15_000;

function ports(): PollPorts {
  const queue = wiring.deliveryQueue();
  const clock = wiring.clock();
  return {
    analyses: wiring.analyses(),
    deskOf: wiring.desks(),
    cursors: wiring.cursors(),
    read: readStatus,
    event: eventOf,
    notify: (booked) => sendBooked(queue, booked, clock()),
    clock,
  };
}
let made: PollPorts | undefined;

/** Each minute: asks about the pending analyses of one shard that are due by their age. */
export async function handler(tick: { shard: number; shards: number }, context: Context): Promise<void> {
  beginLog({ request_id: context.awsRequestId, operation: 'poll-bank-outcomes', shard: tick.shard });
  await loggingFailure(async () => {
    made ??= ports();
    const deadline = made.clock() + context.getRemainingTimeInMillis() - LAST_WORDS;
    logInfo('poll_completed', await pollShard(tick, deadline, made, watchPoll(made.clock)));
  });
}
