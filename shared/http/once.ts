import { keyReused } from '../contract/request-failures.ts';
import {
  type Answer,
  type Claim,
  canonicalJson,
  IDEMPOTENCY_TTL,
  type IdempotencyRecord,
  type IdempotentResult,
  stillRunning,
} from '../domain/values/idempotency.ts';
import type { Request } from './endpoint.ts';
import type { Reply } from './reply.ts';

/** Always a claim where the route demands a key; elsewhere undefined for a call without a key. */
export type ClaimFor<Key> = Key extends string ? Claim : undefined;

/**
 * Runs a request's work once per Idempotency-Key (shared/contract/README.md#idempotency). `fields` are the parsed
 * fields that the key's fingerprint covers. `work` writes the claim's record in the same transaction as the rows it
 * guards, or gives the record of the call that came first; that call's answer is then given again. `resume` goes on
 * with work that an earlier call has claimed but not answered. Throws `idempotency_conflito` where the key came with
 * other fields, and `idempotencia_em_andamento` while the earlier call runs.
 */
export async function once<Key extends string | undefined>(
  request: Request<Key>,
  fields: unknown,
  work: (claim: ClaimFor<Key>) => Promise<IdempotentResult<Answer>>,
  resume: (earlier: IdempotencyRecord, claim: ClaimFor<Key>) => Promise<Answer> = neverLeftOpen,
): Promise<Reply> {
  const claim = claimOf(request, fields);
  const result = await work(claim);
  if ('done' in result) return result.done;
  const answer = earlierAnswer(result.earlier, request.clock());
  return answer ? { ...answer, replayed: true } : resume(result.earlier, claim);
}

function claimOf<Key extends string | undefined>(request: Request<Key>, fields: unknown): ClaimFor<Key> {
  const { route, idempotencyKey: key, caller, clock } = request;
  if (key === undefined) return undefined as ClaimFor<Key>;
  const ttl = route.idempotency === 'required' ? IDEMPOTENCY_TTL.analyses : IDEMPOTENCY_TTL.records;
  const { unitId, environment } = caller;
  const claim: Claim = {
    tenancy: { unitId, environment },
    operation: route.operation,
    key,
    content: canonicalJson(fields),
    expiresAt: clock() + ttl,
  };
  return claim as ClaimFor<Key>;
}

/** The answer that the earlier call gave; undefined where it ended without one. Throws as `once` does. */
export function earlierAnswer(
  { sameContent, answer, lockedUntil }: IdempotencyRecord,
  now: number,
): Answer | undefined {
  if (!sameContent) throw keyReused();
  if (!answer && now < lockedUntil) throw stillRunning(lockedUntil, now);
  return answer;
}

/** For work whose record is written together with its answer. */
function neverLeftOpen(): never {
  throw new Error('an idempotency record has no answer, and this operation cannot be resumed');
}
