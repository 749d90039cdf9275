import { Failure } from './failure.ts';
import type { Tenancy } from './tenancy.ts';
import { days, hours, type Instant, type Milliseconds, type Seconds, seconds } from './time.ts';

/** How long an Idempotency-Key is remembered. The keys of analyses live longer, because these calls ask banks. */
export const IDEMPOTENCY_TTL: Readonly<Record<'analyses' | 'records', Milliseconds>> = {
  analyses: days(30),
  records: hours(24),
};

/** Status and body of an answer. A replay repeats both. */
export interface Answer {
  readonly status: number;
  /** The JSON text of the body. */
  readonly body: string;
}

/**
 * An Idempotency-Key together with the call that it came with. With a claim, the operation happens only once. The HTTP
 * stack makes the claim; the adapter that stores the key's record reads it.
 */
export interface Claim {
  /** The key is valid only in this tenancy and for this operation. */
  readonly tenancy: Tenancy;
  readonly operation: string;
  readonly key: string;
  /** Canonical JSON of the parsed input. Only its keyed hash is stored, so that nobody can find a CPF by trying. */
  readonly content: string;
  /** Moment at which the key is forgotten. */
  readonly expiresAt: Instant;
}

/** The key of a claim, as the store has looked it up for the writes of the same call. Only the store reads the rest of it. */
export interface ClaimedKey {
  readonly claim: Claim;
}

/** Record that an earlier call with the same key stored. Only the store makes it. */
export interface IdempotencyRecord {
  /** Whether the earlier call had the same content. */
  readonly sameContent: boolean;
  /** Undefined until the operation has answered. */
  readonly answer: Answer | undefined;
  /** End of the earlier run's lock on the key. It counts only while there is no answer. */
  readonly lockedUntil: Instant;
  /** Work that the earlier run claimed, for a later run to resume. Undefined if nothing can be resumed. */
  readonly resume: string | undefined;
}

/** `done`: the result of this call's work. `earlier`: the record of an earlier call with the same key. */
export type IdempotentResult<T> = { readonly done: T } | { readonly earlier: IdempotencyRecord };

/**
 * Returns the failure of a call whose key another run has locked. Its Retry-After is the rest of the lock, at least 2
 * and at most 60 seconds.
 */
export function stillRunning(lockedUntil: Instant, now: Instant): Failure {
  const remaining: Seconds = Math.ceil((lockedUntil - now) / seconds(1));
  return new Failure('idempotencia_em_andamento', { retryAfter: Math.min(60, Math.max(2, remaining)) });
}

/**
 * Returns JSON in which every object's names are sorted: equal content has equal text. Undefined fields are left out.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/**
 * A result that was read from the table, and whose personal data is still sealed. `open` decrypts and parses it, and
 * throws if it cannot. If we read before the caller is admitted, we open the result only after the admission.
 */
export interface Unopened<T> {
  open(): Promise<T>;
}
