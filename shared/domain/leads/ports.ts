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
   * If the CPF has a lead already, fills in this lead's missing fields instead. `answer` makes the answer to the
   * partner; `reused` is the known lead as it was found. The answer is stored in the transaction that writes the lead,
   * so that a replay of the claim repeats it.
   */
  createOrReuse(
    tenancy: Tenancy,
    draft: LeadDraft,
    answer: (leadId: LeadId, reused: Lead | undefined) => Answer,
    claim?: Claim,
  ): Promise<IdempotentResult<Answer>>;
  find(tenancy: Tenancy, id: LeadId): Promise<Unopened<Lead> | undefined>;
  get(tenancy: Tenancy, id: LeadId): Promise<Lead | undefined>;
  /** `write` is undefined if nothing has to be written. Returns `result`. Undefined if there is no such lead. */
  change<T>(
    tenancy: Tenancy,
    id: LeadId,
    change: (lead: Lead) => { write: Lead | undefined; result: T },
  ): Promise<T | undefined>;
}

/** Each step may be repeated at any time, even by two runs at once. */
export interface Erasures {
  /** Throws a SafeError if this Lambda's index keys are not the table's: it would find no person. */
  confirmIndexKeys(): Promise<void>;
  get(tenancy: Tenancy, leadId: LeadId): Promise<Erasure | undefined>;
  exists(subject: ErasureSubject): Promise<boolean>;
  /**
   * Returns the erasure that the lead has now. Undefined if there is no such lead. Throws a ChangedMeanwhile, and
   * stores nothing, if a CPF is given that does not lead to the lead.
   */
  begin(erasure: Erasure, cpf?: Cpf): Promise<Erasure | undefined>;
  /** While analyses of the lead are pending, only stores their number, and the erasure waits until `nextCheckAt`. */
  mark(erasure: Erasure, nextCheckAt: Instant): Promise<Erasure>;
  /**
   * Deletes simulations, forms, and the row that leads from the CPF to this lead. The second pass also deletes the
   * answers that are stored for replays, and texts of receivers that `close` has not deleted.
   */
  erase(erasure: Erasure): Promise<{ erasure: Erasure } & Pick<ErasurePass, 'analyses' | 'consents'>>;
  /** Also deletes texts of webhook receivers. Later no delivery about the person stores such a text. */
  close(erasure: Erasure, pass: ErasurePass, nextCheckAt: Instant): Promise<Erasure>;
  finish(erasure: Erasure, pass: ErasurePass): Promise<Erasure>;
  /** Waits while an analysis of the form is pending. Undefined if the form is gone or names no spouse. */
  eraseSpouse(subject: SpouseSubject, now: Instant, nextCheckAt: Instant): Promise<Erasure | undefined>;
  /** Unreadable erasures are left out, and counted in a metric. */
  due(before: Instant, after?: string): Promise<Page<ErasedSubject>>;
}

/** `entry`: the lead's place in the index of due work, which changes with each look. */
export interface DueLead extends Tenancy {
  readonly leadId: LeadId;
  readonly entry: string;
}
/** `erasingSince` is set if a reset of the sandbox marked the lead and was cut off. */
export type SeenLead = DueLead & LeadUse & { readonly erasingSince?: Instant | undefined };

/** A look reads how a lead was used. A write after it is refused if the lead has changed since the look. */
export interface RetainedLeads {
  due(before: Instant): AsyncIterable<DueLead>;
  /** Undefined if another look came first, or if the person is being erased. */
  look(due: DueLead): Promise<SeenLead | undefined>;
  keep(seen: SeenLead, next: NextLook): Promise<boolean>;
  /** Undefined if the lead has changed or has an erasure. */
  claim(seen: SeenLead, now: Instant, nextCheckAt: Instant): Promise<Erasure | undefined>;
}

/** The ledger is applied to a table that is restored from a backup, before any traffic. */
export interface ErasureLedger {
  add(subject: ErasedSubject, now: Instant): Promise<void>;
  /** In no order. */
  page(after?: string): Promise<Page<ErasedSubject> & { readonly unreadable: number }>;
}
