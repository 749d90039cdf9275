import { Failure } from './failure.ts';
import type { Tenancy } from './tenancy.ts';
import { days, hours, type Instant, type Milliseconds, type Seconds, seconds } from './time.ts';

/** The keys of analyses live longer, because these calls ask banks. */
export const IDEMPOTENCY_TTL: Readonly<Record<'analyses' | 'records', Milliseconds>> = {
  analyses: days(30),
  records: hours(24),
};

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Claim {
  readonly tenancy: Tenancy;
  readonly operation: string;
  readonly key: string;
  /** Only the content's keyed hash is stored, so that nobody can find a CPF by trying. */
  readonly content: string;
  readonly expiresAt: Instant;
}

/** A store adds fields of its own to the claimed key that it returns, and gets the same object back. */
export interface ClaimedKey {
  readonly claim: Claim;
}

export interface IdempotencyRecord {
  readonly sameContent: boolean;
  /** Undefined until the operation has answered. */
  readonly answer: Answer | undefined;
  /** The lock counts only while there is no answer. */
  readonly lockedUntil: Instant;
  /** Undefined if nothing can be resumed. */
  readonly resume: string | undefined;
}

export type IdempotentResult<T> = { readonly done: T } | { readonly earlier: IdempotencyRecord };

/** The failure's Retry-After is the rest of the lock, at least 2 and at most 60 seconds. */
export function stillRunning(lockedUntil: Instant, now: Instant): Failure {
  const remaining: Seconds = Math.ceil((lockedUntil - now) / seconds(1));
  return new Failure('idempotencia_em_andamento', { retryAfter: Math.min(60, Math.max(2, remaining)) });
}

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** `open` throws if it cannot decrypt. It is called only after the caller is admitted. */
export interface Unopened<T> {
  open(): Promise<T>;
}
