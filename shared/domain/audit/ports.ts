import type { PartnerId } from '../values/ids.ts';
import type { Page } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';

/** The subject of a change: a partner, or the whole service. */
export type AuditSubject = PartnerId | 'service';

/** Facts about a change. None of them is personal data: people appear only by ids and keyed hashes. */
export type AuditFacts = Readonly<Record<string, string | number | boolean>>;

/** Action of the row of a request that another person approves a call. The row's target names the operation. */
export const ASKING = 'ask-approval';

/** A change that a person of the service asks for. */
export interface AuditEntry {
  readonly about: AuditSubject;
  /** AWS identity of the caller. */
  readonly who: string;
  /** Name of the operation, or `ASKING`. */
  readonly action: string;
  readonly target: AuditFacts;
  readonly reason: string;
}

/**
 * How a change ended. `started` remains if the change was cut off, or if its last write got no answer: the change may
 * have happened. `failed`: nothing was changed.
 */
export const AUDIT_OUTCOMES = ['started', 'done', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** A change in the audit. */
export interface AuditRecord extends AuditEntry {
  /** When the change began. */
  readonly at: Instant;
  readonly outcome: AuditOutcome;
}

/** A person of a Cognito user pool. */
export interface PoolPerson {
  readonly pool: string;
  readonly subject: string;
}

/** The people of the user pools. */
export interface People {
  /** Returns the e-mail that the pool or the company has verified. Undefined if there is none, or no such person. */
  emailOf(person: PoolPerson): Promise<string | undefined>;
}

/** A message for people who work in office hours. It holds no personal data. */
export interface Ticket {
  /** Subject line: ASCII, at most 80 characters. */
  readonly subject: string;
  readonly text: string;
}

/** The channel of such messages. The tickets of alarms go there, too. */
export interface Tickets {
  send(ticket: Ticket): Promise<void>;
}

/** The audit row of a change that has started. */
export interface OpenAudit {
  /** Stores how the change ended, once. `result` adds facts that were not known before, such as the id of a new key. */
  close(outcome: Exclude<AuditOutcome, 'started'>, result?: AuditFacts): Promise<void>;
}

/** A time of the audit: from `from`, and before `to`. A bound that is undefined bounds nothing. */
export interface AuditPeriod {
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

/** The audit: who changed what, when and why. */
export interface AuditTrail {
  /** Stores a change before it is made, so that no change can happen without an audit row. */
  begin(entry: AuditEntry, now: Instant): Promise<OpenAudit>;
  /** Returns a page of the changes about a subject that began in a period, newest first. */
  newest(about: AuditSubject, limit: number, after?: string, period?: AuditPeriod): Promise<Page<AuditRecord>>;
  /** Returns a page of the changes about a subject that began in a range (`to` exclusive), oldest first. */
  between(
    about: AuditSubject,
    range: { readonly from: Instant; readonly to: Instant },
    after?: string,
  ): Promise<Page<AuditRecord>>;
}
