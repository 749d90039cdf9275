import type { PartnerId } from '../values/ids.ts';
import type { Page } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';

export type AuditSubject = PartnerId | 'service';

/** Without personal data: people appear only by ids and keyed hashes. */
export type AuditFacts = Readonly<Record<string, string | number | boolean>>;

export const ASKING = 'ask-approval';

export interface AuditEntry {
  readonly about: AuditSubject;
  readonly who: string;
  readonly action: string;
  readonly target: AuditFacts;
  readonly reason: string;
}

/** `started` remains if the change may have happened. `failed`: nothing was changed. */
export const AUDIT_OUTCOMES = ['started', 'done', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export interface AuditRecord extends AuditEntry {
  readonly at: Instant;
  readonly outcome: AuditOutcome;
}

export interface PoolPerson {
  readonly pool: string;
  readonly subject: string;
}

export interface People {
  /** Undefined if there is no verified e-mail, or no such person. */
  emailOf(person: PoolPerson): Promise<string | undefined>;
}

/** Without personal data. */
export interface Ticket {
  /** ASCII, at most 80 characters. */
  readonly subject: string;
  readonly text: string;
}

export interface Tickets {
  send(ticket: Ticket): Promise<void>;
}

export interface OpenAudit {
  /** `result` adds facts that were not known before, such as the id of a new key. */
  close(outcome: Exclude<AuditOutcome, 'started'>, result?: AuditFacts): Promise<void>;
}

export interface AuditPeriod {
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

export interface AuditTrail {
  begin(entry: AuditEntry, now: Instant): Promise<OpenAudit>;
  newest(about: AuditSubject, limit: number, after?: string, period?: AuditPeriod): Promise<Page<AuditRecord>>;
  /** `to` is exclusive. Oldest first. */
  between(
    about: AuditSubject,
    range: { readonly from: Instant; readonly to: Instant },
    after?: string,
  ): Promise<Page<AuditRecord>>;
}
