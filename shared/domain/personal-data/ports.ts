import type { Analysis, AnalysisForm, Consent, ConsentWithdrawal } from '../analyses/ports.ts';
import type { Lead, LeadDraft } from '../leads/ports.ts';
import type { Opportunity } from '../simulations/ports.ts';
import type { Cpf } from '../values/cpf.ts';
import {
  type ConsentId,
  idOf,
  type LeadId,
  type OpportunityId,
  type SubmissionId,
  type WithdrawalId,
} from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';

/**
 * The place between two pages of a person's data: of each list, the id before which the next page begins. Undefined for a
 * list that has ended.
 */
export interface PersonalPlace {
  readonly opportunity?: OpportunityId | undefined;
  readonly submission?: SubmissionId | undefined;
  readonly consent?: ConsentId | undefined;
  readonly withdrawal?: WithdrawalId | undefined;
}

const NEWEST = Number.MAX_SAFE_INTEGER;
/** The place before the first page. */
export const FIRST_PAGE: PersonalPlace = {
  opportunity: idOf(NEWEST),
  submission: idOf(NEWEST),
  consent: idOf(NEWEST),
  withdrawal: idOf(NEWEST),
};

/** A page, and the place before the next one. Undefined after the last page. */
export interface PersonalPage<T> {
  readonly page: T;
  readonly next: PersonalPlace | undefined;
}

/**
 * A page of everything that the service stores about a person in one unit and environment. Each list is newest first, and
 * continues on the next page.
 */
export interface PersonalData {
  /** Undefined if the person was erased. Then the rest is what is kept as evidence. */
  readonly lead: Lead | undefined;
  readonly opportunities: readonly Opportunity[];
  readonly analyses: readonly Analysis[];
  /** The forms that went to the banks, one for each submission. Those of an erased person are gone. */
  readonly forms: readonly AnalysisForm[];
  readonly consents: readonly Consent[];
  readonly withdrawals: readonly ConsentWithdrawal[];
  /**
   * Up to when no consent of the person counts, because of an earlier lead with the same CPF. Undefined if every consent
   * counts, or if the person was erased.
   */
  readonly consentCutoff: Instant | undefined;
}

/** A spouse who is named in a submission. The spouse has no lead there. */
export interface NamedSpouse {
  readonly leadId: LeadId;
  readonly submissionId: SubmissionId;
}

/** The spouse's fields of a form, and the analyses that it was sent with. */
export interface SpouseForm {
  readonly form: AnalysisForm;
  readonly analyses: readonly Analysis[];
}

/** Corrections of a lead that its person asks for. A field that is undefined stays. */
export type PersonCorrection = Partial<Pick<LeadDraft, 'cpf' | 'birthDate'>>;

/**
 * The fields that were changed, or why none may be changed.
 * - `no_lead`: there is no such lead.
 * - `erasing`: the erasure of the person was requested, or is done.
 * - `pending`: an analysis of the lead is pending.
 * - `cpf_known`: the new CPF has another lead in the same tenancy.
 */
export type CorrectionOutcome =
  | { readonly fields: readonly (keyof PersonCorrection)[] }
  | 'no_lead'
  | 'erasing'
  | 'pending'
  | 'cpf_known';

/** Finds people, and reads and corrects what is stored about them. */
export interface PersonalRecords {
  /** Returns the lead with a CPF. Undefined if there is none, or if its person was erased. */
  leadByCpf(tenancy: Tenancy, cpf: Cpf): Promise<LeadId | undefined>;
  /** Returns the submissions that name the person with a CPF as the spouse, as long as their forms are kept. */
  spouseByCpf(tenancy: Tenancy, cpf: Cpf): Promise<readonly NamedSpouse[]>;
  /** Returns a page of what the service stores about a spouse who is named in these submissions of a lead. */
  ofSpouse(
    tenancy: Tenancy,
    named: readonly NamedSpouse[],
    place?: PersonalPlace,
  ): Promise<PersonalPage<readonly SpouseForm[]>>;
  /**
   * Returns the keyed hash by which the audit names a CPF, the same in every unit. It finds the person's audit rows, and
   * nobody can read the CPF from it.
   */
  pseudonym(cpf: Cpf): Promise<string>;
  /** Returns a page of everything that is stored about a lead's person. Undefined if there never was such a lead. */
  of(tenancy: Tenancy, leadId: LeadId, place?: PersonalPlace): Promise<PersonalPage<PersonalData> | undefined>;
  /** Corrects a lead, and the CPF by which it is found. A repeated correction changes nothing. */
  correct(tenancy: Tenancy, leadId: LeadId, correction: PersonCorrection): Promise<CorrectionOutcome>;
}
