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

/** A field is undefined if its list has ended. */
export interface PersonalPlace {
  readonly opportunity?: OpportunityId | undefined;
  readonly submission?: SubmissionId | undefined;
  readonly consent?: ConsentId | undefined;
  readonly withdrawal?: WithdrawalId | undefined;
}

const NEWEST = Number.MAX_SAFE_INTEGER;
export const FIRST_PAGE: PersonalPlace = {
  opportunity: idOf(NEWEST),
  submission: idOf(NEWEST),
  consent: idOf(NEWEST),
  withdrawal: idOf(NEWEST),
};

export interface PersonalPage<T> {
  readonly page: T;
  readonly next: PersonalPlace | undefined;
}

export interface PersonalData {
  /** Undefined if the person was erased: the other fields then have what is kept as evidence. */
  readonly lead: Lead | undefined;
  readonly opportunities: readonly Opportunity[];
  readonly analyses: readonly Analysis[];
  readonly forms: readonly AnalysisForm[];
  readonly consents: readonly Consent[];
  readonly withdrawals: readonly ConsentWithdrawal[];
  /** Undefined if every consent counts, or if the person was erased. */
  readonly consentCutoff: Instant | undefined;
}

/** `leadId` is the holder's lead. A spouse has no lead. */
export interface NamedSpouse {
  readonly leadId: LeadId;
  readonly submissionId: SubmissionId;
}

export interface SpouseForm {
  readonly form: AnalysisForm;
  readonly analyses: readonly Analysis[];
}

/** A field that is undefined stays. */
export type PersonCorrection = Partial<Pick<LeadDraft, 'cpf' | 'birthDate'>>;

/** `cpf_known`: the new CPF has another lead in the same tenancy. */
export type CorrectionOutcome =
  | { readonly fields: readonly (keyof PersonCorrection)[] }
  | 'no_lead'
  | 'erasing'
  | 'pending'
  | 'cpf_known';

export interface PersonalRecords {
  /** Undefined if there is no lead, or if its person was erased. */
  leadByCpf(tenancy: Tenancy, cpf: Cpf): Promise<LeadId | undefined>;
  spouseByCpf(tenancy: Tenancy, cpf: Cpf): Promise<readonly NamedSpouse[]>;
  ofSpouse(
    tenancy: Tenancy,
    named: readonly NamedSpouse[],
    place?: PersonalPlace,
  ): Promise<PersonalPage<readonly SpouseForm[]>>;
  /** The keyed hash by which the audit names a CPF, the same in every unit. Nobody can read the CPF from the hash. */
  pseudonym(cpf: Cpf): Promise<string>;
  /** Undefined if there never was such a lead. */
  of(tenancy: Tenancy, leadId: LeadId, place?: PersonalPlace): Promise<PersonalPage<PersonalData> | undefined>;
  /** A repeated correction changes nothing. */
  correct(tenancy: Tenancy, leadId: LeadId, correction: PersonCorrection): Promise<CorrectionOutcome>;
}
