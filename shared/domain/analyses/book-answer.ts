import type { DeliveryNotifier } from '../webhooks/ports.ts';
import { type Analysis, isPending, type Situation } from './analysis.ts';
import type { SubmitDeps } from './bank-submission.ts';
import { type OperatorNews, pollAnalysis } from './poll-analysis.ts';
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

/** Result of booking an answer. `overtaken`: another write came first, and nothing was written. */
export type Booked = 'no_news' | 'note' | 'change' | 'overtaken';

/**
 * Writes the end of an analysis and its event, and passes the event to the queue. False if another write came first.
 */
export async function conclude(change: AnalysisChange, { analyses, notifier, observer }: BookDeps): Promise<boolean> {
  const written = await analyses.conclude(change);
  if (written === 'moved_on') {
    const { before, after } = change;
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
 * without news only removes the mark of an unanswerable analysis.
 */
export async function bookAnswer(analysis: Analysis, news: OperatorNews, deps: BookDeps): Promise<Booked> {
  const { analyses } = deps;
  switch (news.kind) {
    case 'change':
      return (await conclude(news.change, deps)) ? 'change' : 'overtaken';
    case 'note':
      return (await analyses.note(analysis, news.queryNumber, news.rawStatus)) ? 'note' : 'overtaken';
    case 'no_news':
      if (analysis.unanswerableSince !== undefined) await analyses.markUnanswerable(analysis, undefined);
      return 'no_news';
  }
}

type PollNowDeps = SubmitDeps & BookDeps;

/** Result of `pollNow`. `overtaken`: another write, such as the poller's, came first. */
export type PollOutcome = Booked | 'unavailable';

/**
 * Asks the operator about a pending analysis as the poller does, and writes the answer. Sends nothing: only the poller
 * sends an analysis that never arrived.
 */
export async function pollNow(analysis: Analysis, deps: PollNowDeps): Promise<PollOutcome> {
  const found = await pollAnalysis(analysis, deps);
  if (found.kind === 'unavailable') return 'unavailable';
  return bookAnswer(analysis, found, deps);
}
