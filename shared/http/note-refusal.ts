import { FAILURES } from '../contract/failures.ts';
import type { Route } from '../contract/routes.ts';
import { fieldsToKeep } from '../domain/partners/partner.ts';
import type { RefusedCalls } from '../domain/partners/ports.ts';
import { Failure } from '../domain/values/failure.ts';
import { withDeadline } from '../runtime/deadline.ts';
import { logError } from '../runtime/log.ts';
import { type Call, requestIdOf } from './request.ts';

/** The longest that an answer waits for its refusal to be noted, in milliseconds. */
const PATIENCE_MS = 500;
const NOT_NOTED: readonly number[] = [401, 429];

/**
 * Notes for GET /v1/erros that a sandbox call was refused after its admission, at `now` (milliseconds); one write unit.
 * None is written in production, of a 401 or 429, or of a failure of ours. Never throws: what goes wrong here is on the log
 * and changes no answer. `left`: milliseconds until the call must be answered.
 */
export async function noteRefusal(
  call: Call,
  route: Route,
  error: unknown,
  refusals: RefusedCalls,
  now: number,
  left: number,
): Promise<void> {
  const { caller } = call.steps;
  if (!(error instanceof Failure) || caller?.environment !== 'sandbox') return;
  const { status } = FAILURES[error.code];
  if (status >= 500 || NOT_NOTED.includes(status) || left <= 0) return;
  const refused = {
    at: now,
    method: route.method,
    path: route.path,
    code: error.code,
    fields: fieldsToKeep(error),
    requestId: requestIdOf(call),
  };
  try {
    await withDeadline(Math.min(PATIENCE_MS, left), () => refusals.note(caller, refused));
  } catch (failure) {
    logError('refusal_not_noted', failure);
  }
}
