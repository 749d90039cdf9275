/**
 * Lambda ends a function at its timeout without an answer or a log line. 500 ms earlier, running requests are aborted
 * and no work starts; 250 ms earlier, a call that still waits is answered 504.
 */
import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { Failure } from '../domain/values/failure.ts';
import { deadlineSignal, withDeadline } from '../runtime/deadline.ts';

const SHUTDOWN_MARGIN_MS = 250;
const DEADLINE_MARGIN_MS = 500;

/** Middy's early answer ends only the handler of its own list, so it is a setting of the outer list. */
export const EARLY_ANSWER = {
  timeoutEarlyInMillis: SHUTDOWN_MARGIN_MS,
  timeoutEarlyResponse: () => {
    throw new Failure('tempo_esgotado');
  },
};

/** The list of checks has no early answer of its own: the outer list answers for it. */
export const NO_EARLY_ANSWER = { timeoutEarlyInMillis: 0 };

export const timeLeft = (context: Context): number => context.getRemainingTimeInMillis() - DEADLINE_MARGIN_MS;

export function underDeadline<Start>(run: (call: Start, context: Context) => Promise<APIGatewayProxyResult>) {
  return (call: Start, context: Context): Promise<APIGatewayProxyResult> =>
    withDeadline(timeLeft(context), () => run(call, context));
}

export function refuseAfterDeadline(): void {
  if (deadlineSignal()?.aborted) throw new Failure('tempo_esgotado');
}
