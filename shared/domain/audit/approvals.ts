// Calls that one person may not make alone. The person makes the call, which stores a request for approval. Another
// person approves the request. Then the first person makes the same call again.
import { createHash } from 'node:crypto';
import { hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';
import type { AuditFacts, AuditSubject } from './ports.ts';

/** Time after the request in which an approval may be given and used. */
export const APPROVAL_LIFETIME: Milliseconds = hours(24);

/**
 * Time after the use of an approval in which an equal call counts as the same one: its answer was lost, or it came
 * twice. Such a call asks for no further approval.
 */
export const REPEATED_WITHIN: Milliseconds = minutes(10);

/**
 * State of an approval. `asked`: it waits for another person. `approved`: the call may be made once, which makes the
 * state `used`.
 */
export const APPROVAL_STATES = ['asked', 'approved', 'refused', 'used'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/**
 * A call that needs another person's approval. It holds no personal data: only what the audit row of the call will say.
 */
export interface Wish {
  /** Name of the operation. */
  readonly operation: string;
  readonly about: AuditSubject;
  readonly target: AuditFacts;
  readonly reason: string;
  /** AWS identity of the person who makes the call. */
  readonly askedBy: string;
  /** Name of the person who makes the call, whatever their role (`isSamePerson`). */
  readonly person: string;
}

export interface Approval extends Wish {
  readonly id: string;
  readonly state: ApprovalState;
  readonly askedAt: Instant;
  /** The person who approved or refused the request. Undefined before. */
  readonly decidedBy?: string | undefined;
  /** When a call used it. Undefined before. */
  readonly usedAt?: Instant | undefined;
}

/**
 * Says whether a call may be made. `granted`: yes. `asked`: not before another person approves the request. `spent`: no,
 * since another call used the approval less than REPEATED_WITHIN ago.
 */
export interface ApprovalUse {
  readonly outcome: 'granted' | 'asked' | 'spent';
  readonly approval: Approval;
}

/** The approvals of the last 24 hours. An expired approval counts as none. */
export interface Approvals {
  /** Whether the stage requires approvals. */
  required(): boolean;
  /**
   * Uses an approved request. An approval is granted once, and again to a repetition of the call that used it:
   * `repetition` is equal (`repetitionMark`). If there is nothing to use, stores a request for approval, unless a
   * request waits already.
   */
  useOrAsk(id: string, wish: Wish, repetition: string | undefined, now: Instant): Promise<ApprovalUse>;
  get(id: string, now: Instant): Promise<Approval | undefined>;
  /**
   * Approves a request that was asked, or refuses one that was asked or approved. Undefined if the request is in
   * another state, has expired, or was asked for again since `askedAt`: its reason may be another one by then.
   */
  decide(
    id: string,
    to: 'approved' | 'refused',
    by: string,
    now: Instant,
    askedAt?: Instant,
  ): Promise<Approval | undefined>;
  list(now: Instant): Promise<readonly Approval[]>;
}

/**
 * Whether two names belong to one person. A name is the name of an AWS session or, for a person of a user pool,
 * `number/e-mail`: the number never changes, and the e-mail may. One common part is enough.
 */
export const isSamePerson = (one: string, other: string): boolean =>
  one.split('/').some((name) => other.split('/').includes(name));

/**
 * Returns the id of a call by a person: always the same for the same call, and another for any other call (128 bits of
 * SHA-256).
 */
export function approvalId({ person, operation, about, target }: Wish, fields: object): string {
  const text = JSON.stringify([person, operation, about, target, fields]);
  return `apr_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** Mark of a call whose operation takes no token. */
export const SAME_FIELDS = 'same fields';

/**
 * Returns the mark by which the repetition of a call is recognised, after its answer was lost. An operation that takes
 * a token makes at most one key or secret for each token, so its mark is a hash of the token. Undefined if such a call
 * has no token: each call would make another key. An operation without a token shows nothing that an equal call would
 * not show again, so `SAME_FIELDS` is enough, for REPEATED_WITHIN.
 */
export function repetitionMark(id: string, takesToken: boolean, token: string | undefined): string | undefined {
  if (!takesToken) return SAME_FIELDS;
  if (token === undefined) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([id, token]))
    .digest('base64url');
}
