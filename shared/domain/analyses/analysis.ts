import type { Bank } from '../values/bank.ts';
import type { AnalysisId, ConsentId, KeyId, LeadId, PartnerId, SubmissionId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';

export const SITUATIONS = ['em_analise', 'aprovado', 'condicionado', 'recusado', 'cancelado', 'erro'] as const;
/** Stable in v1: clients branch on it. */
export type Situation = (typeof SITUATIONS)[number];

/** The legal moves. A final state is final in v1: what a bank says later is logged and counted. */
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

/** Pending means: still processing at the bank. */
export const isPending = (situation: Situation): boolean => TRANSITIONS[situation].length > 0;

/** Everything about one submission to one bank but the form. */
export interface Analysis extends Tenancy {
  readonly id: AnalysisId;
  readonly partnerId: PartnerId;
  readonly leadId: LeadId;
  readonly bank: Bank;
  /** The submission whose sealed form the bank gets. */
  readonly submissionId: SubmissionId;
  readonly situation: Situation;
  /** The bank's query number; empty until the operator has confirmed the bank submission. */
  readonly queryNumber: string;
  /** Raw text from the operator's system. */
  readonly rawStatus: string;
  /** Events booked so far. */
  readonly sequence: number;
  readonly createdAt: Instant;
  /** In the sandbox: the outcome that the test CPF forces. */
  readonly forced?: string | undefined;
  /** The id of the partner's call that submitted it, for logs: what is done about it later says whose it is. */
  readonly requestId?: string | undefined;
  /** When it became final. */
  readonly concludedAt?: Instant | undefined;
  /** Since when the operator has not been able to answer for it, while it answers for others. */
  readonly unanswerableSince?: Instant | undefined;
}

/** The text of an analysis of which the bank has said nothing yet. */
export const FIRST_STATUS = 'EM PROCESSAMENTO';

/**
 * A pending analysis as it becomes: what the bank says of it now, and one more event counted where that is final.
 * Undefined where the table of transitions has no such move.
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

/** The form that goes to a bank, by the operator's own field names, and what the wire calls them. Sealed as one blob. */
export type AnalysisForm = Readonly<Record<string, string | number | boolean>>;

/** A form's parts: what it says of the holder's spouse, who is a person with rights of their own, and the rest. */
export function splitForm(form: AnalysisForm): { readonly spouse: AnalysisForm; readonly rest: AnalysisForm } {
  const fields = Object.entries(form);
  const isSpouses = (field: string) => field.startsWith('conjuge_');
  return {
    spouse: Object.fromEntries(fields.filter(([field]) => isSpouses(field))),
    rest: Object.fromEntries(fields.filter(([field]) => !isSpouses(field))),
  };
}

/** An analysis that is pending for longer than this ends as `cancelado` if the operator still says that it is pending. */
export const PENDING_LIMIT: Milliseconds = days(30);
/** If an analysis is pending for longer than this and the operator says nothing of it, a person may end it. */
export const CLOSE_LIMIT: Milliseconds = days(60);
/** How long a form is kept once the last of its analyses is final. Source: shared/contract/README.md#retention. */
export const FORM_KEPT: Milliseconds = days(180);
/** For how long a bank submission in doubt is left to the request that made it: longer than any run. */
export const SUBMIT_LEASE: Milliseconds = minutes(1);
/** A bank submission in doubt is sent within this time from its creation: later nobody expects it any more. */
export const SUBMIT_LIMIT: Milliseconds = hours(48);

/** When an analysis ended; if that was not noted, the latest moment. Undefined while it is pending. */
export const analysisEnd = ({ situation, concludedAt, createdAt }: Analysis): Instant | undefined =>
  isPending(situation) ? undefined : (concludedAt ?? createdAt + CLOSE_LIMIT);

/** Whether the form of a submission, given all of its analyses, is no longer kept at `now`. */
export function isFormExpired(analyses: readonly Analysis[], now: Instant): boolean {
  if (analyses.length === 0) return false;
  return analyses.every(
    ({ situation, concludedAt }) =>
      !isPending(situation) && concludedAt !== undefined && now >= concludedAt + FORM_KEPT,
  );
}

/** The evidence that a person allowed a credit query; never changed once written. */
export interface Consent {
  readonly id: ConsentId;
  readonly leadId: LeadId;
  /** When the person consented, as the partner wrote it (date-time with offset). */
  readonly givenAt: string;
  /** The end customer's address, not the partner's. */
  readonly ip: string;
  readonly channel: string;
  /** What the partner calls the text that it showed. */
  readonly textVersion?: string | undefined;
  readonly analysisIds: readonly AnalysisId[];
  readonly banks: readonly Bank[];
  readonly keyId: KeyId;
}

/** How long the evidence is kept: 5 years. */
export const CONSENT_KEPT: Milliseconds = days(5 * 366);
