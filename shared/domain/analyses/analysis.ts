import type { Bank } from '../values/bank.ts';
import { CLOCK_DIFFERENCE } from '../values/clock.ts';
import type { AnalysisId, ConsentId, KeyId, LeadId, PartnerId, SubmissionId, WithdrawalId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';

export const SITUATIONS = ['em_analise', 'aprovado', 'condicionado', 'recusado', 'cancelado', 'erro'] as const;
/** The situation of an analysis. The values are stable in v1, because clients branch on them. */
export type Situation = (typeof SITUATIONS)[number];

/** The legal moves. A final situation never changes in v1: if a bank says something else later, we log and count it. */
const TRANSITIONS: Readonly<Record<Situation, readonly Situation[]>> = {
  em_analise: ['aprovado', 'condicionado', 'recusado', 'cancelado', 'erro'],
  aprovado: [],
  condicionado: [],
  recusado: [],
  cancelado: [],
  erro: [],
};

/** Whether an analysis may move from one situation to another. */
export const canTransition = (from: Situation, to: Situation): boolean => TRANSITIONS[from].includes(to);

/** Whether an analysis in this situation may still change. */
export const isPending = (situation: Situation): boolean => TRANSITIONS[situation].length > 0;

/** One form at one bank. The form itself is stored separately, with the submission. */
export interface Analysis extends Tenancy {
  readonly id: AnalysisId;
  readonly partnerId: PartnerId;
  readonly leadId: LeadId;
  readonly bank: Bank;
  /** The submission that the analysis belongs to. The bank gets its form. */
  readonly submissionId: SubmissionId;
  readonly situation: Situation;
  /** The bank's query number. Empty until the operator confirms that it has the analysis. */
  readonly queryNumber: string;
  /** The bank's text about the analysis, as the operator gave it. */
  readonly rawStatus: string;
  /** Number of events that were written about this analysis. */
  readonly sequence: number;
  readonly createdAt: Instant;
  /** The outcome that a test CPF or the lead's note forces. Only in the sandbox. */
  readonly forced?: string | undefined;
  /** The request id of the call that submitted the analysis. Later log lines name it, so that they lead there. */
  readonly requestId?: string | undefined;
  /** When the analysis became final. Undefined while it is pending. */
  readonly concludedAt?: Instant | undefined;
  /** Since when the operator has given no usable answer about this analysis, although it answers about others. */
  readonly unanswerableSince?: Instant | undefined;
}

/** Raw text of an analysis until the bank has said something. */
export const FIRST_STATUS = 'EM PROCESSAMENTO';

/**
 * Returns a pending analysis with the bank's new situation, text and number. If the new situation is final, one more
 * event is counted. Undefined if the analysis has ended already.
 */
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

/** Whether a change ends a pending analysis. The write of such a change writes the event about it, too. */
export const isConclusion = ({ before, after }: { readonly before: Analysis; readonly after: Analysis }): boolean =>
  isPending(before.situation) && !isPending(after.situation);

/** The form that goes to a bank, encrypted as one value. Our API and the operator use the same field names. */
export type AnalysisForm = Readonly<Record<string, string | number | boolean>>;

/** Returns the spouse's fields of a form and the rest. The spouse is a person with LGPD rights of their own. */
export function splitForm(form: AnalysisForm): { readonly spouse: AnalysisForm; readonly rest: AnalysisForm } {
  const fields = Object.entries(form);
  const isSpouses = (field: string) => field.startsWith('conjuge_');
  return {
    spouse: Object.fromEntries(fields.filter(([field]) => isSpouses(field))),
    rest: Object.fromEntries(fields.filter(([field]) => !isSpouses(field))),
  };
}

/** If the operator still calls an analysis pending after this time, the analysis ends as `cancelado`. */
export const PENDING_LIMIT: Milliseconds = days(30);
/** An engineer may end an analysis that is pending for longer than this if the operator cannot answer about it. */
export const CLOSE_LIMIT: Milliseconds = days(60);
/** How long a form is kept after the last of its analyses has ended. Source: shared/contract/README.md#retention. */
export const FORM_KEPT: Milliseconds = days(180);
/** How long only the run that claimed an analysis, or acquired its lease, may send it. Longer than any such run. */
export const SUBMIT_LEASE: Milliseconds = minutes(1);
/** Age up to which an analysis is still sent to its bank. Nobody expects a later credit query. */
export const SUBMIT_LIMIT: Milliseconds = hours(48);

/**
 * Whether the form of a submission is no longer kept at `now`. `analyses` are all analyses of the submission. False if
 * one of them is pending, or if there are none.
 */
export function isFormExpired(analyses: readonly Analysis[], now: Instant): boolean {
  if (analyses.length === 0) return false;
  return analyses.every(({ concludedAt }) => concludedAt !== undefined && now >= concludedAt + FORM_KEPT);
}

/** The evidence that a person allowed a credit query. Written once and never changed. */
export interface Consent {
  readonly id: ConsentId;
  readonly leadId: LeadId;
  /** When the person consented, as the partner wrote it (date-time with offset). */
  readonly givenAt: string;
  /** IP address of the person who consented, not of the partner. */
  readonly ip: string;
  readonly channel: string;
  /** The partner's version name for the text that the person saw. */
  readonly textVersion?: string | undefined;
  readonly analysisIds: readonly AnalysisId[];
  readonly banks: readonly Bank[];
  readonly keyId: KeyId;
}

/** Returns from when on a withdrawal ends a consent of `consentedAt`, which may be dated ahead. */
export const earliestWithdrawal = (consentedAt: Instant): Instant => consentedAt - CLOCK_DIFFERENCE;

/**
 * Whether a withdrawal at `withdrawnAt` counts for a consent that was given at `consentedAt`. Two foreign clocks say
 * which came first. So only a consent that is later by more than their difference still counts. False if nothing was
 * withdrawn.
 */
export const isWithdrawn = (consentedAt: Instant, withdrawnAt: Instant | undefined): boolean =>
  withdrawnAt !== undefined && withdrawnAt >= earliestWithdrawal(consentedAt);

/** The evidence that a person withdrew the consent. Written once and never changed. */
export interface ConsentWithdrawal {
  readonly id: WithdrawalId;
  readonly leadId: LeadId;
  /** When the person withdrew the consent, as it was reported to us (date-time with offset). */
  readonly withdrawnAt: string;
  readonly channel: string;
  /** The key of the call that reported it. Undefined if our privacy staff did; then the audit says who. */
  readonly keyId?: KeyId | undefined;
}

/** Returns from when a withdrawal counts: from its moment, or from its receipt if it is dated ahead. */
export const withdrawalMoment = ({ withdrawnAt }: Pick<ConsentWithdrawal, 'withdrawnAt'>, receivedAt: Instant) =>
  Math.min(Date.parse(withdrawnAt), receivedAt);

/**
 * Returns until when the service must know that no consent up to `cutoff` counts: as long as such a consent is young
 * enough for a submission. The second difference is for the time that a call takes after it has checked the age.
 */
export const cutoffEnd = (cutoff: Instant, consentDays: number): Instant =>
  cutoff + 2 * CLOCK_DIFFERENCE + days(consentDays);

/** How long a consent and its withdrawal are kept: at least 5 years, leap days included. */
export const CONSENT_KEPT: Milliseconds = days(5 * 366);
