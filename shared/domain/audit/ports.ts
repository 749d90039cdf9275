import type { PartnerId } from '../values/ids.ts';
import type { Page } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';

/** Whom a change is about: a partner, or the service as a whole. */
export type AuditSubject = PartnerId | 'service';

/** Facts about a change. None of it is personal data: people are named by ids and keyed hashes alone. */
export type AuditFacts = Readonly<Record<string, string | number | boolean>>;

/** A change that someone asks for. */
export interface AuditEntry {
  readonly about: AuditSubject;
  /** The identity that AWS knows the caller by. */
  readonly who: string;
  /** The operation. */
  readonly action: string;
  readonly target: AuditFacts;
  readonly reason: string;
}

/** `started` stays where a change was cut off or its last write got no answer: it may have happened. `failed`: nothing was changed. */
export const AUDIT_OUTCOMES = ['started', 'done', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** A change that was noted. */
export interface AuditRecord extends AuditEntry {
  /** When it began. */
  readonly at: Instant;
  readonly outcome: AuditOutcome;
}

/** One of a user pool's people. */
export interface PoolPerson {
  readonly pool: string;
  readonly subject: string;
}

/** The people of a user pool. */
export interface People {
  /** The e-mail that the pool or the company has verified; undefined where there is none, or nobody of that subject. */
  emailOf(person: PoolPerson): Promise<string | undefined>;
}

/** A change that is noted as started. */
export interface OpenAudit {
  /** Notes how it ended, once; `result` adds what became known only by then, a new key's id for example. */
  close(outcome: Exclude<AuditOutcome, 'started'>, result?: AuditFacts): Promise<void>;
}

/** Who changed what, when and why. */
export interface AuditTrail {
  /** Notes a change before it is made, so that none can happen unnoted. */
  begin(entry: AuditEntry, now: Instant): Promise<OpenAudit>;
  /** The last changes about a subject, newest first, a page at a time. */
  newest(about: AuditSubject, limit: number, after?: string): Promise<Page<AuditRecord>>;
  /** The changes about a subject that began between two moments (`to` exclusive), oldest first. */
  between(
    about: AuditSubject,
    range: { readonly from: Instant; readonly to: Instant },
    after?: string,
  ): Promise<Page<AuditRecord>>;
}
