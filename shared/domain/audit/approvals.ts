// Calls that one person may not make alone. The person makes the call, which stores a request for approval. Another
// person approves the request. Then the first person makes the same call again.
import { createHash } from 'node:crypto';
import { hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';
import { ASKING, type AuditEntry, type AuditFacts, type AuditSubject } from './ports.ts';

/** Time after the request in which an approval may be given and used. */
export const APPROVAL_LIFETIME: Milliseconds = hours(24);

/** Time after the use of an approval in which an equal call asks for no further approval: its answer may be lost. */
export const REPEATED_WITHIN: Milliseconds = minutes(10);

/**
 * State of an approval. `asked`: it waits for another person. `approved`: the call may be made once, which makes the
 * state `used`.
 */
export const APPROVAL_STATES = ['asked', 'approved', 'refused', 'used'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A value of a call. Null if it is none. */
export type ApprovalValue = string | number | boolean | null;

/** A field of a call, or a fact that its plan found, as the person sees it who approves the call. */
export interface ApprovalField {
  /** Name on the wire (`url`, `consultant.name`), or the plan's name of a fact (`missing`). */
  readonly field: string;
  readonly value: ApprovalValue;
  /** A text for the value, such as the partner's name for its number. Undefined if there is none. */
  readonly name?: string | undefined;
  /** The value that the change replaces. Undefined if it replaces none. */
  readonly replaces?: Exclude<ApprovalValue, null> | undefined;
}

/** A call that needs another person's approval. */
export interface Wish {
  /** Name of the operation. */
  readonly operation: string;
  readonly about: AuditSubject;
  /** Facts of the call for its row of the audit, without personal data of customers. */
  readonly target: AuditFacts;
  /** Everything that the call will do. The ids of the approval are made from these fields, and from no others. */
  readonly fields: readonly ApprovalField[];
  readonly reason: string;
  /** AWS identity of the person who makes the call. */
  readonly askedBy: string;
  /** Name of the person who makes the call, whatever their role (`isSamePerson`). */
  readonly person: string;
}

export interface Approval extends Omit<Wish, 'fields'> {
  readonly id: string;
  /** Undefined in a request that an earlier release stored. No call of this release can use it. */
  readonly fields?: readonly ApprovalField[] | undefined;
  readonly state: ApprovalState;
  readonly askedAt: Instant;
  /** The person who approved or refused the request. Undefined before. */
  readonly decidedBy?: string | undefined;
  /** When a call used it. Undefined before. */
  readonly usedAt?: Instant | undefined;
  /** AWS identity of the person who made this call. Undefined before. */
  readonly usedBy?: string | undefined;
}

/**
 * Says whether a call may be made. `granted`: yes. `asked`: not before another person approves the request. `spent`: no,
 * since another call used the approval less than REPEATED_WITHIN ago.
 */
export interface ApprovalUse {
  readonly outcome: 'granted' | 'asked' | 'spent';
  readonly approval: Approval;
  /** Set if this call has stored the request. Undefined if an equal request waits already. */
  readonly isNew?: true;
}

/** What recognises a call as the one that used an approval. */
export interface Repetition {
  /** Mark of the call: `tokenMark`, or a text that no other call has. */
  readonly mark: string;
  /** Whether the present state shows that a call with this token was made. Then the call changes nothing. */
  readonly isMade: boolean;
  /** When the state that the call replaces was made. Undefined if there is none, or if nothing can bring it back. */
  readonly seenAt?: Instant | undefined;
}

/** The approvals of the last 24 hours. An expired approval counts as none. */
export interface Approvals {
  /** Whether the stage requires approvals. */
  required(): boolean;
  /**
   * Uses an approved request of the same call, if the call still shows what was approved. The reason may be another one:
   * the approved reason counts. An approval is granted once, and again to a call with the same mark if that call was
   * made, or if the state is still the one that the first use has seen. If there is nothing to use, stores a request for approval together with its row of
   * the audit (`auditOfAsking`), unless an equal request waits already.
   */
  useOrAsk(wish: Wish, repetition: Repetition, now: Instant): Promise<ApprovalUse>;
  /** Makes the approval usable again that the call with this mark has used. Only if the call has changed nothing. */
  giveBack(wish: Wish, mark: string): Promise<void>;
  get(id: string, now: Instant): Promise<Approval | undefined>;
  /**
   * Approves a request that was asked, or refuses one that was asked or approved. Undefined if the request is in
   * another state, has expired, or is no longer the one that the decider has seen.
   */
  decide(seen: Approval, to: 'approved' | 'refused', by: string, now: Instant): Promise<Approval | undefined>;
  list(now: Instant): Promise<readonly Approval[]>;
}

/**
 * Whether two names belong to one person. A name is the name of an AWS session or, for a person of a user pool,
 * `number/e-mail`: the number never changes, and the e-mail may. One common part is enough.
 */
export const isSamePerson = (one: string, other: string): boolean =>
  one.split('/').some((name) => other.split('/').includes(name));

/** Returns the first 128 bits of a SHA-256, in hex. */
const hashOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/**
 * Returns the id of a call by a person: the same whenever the person makes the same call, for whatever reason. The
 * values that the call replaces are left out, since they are other ones once the call was made.
 */
export function callId({ person, operation, about, fields }: Wish): string {
  return `call_${hashOf([person, operation, about, fields.map(({ field, value }) => [field, value])])}`;
}

/** Returns a hash of everything that the fields show: values, names, and the values that are replaced. */
export const shownHash = (fields: readonly ApprovalField[]): string =>
  hashOf(fields.map(({ field, value, name, replaces }) => [field, value, name, replaces]));

/**
 * Returns the id by which another person approves a call: another id for each difference in what this person sees, the
 * reason among it.
 */
export function approvalId(wish: Wish): string {
  return `apr_${hashOf([callId(wish), shownHash(wish.fields), wish.reason])}`;
}

/** Returns the entry of the audit for a request for approval: who asked for which call, and why. */
export function auditOfAsking(wish: Wish): AuditEntry {
  const { about, operation, target, reason, askedBy } = wish;
  const facts = { ...target, operation, approval: approvalId(wish) };
  return { about, who: askedBy, action: ASKING, target: facts, reason };
}

/** Returns the mark of each call with this id and this token. */
export const tokenMark = (id: string, token: string): string =>
  createHash('sha256')
    .update(JSON.stringify([id, token]))
    .digest('base64url');
