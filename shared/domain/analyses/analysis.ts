import type { Bank } from '../values/bank.ts';
import type { AnalysisId, ConsentId, KeyId, LeadId, PartnerId, SubmissionId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';

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
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** In the sandbox: the outcome that the test CPF forces. */
  readonly forced?: string | undefined;
  /** The id of the partner's call that submitted it, for logs: what is done about it later says whose it is. */
  readonly requestId?: string | undefined;
  /** When it became final, in milliseconds since 1970. */
  readonly concludedAt?: number | undefined;
  /** Since when the operator has not been able to answer for it, while it answers for others; milliseconds since 1970. */
  readonly unanswerableSince?: number | undefined;
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
  const [spouse, rest] = [true, false].map((ofSpouse) =>
    Object.fromEntries(Object.entries(form).filter(([field]) => field.startsWith('conjuge_') === ofSpouse)),
  );
  return { spouse: spouse!, rest: rest! };
}

/** Pending for longer than this ends as `cancelado` where the operator still says so: 30 days, in milliseconds. */
export const PENDING_LIMIT = 30 * 86_400_000;
/** Pending for longer than this, and the operator says nothing of it: a person may end it. 60 days, in milliseconds. */
export const CLOSE_LIMIT = 2 * PENDING_LIMIT;
/**
 * How long a form is kept once the last of its analyses is final: 180 days, in milliseconds. Source:
 * shared/contract/README.md#retention.
 */
export const FORM_KEPT = 180 * 86_400_000;
/** A bank submission in doubt is left to the request that made it for this long, in milliseconds: longer than any run. */
export const SUBMIT_LEASE = 60_000;
/** A bank submission in doubt is sent within 48 hours of its creation, in milliseconds: later nobody expects it any more. */
export const SUBMIT_LIMIT = 48 * 3_600_000;

/** When an analysis ended, in milliseconds since 1970; where that was not noted, the latest moment. Undefined while it is pending. */
export const analysisEnd = ({ situation, concludedAt, createdAt }: Analysis): number | undefined =>
  isPending(situation) ? undefined : (concludedAt ?? createdAt + CLOSE_LIMIT);

/** Whether the form of a submission, given all of its analyses, is kept no more at `now` (milliseconds). */
export function isFormExpired(analyses: readonly Analysis[], now: number): boolean {
  const ends = analyses.map(({ situation, concludedAt }) => (isPending(situation) ? undefined : concludedAt));
  if (ends.length === 0 || ends.includes(undefined)) return false;
  return now >= Math.max(...(ends as number[])) + FORM_KEPT;
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

/** How long the evidence is kept: 5 years, in milliseconds. */
export const CONSENT_KEPT = 5 * 366 * 86_400_000;
