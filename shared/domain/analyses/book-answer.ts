import { type Analysis, isPending, type Situation } from './analysis.ts';
import type { SubmitDeps } from './bank-submission.ts';
import { type OperatorNews, pollAnalysis, type ReadStatusDeps } from './poll-analysis.ts';
import type { Analyses, AnalysisChange, Delivery } from './ports.ts';

/** What booking takes. */
export interface BookDeps {
  readonly analyses: Pick<Analyses, 'conclude' | 'note' | 'markUnanswerable' | 'get'>;
  /** Tells the queue of deliveries that were just booked. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
}

/** Is told of a change that was booked, or of an outcome that was not, since the analysis had ended otherwise. */
export type ConclusionObserver = (change: AnalysisChange, booked: boolean) => void;

/** What booking an answer came to; `overtaken` where another write had ended the analysis before. */
export type Booked = 'no_news' | 'note' | 'change' | 'overtaken';

/** Writes a change with its event, and tells the queue. False where another write came first. */
export async function conclude(
  change: AnalysisChange,
  { analyses, notify }: BookDeps,
  concluded: ConclusionObserver,
): Promise<boolean> {
  if (!(await analyses.conclude(change))) {
    const { before, after } = change;
    const now = await analyses.get(before, before.id);
    if (now && endedOtherwise(now, after.situation)) concluded(change, false);
    return false;
  }
  concluded(change, true);
  if (change.delivery) await notify([change.delivery]);
  return true;
}

/** Whether an analysis has ended otherwise than a word on it says: its bank has changed its mind, which people must see. */
export const endedOtherwise = ({ situation }: Analysis, said: Situation): boolean =>
  !isPending(situation) && !isPending(said) && said !== situation;

/** Books what the operator said of a pending analysis, whether it was asked or said so by itself. */
export async function bookAnswer(
  analysis: Analysis,
  news: OperatorNews,
  deps: BookDeps,
  concluded: ConclusionObserver,
): Promise<Booked> {
  const { analyses } = deps;
  switch (news.kind) {
    case 'change':
      return (await conclude(news.change, deps, concluded)) ? 'change' : 'overtaken';
    case 'note':
      return (await analyses.note(analysis, news.queryNumber, news.rawStatus)) ? 'note' : 'overtaken';
    case 'no_news':
      if (analysis.unanswerableSince !== undefined) await analyses.markUnanswerable(analysis, undefined);
      return 'no_news';
  }
}

interface PollNowDeps extends ReadStatusDeps, SubmitDeps, BookDeps {
  readonly concluded: ConclusionObserver;
}

/** What asking at once came to; `overtaken` where the poller was faster. */
export type PollOutcome = Booked | 'unavailable';

/** Asks the operator about a pending analysis as the poller does, and books what it says. What never arrived the poller alone sends. */
export async function pollNow(analysis: Analysis, deps: PollNowDeps): Promise<PollOutcome> {
  const found = await pollAnalysis(analysis, deps);
  if (found.kind === 'unavailable') return 'unavailable';
  return bookAnswer(analysis, found, deps, deps.concluded);
}
