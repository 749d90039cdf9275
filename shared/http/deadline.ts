/**
 * The end of a call. Its function has a timeout, at which Lambda ends it without an answer, a log line or a metric. Two
 * moments come before that:
 *
 *   500 ms before: the deadline. Requests to the table, the operator or a queue that still run are aborted, and fail by
 *                  their own code. No further check starts, and no work begins.
 *   250 ms before: a call that still waits for something is answered 504.
 */
import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { Failure } from '../domain/values/failure.ts';
import { deadlineSignal, withDeadline } from '../runtime/deadline.ts';

/**
 * How long before the function's timeout a call is answered 504, in milliseconds. The answer and the log still need to
 * be written.
 */
const SHUTDOWN_MARGIN_MS = 250;
/** How long before the function's timeout its deadline is, in milliseconds. */
const DEADLINE_MARGIN_MS = 500;

/** Settings of the outer list, by which Middy answers a call that does not end. This answer ends only its handler. */
export const EARLY_ANSWER = {
  timeoutEarlyInMillis: SHUTDOWN_MARGIN_MS,
  timeoutEarlyResponse: () => {
    throw new Failure('tempo_esgotado');
  },
};

/** Settings of the list of checks: it has no early answer of its own, since the outer list answers for it. */
export const NO_EARLY_ANSWER = { timeoutEarlyInMillis: 0 };

/** Milliseconds until the deadline of a call. */
export const timeLeft = (context: Context): number => context.getRemainingTimeInMillis() - DEADLINE_MARGIN_MS;

/** The handler of the outer list: runs the checks and the work under the deadline of the call. */
export function underDeadline<Start>(run: (call: Start, context: Context) => Promise<APIGatewayProxyResult>) {
  return (call: Start, context: Context): Promise<APIGatewayProxyResult> =>
    withDeadline(timeLeft(context), () => run(call, context));
}

/** Throws `tempo_esgotado` after the deadline of the call. */
export function refuseAfterDeadline(): void {
  if (deadlineSignal()?.aborted) throw new Failure('tempo_esgotado');
}
