import { Failure } from './failure.ts';
import type { Tenancy } from './tenancy.ts';
import { days, hours, type Instant, type Milliseconds, type Seconds, seconds } from './time.ts';

/** How long a key is remembered: 30 days if a bank is asked, else 24 hours. */
export const IDEMPOTENCY_TTL: Readonly<Record<'analyses' | 'records', Milliseconds>> = {
  analyses: days(30),
  records: hours(24),
};

/** An answer as it was given: what a replay repeats. */
export interface Answer {
  readonly status: number;
  /** The JSON text of the body. */
  readonly body: string;
}

/** A caller's wish that an operation happen once; made in the stack, read by the adapter that keeps its record. */
export interface Claim {
  /** A key belongs to a unit, an environment and an operation. */
  readonly tenancy: Tenancy;
  readonly operation: string;
  readonly key: string;
  /** Canonical JSON of the parsed body; only a keyed hash of it is kept, so that it is no oracle for a CPF. */
  readonly content: string;
  /** When the key is forgotten. */
  readonly expiresAt: Instant;
}

/** What an earlier call with the same key left. */
export interface IdempotencyRecord {
  /** Whether the earlier call had the same content. */
  readonly sameContent: boolean;
  /** Present once the operation has answered. */
  readonly answer: Answer | undefined;
  /** While there is no answer: until when the earlier run holds the key. */
  readonly lockedUntil: Instant;
  /** What the earlier run claimed, from which a later one resumes. */
  readonly resume: string | undefined;
}

/** The work's own result, or the record of the call that came first. */
export type IdempotentResult<T> = { readonly done: T } | { readonly earlier: IdempotencyRecord };

/** The failure while another run holds a key: its Retry-After is what is left of the lock, 2 to 60 s. */
export function stillRunning(lockedUntil: Instant, now: Instant): Failure {
  const left: Seconds = Math.ceil((lockedUntil - now) / seconds(1));
  return new Failure('idempotencia_em_andamento', { retryAfter: Math.min(60, Math.max(2, left)) });
}

/** JSON with the names of every object in order, so that equal content has equal text. Undefined values are left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/**
 * Something that was found and not yet looked into: its personal data is still sealed. `open` decrypts and parses it, and
 * throws where it cannot. What is read before its reader is admitted stays unopened until then.
 */
export interface Unopened<T> {
  open(): Promise<T>;
}
