import type { Instant } from '../values/time.ts';
import { type Analysis, type AnalysisForm, CLOSE_LIMIT, PENDING_LIMIT, SUBMIT_LEASE } from './analysis.ts';
import { afterBankSubmission, ending, type ResubmitDeps, type SubmitDeps, submitIfAbsent } from './bank-submission.ts';
import type { AnalysisChange, NoUsableAnswer, OperatorStatus } from './ports.ts';
import { readStatus } from './statuses.ts';

export type PollResult =
  | { readonly kind: NoUsableAnswer }
  | { readonly kind: 'no_news'; readonly unknownStatus: boolean }
  | { readonly kind: 'note'; readonly queryNumber: string; readonly rawStatus: string; readonly unknownStatus: boolean }
  | { readonly kind: 'change'; readonly change: AnalysisChange };

interface Resubmit extends Pick<ResubmitDeps, 'analyses' | 'unsent'> {
  readonly form: () => Promise<AnalysisForm | undefined>;
}

interface PollAnalysisDeps extends SubmitDeps {
  /** Undefined for a caller that has not watched the analysis. Then nothing is sent. */
  readonly resubmit?: Resubmit;
}

const noNews: PollResult = { kind: 'no_news', unknownStatus: false };

export const isBeingSubmitted = ({ queryNumber, createdAt }: Analysis, now: Instant): boolean =>
  queryNumber === '' && now >= createdAt && now - createdAt < SUBMIT_LEASE;

export const isOverdue = ({ createdAt }: Analysis, now: Instant): boolean => now - createdAt > PENDING_LIMIT;

export const isClosable = ({ createdAt, unanswerableSince }: Analysis, now: Instant): boolean =>
  unanswerableSince !== undefined && now - createdAt > CLOSE_LIMIT;

export function givenUp(
  analysis: Analysis,
  { queryNumber, rawStatus }: Pick<Analysis, 'queryNumber' | 'rawStatus'>,
): AnalysisChange | undefined {
  return ending(analysis, { situation: 'cancelado', queryNumber, rawStatus });
}

/**
 * Returns the change that closes an analysis about which the operator gives no answer. Its write is refused if the
 * operator has answered meanwhile. Undefined if the analysis has ended.
 */
export function closing(analysis: Analysis): AnalysisChange | undefined {
  const change = givenUp(analysis, analysis);
  return change && { ...change, unanswerableSince: analysis.unanswerableSince };
}

export async function pollAnalysis(analysis: Analysis, deps: PollAnalysisDeps): Promise<PollResult> {
  const asked = deps.clock();
  if (isBeingSubmitted(analysis, asked)) return noNews;
  const { resubmit } = deps;
  const stale = resubmit?.unsent.staleLease(analysis);
  const status = await deps.operator.query(analysis, deps.signal);
  // An analysis with a query number is never sent again, even if the operator no longer knows it.
  if (status.kind === 'absent' && analysis.queryNumber === '') {
    if (!resubmit || stale === undefined) return noNews;
    return sendAbsent(analysis, { asked, stale }, resubmit, deps);
  }
  return afterStatus(analysis, status);
}

export function afterStatus(analysis: Analysis, status: OperatorStatus): PollResult {
  if (status.kind === 'absent') return { kind: 'unanswerable' };
  if (status.kind !== 'known') return status;
  const { queryNumber, rawStatus } = status;
  const { situation, known } = readStatus(rawStatus);
  if (situation !== analysis.situation) {
    const change = ending(analysis, { situation, queryNumber, rawStatus });
    return change ? { kind: 'change', change } : noNews;
  }
  if (queryNumber === analysis.queryNumber && rawStatus === analysis.rawStatus)
    return { kind: 'no_news', unknownStatus: !known };
  return { kind: 'note', queryNumber, rawStatus, unknownStatus: !known };
}

async function sendAbsent(
  analysis: Analysis,
  absent: Parameters<typeof submitIfAbsent>[2],
  { analyses, unsent, form: readForm }: Resubmit,
  deps: PollAnalysisDeps,
): Promise<PollResult> {
  const form = await readForm();
  // Without a form nothing can be sent, and the bank is not at fault. The first question after 30 days ends the
  // analysis.
  if (!form) return noNews;
  const { operator, clock, signal } = deps;
  const result = await submitIfAbsent(analysis, form, absent, { operator, clock, signal, analyses, unsent });
  if (!result) return noNews;
  if (result.kind === 'unknown') return { kind: result.fault ?? 'failed' };
  if (result.kind === 'accepted')
    return { kind: 'note', queryNumber: result.queryNumber, rawStatus: result.rawStatus, unknownStatus: false };
  return { kind: 'change', change: afterBankSubmission(analysis, result) };
}
