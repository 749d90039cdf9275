import type { Clock } from '../values/clock.ts';
import type { Instant } from '../values/time.ts';
import {
  type Analysis,
  type AnalysisForm,
  CLOSE_LIMIT,
  PENDING_LIMIT,
  type Situation,
  SUBMIT_LEASE,
  transition,
} from './analysis.ts';
import {
  afterBankSubmission,
  type EventMaker,
  type ResubmitDeps,
  type SubmitDeps,
  submitIfAbsent,
} from './bank-submission.ts';
import type { AnalysisChange, FaultSource, OperatorStatus } from './ports.ts';

/** What a raw text means; `known` is false where no rule reads it. */
export type StatusReader = (raw: string) => { readonly situation: Situation; readonly known: boolean };

/** What the operator's word on an analysis means for it. */
export type OperatorNews =
  /** Nothing new: nothing is written. */
  | { readonly kind: 'no_news'; readonly unknownStatus: boolean }
  /** Still pending, but its number or its text has changed. */
  | { readonly kind: 'note'; readonly queryNumber: string; readonly rawStatus: string; readonly unknownStatus: boolean }
  | { readonly kind: 'change'; readonly change: AnalysisChange };

/** What a poll of one analysis came to. */
export type PollResult =
  | OperatorNews
  /** The operator gave no usable answer this time. */
  | { readonly kind: 'unavailable'; readonly fault: FaultSource };

/** What reading a status takes. */
export interface ReadStatusDeps {
  readonly read: StatusReader;
  readonly event: EventMaker;
  readonly clock: Clock;
}

/** What sending takes. */
interface Resubmit extends Pick<ResubmitDeps, 'analyses' | 'unsent'> {
  readonly form: () => Promise<AnalysisForm | undefined>;
}

interface PollAnalysisDeps extends SubmitDeps, ReadStatusDeps {
  /** A caller that has not watched the analysis leaves it out, and sends nothing. */
  readonly resubmit?: Resubmit;
}

const noNews: OperatorNews = { kind: 'no_news', unknownStatus: false };

/** Whether the request that submitted an analysis is likely to be submitting it still, so that a question would be in vain. */
export const isBeingSubmitted = ({ queryNumber, createdAt }: Analysis, now: Instant): boolean =>
  queryNumber === '' && now >= createdAt && now - createdAt < SUBMIT_LEASE;

/** Whether an analysis has been pending for so long that the operator's next answer to a question about it alone ends it. */
export const isOverdue = ({ createdAt }: Analysis, now: Instant): boolean => now - createdAt > PENDING_LIMIT;

/**
 * Whether a person may end a pending analysis: the operator has no answer to the questions about it alone, and after 60
 * days nobody need wait for one any more.
 */
export const isClosable = ({ createdAt, unanswerableSince }: Analysis, now: Instant): boolean =>
  unanswerableSince !== undefined && now - createdAt > CLOSE_LIMIT;

/** A pending analysis given up as it becomes, with what was said of it last; undefined where it has ended. */
export function givenUp(
  analysis: Analysis,
  { queryNumber, rawStatus }: Pick<Analysis, 'queryNumber' | 'rawStatus'>,
  event: EventMaker,
  now: Instant,
): AnalysisChange | undefined {
  const after = transition(analysis, { situation: 'cancelado', queryNumber, rawStatus });
  return after && { before: analysis, after, delivery: event(after, now) };
}

/** Asks the operator about a pending analysis. One that it has never received is submitted once it was seen unsent for a minute: the request that should have done so was cut off. */
export async function pollAnalysis(analysis: Analysis, deps: PollAnalysisDeps): Promise<PollResult> {
  const asked = deps.clock();
  if (isBeingSubmitted(analysis, asked)) return noNews;
  const { resubmit } = deps;
  const stale = resubmit?.unsent.staleLease(analysis, asked);
  const status = await deps.operator.query(analysis, deps.signal);
  // What the bank has confirmed before is never sent again: that the operator knows its number no more is its fault.
  if (status.kind === 'absent' && analysis.queryNumber === '') {
    if (!resubmit || stale === undefined) return noNews;
    return sendAbsent(analysis, { asked, stale }, resubmit, deps);
  }
  return afterStatus(analysis, status, deps);
}

/** What the operator's answer about an analysis that its bank has confirmed means for it. */
export function afterStatus(analysis: Analysis, status: OperatorStatus, deps: ReadStatusDeps): PollResult {
  if (status.kind === 'unavailable') return { kind: 'unavailable', fault: status.fault };
  if (status.kind === 'absent') return { kind: 'unavailable', fault: 'analysis' };
  return readNews(analysis, status, deps);
}

/** What a number and a raw text of the operator mean for an analysis. */
export function readNews(
  analysis: Analysis,
  { queryNumber, rawStatus }: { readonly queryNumber: string; readonly rawStatus: string },
  { read, event, clock }: ReadStatusDeps,
): OperatorNews {
  const { situation, known } = read(rawStatus);
  if (situation !== analysis.situation) return changed(analysis, { situation, queryNumber, rawStatus }, event, clock());
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
  // Nothing is left to send: the bank is not to blame, and the first question after 30 days ends the analysis.
  if (!form) return noNews;
  const { operator, clock, signal } = deps;
  const result = await submitIfAbsent(analysis, form, absent, { operator, clock, signal, analyses, unsent });
  if (!result) return noNews;
  if (result.kind === 'unknown') return { kind: 'unavailable', fault: result.fault ?? 'bank' };
  if (result.kind === 'accepted')
    return { kind: 'note', queryNumber: result.queryNumber, rawStatus: result.rawStatus, unknownStatus: false };
  return { kind: 'change', change: afterBankSubmission(analysis, result, deps.event, deps.clock()) };
}

function changed(
  analysis: Analysis,
  to: { situation: Situation; queryNumber: string; rawStatus: string },
  event: EventMaker,
  now: Instant,
): OperatorNews {
  const after = transition(analysis, to);
  return after ? { kind: 'change', change: { before: analysis, after, delivery: event(after, now) } } : noNews;
}
