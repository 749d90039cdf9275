import type { Bank } from '../values/bank.ts';
import { CLOCK_DIFFERENCE } from '../values/clock.ts';
import type { AnalysisId, ConsentId, KeyId, LeadId, PartnerId, SubmissionId, WithdrawalId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';

export const FINAL_SITUATIONS = ['aprovado', 'condicionado', 'recusado', 'cancelado', 'erro'] as const;
export const SITUATIONS = ['em_analise', ...FINAL_SITUATIONS] as const;
export type Situation = (typeof SITUATIONS)[number];

/** A final situation never changes in v1: if a bank says something else later, we log and count it. */
const TRANSITIONS: Readonly<Record<Situation, readonly Situation[]>> = {
  em_analise: FINAL_SITUATIONS,
  aprovado: [],
  condicionado: [],
  recusado: [],
  cancelado: [],
  erro: [],
};

export const canTransition = (from: Situation, to: Situation): boolean => TRANSITIONS[from].includes(to);

export const isPending = (situation: Situation): boolean => TRANSITIONS[situation].length > 0;

export interface Analysis extends Tenancy {
  readonly id: AnalysisId;
  readonly partnerId: PartnerId;
  readonly leadId: LeadId;
  readonly bank: Bank;
  readonly submissionId: SubmissionId;
  readonly situation: Situation;
  /** Empty until the operator confirms that it has the analysis. */
  readonly queryNumber: string;
  readonly rawStatus: string;
  /** Number of events about the analysis so far. */
  readonly sequence: number;
  readonly createdAt: Instant;
  /** Outcome that the sandbox returns, by the test CPF or the lead's note. */
  readonly forced?: string | undefined;
  readonly requestId?: string | undefined;
  /** Undefined while the analysis is pending. */
  readonly concludedAt?: Instant | undefined;
  /** Since when the operator has given no usable answer about this analysis. */
  readonly unanswerableSince?: Instant | undefined;
}

export const FIRST_STATUS = 'EM PROCESSAMENTO';

/** Undefined if the analysis has ended already. */
export function transition(
  analysis: Analysis,
  to: { readonly situation: Situation; readonly rawStatus: string; readonly queryNumber: string },
): Analysis | undefined {
  if (!isPending(analysis.situation)) return undefined;
  if (to.situation === analysis.situation) return { ...analysis, ...to };
  return canTransition(analysis.situation, to.situation)
    ? { ...analysis, ...to, sequence: analysis.sequence + 1 }
    : undefined;
}

/** A change that ends an analysis is written together with its event. */
export const isConclusion = ({ before, after }: { readonly before: Analysis; readonly after: Analysis }): boolean =>
  isPending(before.situation) && !isPending(after.situation);

/** Our API and the operator use the same field names. */
export type AnalysisForm = Readonly<Record<string, string | number | boolean>>;

export function splitForm(form: AnalysisForm): { readonly spouse: AnalysisForm; readonly rest: AnalysisForm } {
  const fields = Object.entries(form);
  const isSpouses = (field: string) => field.startsWith('conjuge_');
  return {
    spouse: Object.fromEntries(fields.filter(([field]) => isSpouses(field))),
    rest: Object.fromEntries(fields.filter(([field]) => !isSpouses(field))),
  };
}

/** Time that an analysis waits before a person must look at it. */
export const STUCK_AFTER: Milliseconds = days(1);
/** If the operator still calls an analysis pending after this time, the analysis ends as `cancelado`. */
export const PENDING_LIMIT: Milliseconds = days(30);
/** An engineer may end an analysis that is pending for longer than this if the operator cannot answer about it. */
export const CLOSE_LIMIT: Milliseconds = days(60);
/** Source: shared/contract/README.md#retention. */
export const FORM_KEPT: Milliseconds = days(180);
/** After this time, the run that claimed an analysis or acquired its lease no longer sends the analysis. */
export const SUBMIT_LEASE: Milliseconds = minutes(1);
/** Age up to which an analysis is still sent to its bank. Nobody expects a later credit query. */
export const SUBMIT_LIMIT: Milliseconds = hours(48);

/** `analyses` are all analyses of the submission. False if one of them is pending, or if there are none. */
export function isFormExpired(analyses: readonly Analysis[], now: Instant): boolean {
  if (analyses.length === 0) return false;
  return analyses.every(({ concludedAt }) => concludedAt !== undefined && now >= concludedAt + FORM_KEPT);
}

export interface Consent {
  readonly id: ConsentId;
  readonly leadId: LeadId;
  readonly givenAt: string;
  /** IP address of the person who consented, not of the partner. */
  readonly ip: string;
  readonly channel: string;
  readonly textVersion?: string | undefined;
  readonly analysisIds: readonly AnalysisId[];
  readonly banks: readonly Bank[];
  readonly keyId: KeyId;
}

export const earliestWithdrawal = (consentedAt: Instant): Instant => consentedAt - CLOCK_DIFFERENCE;

/**
 * Consent and withdrawal are dated by clocks that are not ours. So a consent counts only if it is later than the
 * withdrawal by more than CLOCK_DIFFERENCE.
 */
export const isWithdrawn = (consentedAt: Instant, withdrawnAt: Instant | undefined): boolean =>
  withdrawnAt !== undefined && withdrawnAt >= earliestWithdrawal(consentedAt);

export interface ConsentWithdrawal {
  readonly id: WithdrawalId;
  readonly leadId: LeadId;
  readonly withdrawnAt: string;
  readonly channel: string;
  /** Undefined if our privacy staff reported the withdrawal: the audit names the person. */
  readonly keyId?: KeyId | undefined;
}

/** A withdrawal that is dated after its receipt counts from the receipt. */
export const withdrawalMoment = ({ withdrawnAt }: Pick<ConsentWithdrawal, 'withdrawnAt'>, receivedAt: Instant) =>
  Math.min(Date.parse(withdrawnAt), receivedAt);

/** The second CLOCK_DIFFERENCE is for the time that a call takes after it has checked the consent's age. */
export const cutoffEnd = (cutoff: Instant, consentDays: number): Instant =>
  cutoff + 2 * CLOCK_DIFFERENCE + days(consentDays);

/** At least 5 years, leap days included. */
export const CONSENT_KEPT: Milliseconds = days(5 * 366);
