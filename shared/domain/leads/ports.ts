import type { Answer, Claim, IdempotentResult, Unopened } from '../values/idempotency.ts';
import type { LeadId } from '../values/ids.ts';
import type { Page, Tenancy } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import type { ErasedSubject, Erasure, ErasurePass, ErasureSubject, SpouseSubject } from './erasure.ts';
import type { Lead, LeadDraft } from './lead.ts';
import type { LeadUse, NextLook } from './retention.ts';

export type { Lead, LeadDraft } from './lead.ts';

export interface Leads {
  /**
   * The lead with the draft's CPF: made where there is none, else filled with what it lacks. `answer` gives what a
   * replay of the claim will repeat, `reused` being the known lead as it was found; it is kept in the same transaction
   * as the lead.
   */
  createOrReuse(
    tenancy: Tenancy,
    draft: LeadDraft,
    answer: (leadId: LeadId, reused: Lead | undefined) => Answer,
    claim?: Claim,
  ): Promise<IdempotentResult<Answer>>;
  /** Reads a lead and opens nothing of it. */
  find(tenancy: Tenancy, id: LeadId): Promise<Unopened<Lead> | undefined>;
  get(tenancy: Tenancy, id: LeadId): Promise<Lead | undefined>;
  /** Reads, changes and writes a lead until no one else has written between; `change` returns what to write or undefined. */
  change<T>(
    tenancy: Tenancy,
    id: LeadId,
    change: (lead: Lead) => { write: Lead | undefined; result: T },
  ): Promise<T | undefined>;
}

/** Persons' erasures, and the rows that they end. Every step may be made again at any point, and beside itself. */
export interface Erasures {
  get(tenancy: Tenancy, leadId: LeadId): Promise<Erasure | undefined>;
  /** Whether there is such a lead, erased or not. */
  exists(subject: ErasureSubject): Promise<boolean>;
  /** Notes an erasure where the lead has none; gives the one that the lead has, undefined where there is no such lead. */
  begin(erasure: Erasure): Promise<Erasure | undefined>;
  /**
   * Marks the lead, and deletes its simulations with the mark: `apagando`. While an analysis of it is pending, the
   * erasure waits until `nextCheckAt` instead, with their number.
   */
  mark(erasure: Erasure, nextCheckAt: Instant): Promise<Erasure>;
  /**
   * One pass over the person's rows: deletes simulations and forms, and the way from the CPF to this lead; the second also
   * the answers kept for replays, and what partners' receivers said of failed attempts. Gives the erasure as it stands, with what was deleted counted, and what is kept.
   */
  erase(erasure: Erasure): Promise<{ erasure: Erasure } & Pick<ErasurePass, 'analyses' | 'consents'>>;
  /** Ends the lead's own data after the first pass: `apagado`. */
  close(erasure: Erasure, pass: ErasurePass, nextCheckAt: Instant): Promise<Erasure>;
  /** Notes the second pass: nothing is left to do. */
  finish(erasure: Erasure, pass: ErasurePass): Promise<Erasure>;
  /**
   * Takes a spouse's fields out of the form that names them, with the way to it, at `now`; while an analysis of it is
   * pending, it waits until `nextCheckAt` instead. Undefined where no such form is kept.
   */
  eraseSpouse(subject: SpouseSubject, now: Instant, nextCheckAt: Instant): Promise<Erasure | undefined>;
  /** Erasures to go on with by `before`, oldest first, a page at a time; unreadable ones are left out and counted. */
  due(before: Instant, after?: string): Promise<Page<ErasedSubject>>;
}

/** A lead whose look is due: `entry` is its place in the index, which each look moves. */
export interface DueLead extends Tenancy {
  readonly leadId: LeadId;
  readonly entry: string;
}
/** A lead as a look has found it; `erasingSince` where a reset of the sandbox has marked it and was cut off. */
export type SeenLead = DueLead & LeadUse & { readonly erasingSince?: Instant | undefined };

/** Leads and when their data end; see retention.ts. What is written is refused where the lead is no more as it was seen. */
export interface RetainedLeads {
  /** The leads to look at by `before`, the oldest looks of each part of the index first. */
  due(before: Instant): AsyncIterable<DueLead>;
  /** Reads a lead's use; undefined where another look came first, or its person is being erased. */
  look(due: DueLead): Promise<SeenLead | undefined>;
  /** Moves the look, with the lead's notice or without one; gives whether it was written. */
  keep(seen: SeenLead, next: NextLook): Promise<boolean>;
  /** Begins the lead's erasure and marks it, at once; undefined where it is refused, or an erasure was asked for. */
  claim(seen: SeenLead, now: Instant, nextCheckAt: Instant): Promise<Erasure | undefined>;
}

/** Who was erased, kept outside the table: applied before any traffic where the table is restored from a backup. */
export interface ErasureLedger {
  /** Notes a subject once. */
  add(subject: ErasedSubject, now: Instant): Promise<void>;
  /** A page of those that were noted, in no order, and how many more of it cannot be read. */
  page(after?: string): Promise<Page<ErasedSubject> & { readonly unreadable: number }>;
}
