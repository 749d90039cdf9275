// Calls that one person may not make alone: the person makes the call, which stores a request for approval. Another
// person approves the request. Then the first person makes the same call again.
import { createHash } from 'node:crypto';
import { hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';
import { ASKING, type AuditEntry, type AuditFacts, type AuditSubject } from './ports.ts';

export const APPROVAL_LIFETIME: Milliseconds = hours(24);

/** Time after the use of an approval in which an equal call needs no new approval: the first answer may be lost. */
export const REPEATED_WITHIN: Milliseconds = minutes(10);

export const APPROVAL_STATES = ['asked', 'approved', 'refused', 'used'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export type ApprovalValue = string | number | boolean | null;

export interface ApprovalField {
  readonly field: string;
  readonly value: ApprovalValue;
  readonly name?: string | undefined;
  readonly replaces?: Exclude<ApprovalValue, null> | undefined;
}

export interface Wish {
  readonly operation: string;
  readonly about: AuditSubject;
  readonly target: AuditFacts;
  /** The ids of call and approval are made from these fields, but not from `target`. */
  readonly fields: readonly ApprovalField[];
  readonly reason: string;
  readonly askedBy: string;
  readonly person: string;
}

export interface Approval extends Omit<Wish, 'fields'> {
  readonly id: string;
  /** Undefined in a request that an earlier release stored. */
  readonly fields?: readonly ApprovalField[] | undefined;
  readonly state: ApprovalState;
  readonly askedAt: Instant;
  readonly decidedBy?: string | undefined;
  readonly usedAt?: Instant | undefined;
  readonly usedBy?: string | undefined;
}

export interface ApprovalUse {
  readonly outcome: 'granted' | 'asked' | 'spent';
  readonly approval: Approval;
  readonly isNew?: true;
}

export interface Repetition {
  readonly mark: string;
  /** Whether a call with this token was made already: then this call changes nothing. */
  readonly isMade: boolean;
  /** When the state that the call replaces began. Undefined if nothing can bring that state back. */
  readonly seenAt?: Instant | undefined;
}

/** An expired approval counts as none. */
export interface Approvals {
  required(): boolean;
  /**
   * If the call has another reason, the approved reason counts. An approval is granted once. It is granted again to a
   * call with the same mark if that call was made, or if the state is still what the first use saw. If there is no
   * approval to use, stores a request for approval together with its row of the audit (`auditOfAsking`), unless an
   * equal request waits already.
   */
  useOrAsk(wish: Wish, repetition: Repetition, now: Instant): Promise<ApprovalUse>;
  /** Makes the approval usable again. Call it only if the use has changed nothing. */
  giveBack(wish: Wish, mark: string): Promise<void>;
  get(id: string, now: Instant): Promise<Approval | undefined>;
  /** Undefined if the request is in another state, has expired, or has changed since the decider saw it. */
  decide(seen: Approval, to: 'approved' | 'refused', by: string, now: Instant): Promise<Approval | undefined>;
  list(now: Instant): Promise<readonly Approval[]>;
}

/** In `number/e-mail` (user pool) the number never changes, but the e-mail may. So one common part is enough. */
export const isSamePerson = (one: string, other: string): boolean =>
  one.split('/').some((name) => other.split('/').includes(name));

const hashOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** `replaces` is left out, because it differs once the call was made. */
export function callId({ person, operation, about, fields }: Wish): string {
  return `call_${hashOf([person, operation, about, fields.map(({ field, value }) => [field, value])])}`;
}

export const shownHash = (fields: readonly ApprovalField[]): string =>
  hashOf(fields.map(({ field, value, name, replaces }) => [field, value, name, replaces]));

export function approvalId(wish: Wish): string {
  return `apr_${hashOf([callId(wish), shownHash(wish.fields), wish.reason])}`;
}

export function auditOfAsking(wish: Wish): AuditEntry {
  const { about, operation, target, reason, askedBy } = wish;
  const facts = { ...target, operation, approval: approvalId(wish) };
  return { about, who: askedBy, action: ASKING, target: facts, reason };
}

export const tokenMark = (id: string, token: string): string =>
  createHash('sha256')
    .update(JSON.stringify([id, token]))
    .digest('base64url');
