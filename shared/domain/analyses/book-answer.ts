import type { DeliveryNotifier } from '../webhooks/ports.ts';
import { type Analysis, isPending, type Situation } from './analysis.ts';
import type { SubmitDeps } from './bank-submission.ts';
import { type PollResult, pollAnalysis } from './poll-analysis.ts';
import type { Analyses, AnalysisChange } from './ports.ts';

/** Dependencies of `bookAnswer`. */
export interface BookDeps {
  readonly analyses: Pick<Analyses, 'conclude' | 'note' | 'markUnanswerable' | 'get'>;
  readonly notifier: DeliveryNotifier;
  readonly observer: ConclusionObserver;
}

/** Called when analyses end, for logs and metrics. */
export interface ConclusionObserver {
  /**
   * Called with each change that ended an analysis (`booked` is true), and with each outcome that was not written
   * because the analysis had ended with another outcome (`booked` is false).
   */
  concluded(change: AnalysisChange, booked: boolean): void;
}

/**
 * Writes the end of an analysis and its event, and passes the event to the queue. False if another write came first.
 */
export async function conclude(change: AnalysisChange, { analyses, notifier, observer }: BookDeps): Promise<boolean> {
  const written = await analyses.conclude(change);
  if (written === 'moved_on') {
    const { before, after } = change;
    // The poller may have been faster, with another outcome.
    const now = await analyses.get(before, before.id);
    if (now && endedOtherwise(now, after.situation)) observer.concluded(change, false);
    return false;
  }
  observer.concluded(change, true);
  await notifier.booked(written.events);
  return true;
}

/**
 * Whether an analysis has ended, and the bank now says another final situation. The service keeps the first one, and an
 * engineer must see that the bank changed its mind.
 */
export const endedOtherwise = ({ situation }: Analysis, reported: Situation): boolean =>
  !isPending(situation) && !isPending(reported) && reported !== situation;

/**
 * Writes what the operator said about a pending analysis: in an answer to us, or in a report of its own. An answer
 * without news only removes the mark of an unanswerable analysis. Without a usable answer nothing is written. Returns
 * false if another write came first.
 */
export async function bookAnswer(analysis: Analysis, found: PollResult, deps: BookDeps): Promise<boolean> {
  const { analyses } = deps;
  if (found.kind === 'change') return conclude(found.change, deps);
  if (found.kind === 'note') return analyses.note(analysis, found.queryNumber, found.rawStatus);
  const answersAgain = found.kind === 'no_news' && analysis.unanswerableSince !== undefined;
  if (answersAgain) await analyses.markUnanswerable(analysis, undefined);
  return true;
}

type PollNowDeps = SubmitDeps & BookDeps;

/**
 * Asks the operator about a pending analysis as the poller does, and writes the answer. Sends nothing: only the poller
 * sends an analysis that never arrived. Returns `overtaken` if another write, such as the poller's, came first.
 */
export async function pollNow(analysis: Analysis, deps: PollNowDeps): Promise<PollResult['kind'] | 'overtaken'> {
  const found = await pollAnalysis(analysis, deps);
  return (await bookAnswer(analysis, found, deps)) ? found.kind : 'overtaken';
}
