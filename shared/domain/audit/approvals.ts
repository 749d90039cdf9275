// What one person may not do alone: one asks by making the call, another approves it, and the first makes the same call again.
import { createHash } from 'node:crypto';
import { hours, type Instant, type Milliseconds } from '../values/time.ts';
import type { AuditFacts, AuditSubject } from './ports.ts';

/** How long after it was asked for an approval may be given, and used. */
export const APPROVAL_LIFETIME: Milliseconds = hours(24);

/** `asked` waits for another person; `approved` lets the call be made once, which makes it `used`. */
export const APPROVAL_STATES = ['asked', 'approved', 'refused', 'used'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A call that waits for another person. Nothing of it is personal data: it says what the audit will say. */
export interface Wish {
  /** The operation. */
  readonly operation: string;
  readonly about: AuditSubject;
  readonly target: AuditFacts;
  readonly reason: string;
  /** The identity that AWS knows the asker by. */
  readonly askedBy: string;
  /** The asker, whatever their role; see isSamePerson. */
  readonly person: string;
}

export interface Approval extends Wish {
  readonly id: string;
  readonly state: ApprovalState;
  readonly askedAt: Instant;
  /** Who approved or refused it. */
  readonly decidedBy?: string | undefined;
}

/** The approvals of the last 24 hours. Those that have expired are as good as none. */
export interface Approvals {
  /** Whether the stage asks for them. */
  required(): boolean;
  /** Uses what was approved, once: `used` alone lets the call be made. Else asks, or gives what is asked already. */
  useOrAsk(id: string, wish: Wish, now: Instant): Promise<Approval>;
  get(id: string, now: Instant): Promise<Approval | undefined>;
  /** What was asked becomes approved, and what was asked or approved refused; undefined where it is neither any more. */
  decide(id: string, to: 'approved' | 'refused', by: string, now: Instant): Promise<Approval | undefined>;
  list(now: Instant): Promise<readonly Approval[]>;
}

/**
 * Whether two names are one person's: a session's name, or of a user pool's people, parted by a slash, the number there, which
 * stays, and the e-mail, which they may change.
 */
export const isSamePerson = (one: string, other: string): boolean =>
  one.split('/').some((name) => other.split('/').includes(name));

/** Names one call of one person: the same call has the same, any other has another (128 bits of SHA-256). */
export function approvalId({ person, operation, about, target }: Wish, fields: object): string {
  const text = JSON.stringify([person, operation, about, target, fields]);
  return `apr_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
