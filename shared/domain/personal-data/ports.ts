import type { Analysis, AnalysisForm, Consent } from '../analyses/ports.ts';
import type { Lead, LeadDraft } from '../leads/ports.ts';
import type { Opportunity } from '../simulations/ports.ts';
import type { Cpf } from '../values/cpf.ts';
import type { LeadId, SubmissionId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';

/** Everything that the service keeps of a person in one unit and environment. */
export interface PersonalData {
  /** Undefined once the person was erased: the rest is what is kept as evidence. */
  readonly lead: Lead | undefined;
  readonly opportunities: readonly Opportunity[];
  readonly analyses: readonly Analysis[];
  /** What went to the banks, by submission; those of an erased person are gone. */
  readonly forms: readonly AnalysisForm[];
  readonly consents: readonly Consent[];
}

/** A spouse as a submission names one: they have no lead of their own there. */
export interface NamedSpouse {
  readonly leadId: LeadId;
  readonly submissionId: SubmissionId;
}

/** What a form says of its holder's spouse, and which banks it went to. */
export interface SpouseForm {
  readonly form: AnalysisForm;
  readonly analyses: readonly Analysis[];
}

/** What a person says is wrong in a lead; what is left out stays. */
export type PersonCorrection = Partial<Pick<LeadDraft, 'cpf' | 'birthDate'>>;

/** The fields that changed; or why none may: an analysis is pending, an erasure was asked for, the CPF has another lead there. */
export type CorrectionOutcome =
  | { readonly fields: readonly (keyof PersonCorrection)[] }
  | 'no_lead'
  | 'erasing'
  | 'pending'
  | 'cpf_known';

/** How a person is found, and what is kept of one. */
export interface PersonalRecords {
  /** The lead with a CPF; undefined where there is none, or its person was erased. */
  leadByCpf(tenancy: Tenancy, cpf: Cpf): Promise<LeadId | undefined>;
  /** The submissions that name the person with a CPF as a spouse, while their forms are kept. */
  spouseByCpf(tenancy: Tenancy, cpf: Cpf): Promise<readonly NamedSpouse[]>;
  /** What the service keeps of a spouse whom submissions of a lead name. */
  ofSpouse(tenancy: Tenancy, named: readonly NamedSpouse[]): Promise<readonly SpouseForm[]>;
  /** A CPF as the audit writes it: finds the entries of a person who names the CPF, and tells it to no one. */
  pseudonym(tenancy: Tenancy, cpf: Cpf): Promise<string>;
  /** Undefined where there never was such a lead. */
  of(tenancy: Tenancy, leadId: LeadId): Promise<PersonalData | undefined>;
  /** Corrects a lead, and by which CPF it is found. Repeated, it changes nothing. */
  correct(tenancy: Tenancy, leadId: LeadId, correction: PersonCorrection): Promise<CorrectionOutcome>;
}
