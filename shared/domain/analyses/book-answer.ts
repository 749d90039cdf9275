import type { DeliveryNotifier } from '../webhooks/ports.ts';
import { type Analysis, isPending, type Situation } from './analysis.ts';
import type { SubmitDeps } from './bank-submission.ts';
import { type PollResult, pollAnalysis } from './poll-analysis.ts';
import type { Analyses, AnalysisChange } from './ports.ts';

export interface BookDeps {
  readonly analyses: Pick<Analyses, 'conclude' | 'note' | 'markUnanswerable' | 'get'>;
  readonly notifier: DeliveryNotifier;
  readonly observer: ConclusionObserver;
}

export interface ConclusionObserver {
  /** `booked` is false if the outcome was not written because the analysis had ended with another outcome. */
  concluded(change: AnalysisChange, booked: boolean): void;
}

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

/** The service keeps the first outcome, and an engineer must see that the bank reported another. */
export const endedOtherwise = ({ situation }: Analysis, reported: Situation): boolean =>
  !isPending(situation) && !isPending(reported) && reported !== situation;

/** An answer without news only removes the mark as unanswerable. False if another write came first. */
export async function bookAnswer(analysis: Analysis, found: PollResult, deps: BookDeps): Promise<boolean> {
  const { analyses } = deps;
  if (found.kind === 'change') return conclude(found.change, deps);
  if (found.kind === 'note') return analyses.note(analysis, found.queryNumber, found.rawStatus);
  const answersAgain = found.kind === 'no_news' && analysis.unanswerableSince !== undefined;
  if (answersAgain) await analyses.markUnanswerable(analysis, undefined);
  return true;
}

type PollNowDeps = SubmitDeps & BookDeps;

/** Sends nothing. `overtaken`: another write, such as the poller's, came first. */
export async function pollNow(analysis: Analysis, deps: PollNowDeps): Promise<PollResult['kind'] | 'overtaken'> {
  const found = await pollAnalysis(analysis, deps);
  return (await bookAnswer(analysis, found, deps)) ? found.kind : 'overtaken';
}
