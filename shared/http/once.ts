import { keyReused } from '../contract/request-failures.ts';
import type { Route } from '../contract/routes.ts';
import type { Clock } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import {
  type Answer,
  type Claim,
  canonicalJson,
  IDEMPOTENCY_TTL,
  type IdempotencyRecord,
} from '../domain/values/idempotency.ts';

/** The claim that a call's Idempotency-Key makes on its parsed fields; undefined where it sent none. */
export function claimOf(route: Route, key: string | undefined, fields: unknown, clock: Clock): Claim | undefined {
  if (key === undefined) return undefined;
  const kept = route.idempotency === 'required' ? IDEMPOTENCY_TTL.analyses : IDEMPOTENCY_TTL.records;
  return { operation: route.operation, key, content: canonicalJson(fields), expiresAt: clock() + kept };
}

/**
 * The answer that an earlier call with the same key was given. Throws `idempotency_conflito` for another content and
 * `idempotencia_em_andamento` while the earlier call runs. Undefined where that call ended without an answer: the
 * work is to be resumed.
 */
export function earlierAnswer(earlier: IdempotencyRecord, now: number): Answer | undefined {
  if (!earlier.sameContent) throw keyReused();
  if (!earlier.answer && now < earlier.lockedUntil) throw new Failure('idempotencia_em_andamento');
  return earlier.answer;
}
