import type { Delivery } from '../webhooks/ports.ts';
import type { Analysis } from './analysis.ts';
import type { OperatorNews } from './poll-analysis.ts';
import type { Analyses, AnalysisChange } from './ports.ts';

/** What booking takes. */
export interface BookDeps {
  readonly analyses: Pick<Analyses, 'conclude' | 'note' | 'markUnanswerable'>;
  /** Tells the queue of deliveries that were just booked. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
}

/** Is told of a change that was booked, or ignored because another write had moved the analysis on. */
export type ConclusionObserver = (change: AnalysisChange, booked: boolean) => void;

/** What booking an answer came to; `overtaken` where another write had ended the analysis before. */
export type Booked = 'no_news' | 'note' | 'change' | 'overtaken';

/** Writes a change with its event, and tells the queue. False where another write came first. */
export async function conclude(
  change: AnalysisChange,
  { analyses, notify }: BookDeps,
  concluded: ConclusionObserver,
): Promise<boolean> {
  const booked = await analyses.conclude(change);
  concluded(change, booked);
  if (booked && change.delivery) await notify([change.delivery]);
  return booked;
}

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
