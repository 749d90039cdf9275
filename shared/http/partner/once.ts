import { keyMissing, keyReused } from '#shared/contract/request-failures.ts';
import type { Route } from '#shared/contract/routes.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import {
  type Answer,
  type Claim,
  canonicalJson,
  IDEMPOTENCY_TTL,
  type IdempotencyRecord,
  type IdempotentResult,
  stillRunning,
} from '#shared/domain/values/idempotency.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Reply } from './reply.ts';

interface Keyed {
  readonly route: Route;
  readonly caller: Tenancy;
  readonly idempotencyKey: string | undefined;
}

/**
 * Runs the work of a route once per Idempotency-Key (shared/contract/README.md#idempotency).
 * - `fields`: what the fingerprint of the key covers.
 * - `work` writes the record of the claim in one transaction with its rows, or returns an earlier call's record.
 * - `resume` continues work that an earlier call has claimed and not answered.
 * Throws `idempotency_conflito` for other fields, and `idempotencia_em_andamento` while the earlier call runs.
 */
export async function once(
  call: Keyed,
  clock: Clock,
  fields: unknown,
  work: (claim: Claim) => Promise<IdempotentResult<Answer>>,
  resume: (earlier: IdempotencyRecord) => Promise<Answer>,
): Promise<Reply> {
  const claim = claimOf(call, clock, fields);
  // The check of the header has already refused a call without a key. But without a claim this work must never run.
  if (!claim) throw keyMissing();
  const result = await work(claim);
  if ('done' in result) return result.done;
  const answer = earlierAnswer(result.earlier, clock());
  return answer ? replay(answer) : resume(result.earlier);
}

/** As `once`, for an optional Idempotency-Key. The record is written with its answer, so there is nothing to resume. */
export async function onceIfKeyed(
  call: Keyed,
  clock: Clock,
  fields: unknown,
  work: (claim: Claim | undefined) => Promise<IdempotentResult<Answer>>,
): Promise<Reply> {
  const result = await work(claimOf(call, clock, fields));
  if ('done' in result) return result.done;
  const answer = earlierAnswer(result.earlier, clock());
  if (!answer) throw new Error('an idempotency record has no answer, and this operation cannot be resumed');
  return replay(answer);
}

function replay({ status, body }: Answer): Reply {
  return { status, body, replayed: true };
}

function claimOf({ route, idempotencyKey: key, caller }: Keyed, clock: Clock, fields: unknown): Claim | undefined {
  if (key === undefined) return undefined;
  const lifetime = route.idempotency === 'required' ? IDEMPOTENCY_TTL.analyses : IDEMPOTENCY_TTL.records;
  return {
    tenancy: { unitId: caller.unitId, environment: caller.environment },
    operation: route.operation,
    key,
    content: canonicalJson(fields),
    expiresAt: clock() + lifetime,
  };
}

/** Undefined if the lock has run out and there is no answer. Throws as `once` does. */
export function earlierAnswer(
  { sameContent, answer, lockedUntil }: IdempotencyRecord,
  now: number,
): Answer | undefined {
  if (!sameContent) throw keyReused();
  if (!answer && now < lockedUntil) throw stillRunning(lockedUntil, now);
  return answer;
}
