import type { Cpf } from '../values/cpf.ts';
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
   * Creates a lead. If the CPF has a lead already, fills in the fields that it lacks instead. `answer` makes the answer
   * to the partner; `reused` is the known lead as it was found. The answer is stored in the transaction that writes the
   * lead, so that a replay of the claim repeats it.
   */
  createOrReuse(
    tenancy: Tenancy,
    draft: LeadDraft,
    answer: (leadId: LeadId, reused: Lead | undefined) => Answer,
    claim?: Claim,
  ): Promise<IdempotentResult<Answer>>;
  /** Reads a lead without decrypting it. */
  find(tenancy: Tenancy, id: LeadId): Promise<Unopened<Lead> | undefined>;
  get(tenancy: Tenancy, id: LeadId): Promise<Lead | undefined>;
  /**
   * Reads a lead, calls `change` and writes what it returns; repeats this if another write came between. `write` is
   * undefined if nothing has to be written. Returns `result`. Undefined if there is no such lead.
   */
  change<T>(
    tenancy: Tenancy,
    id: LeadId,
    change: (lead: Lead) => { write: Lead | undefined; result: T },
  ): Promise<T | undefined>;
}

/**
 * Erasures of people, and the rows that they delete. Each step may be repeated at any time, even by two runs at once.
 */
export interface Erasures {
  /**
   * Makes sure that the index keys that this function holds are the table's: with other keys it would find no person. Throws
   * a SafeError if they are not.
   */
  confirmIndexKeys(): Promise<void>;
  get(tenancy: Tenancy, leadId: LeadId): Promise<Erasure | undefined>;
  /** Whether the lead exists, erased or not. */
  exists(subject: ErasureSubject): Promise<boolean>;
  /**
   * Stores an erasure unless the lead has one. Returns the erasure that the lead has now. Undefined if there is no such
   * lead. Throws a ChangedMeanwhile, and stores nothing, if a CPF is given that does not lead to the lead.
   */
  begin(erasure: Erasure, cpf?: Cpf): Promise<Erasure | undefined>;
  /**
   * Marks the lead and deletes its simulations: the state becomes `apagando`. While analyses of the lead are pending,
   * only stores their number, and the erasure waits until `nextCheckAt`.
   */
  mark(erasure: Erasure, nextCheckAt: Instant): Promise<Erasure>;
  /**
   * Makes one pass over the person's rows. Deletes simulations, forms, and the row that leads from the CPF to this
   * lead. The second pass also deletes the answers that are stored for replays, and texts of receivers that `close` has
   * not deleted. Returns the stored erasure, which counts what was deleted, and the numbers of analyses and consents,
   * which are kept.
   */
  erase(erasure: Erasure): Promise<{ erasure: Erasure } & Pick<ErasurePass, 'analyses' | 'consents'>>;
  /**
   * Deletes the lead's own data after the first pass, and stores the pass: the state becomes `apagado`. Then deletes the
   * texts with which partners' endpoints answered failed deliveries. From then on no delivery about the person stores
   * such a text.
   */
  close(erasure: Erasure, pass: ErasurePass, nextCheckAt: Instant): Promise<Erasure>;
  /** Stores the second pass. After it nothing is left to do. */
  finish(erasure: Erasure, pass: ErasurePass): Promise<Erasure>;
  /**
   * Deletes a spouse's fields from a form, and the row that leads from the spouse to the form. While an analysis of the
   * form is pending, the erasure waits until `nextCheckAt` instead. Undefined if the form is gone or names no spouse.
   */
  eraseSpouse(subject: SpouseSubject, now: Instant, nextCheckAt: Instant): Promise<Erasure | undefined>;
  /**
   * Returns a page of the erasures that are due by `before`, oldest first. Unreadable ones are left out, and counted in
   * a metric.
   */
  due(before: Instant, after?: string): Promise<Page<ErasedSubject>>;
}

/** A lead that the sweeper must look at. `entry` is its place in the index of due work, which each look moves. */
export interface DueLead extends Tenancy {
  readonly leadId: LeadId;
  readonly entry: string;
}
/** A lead with the use that a look found. `erasingSince` is set if a reset of the sandbox marked it and was cut off. */
export type SeenLead = DueLead & LeadUse & { readonly erasingSince?: Instant | undefined };

/**
 * Leads and when their data end (retention.ts). A look reads how a lead was used. A write after it is refused if the
 * lead has changed since the look.
 */
export interface RetainedLeads {
  /** Returns the leads that are due for a look by `before`, oldest first within each partition of the index. */
  due(before: Instant): AsyncIterable<DueLead>;
  /** Reads how a lead was used. Undefined if another look came first, or if the person is being erased. */
  look(due: DueLead): Promise<SeenLead | undefined>;
  /**
   * Stores when the next look is due, and the notice; removes the notice if there is none. False if the write is
   * refused.
   */
  keep(seen: SeenLead, next: NextLook): Promise<boolean>;
  /**
   * Stores a lead's erasure and marks the lead in one transaction. Undefined if the lead has changed or has an erasure.
   */
  claim(seen: SeenLead, now: Instant, nextCheckAt: Instant): Promise<Erasure | undefined>;
}

/**
 * Who was erased, stored outside the table. It is applied to a table that is restored from a backup, before any
 * traffic.
 */
export interface ErasureLedger {
  /** Adds a subject unless the ledger has it. */
  add(subject: ErasedSubject, now: Instant): Promise<void>;
  /** Returns a page of the ledger, in no order, and how many entries of this page cannot be read. */
  page(after?: string): Promise<Page<ErasedSubject> & { readonly unreadable: number }>;
}
