import type { Analysis } from './analysis.ts';
import { pollAnalysis, type ReadStatusDeps } from './poll-analysis.ts';
import type { Analyses, Delivery, OperatorApi } from './ports.ts';

interface PollNowDeps extends ReadStatusDeps {
  readonly operator: OperatorApi;
  readonly analyses: Analyses;
  /** Tells the queue of an event that was booked. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** What asking at once came to; `overtaken` where the poller was faster. */
export type PollOutcome = 'no_news' | 'note' | 'change' | 'overtaken' | 'unavailable';

/** Asks the operator about a pending analysis as the poller does, and books what it says. */
export async function pollNow(analysis: Analysis, deps: PollNowDeps): Promise<PollOutcome> {
  const { analyses, notify } = deps;
  const found = await pollAnalysis(analysis, { ...deps, form: () => analyses.form(analysis, analysis.submissionId) });
  switch (found.kind) {
    case 'unavailable':
      return 'unavailable';
    case 'note':
      await analyses.note(analysis, found.queryNumber, found.rawStatus);
      return 'note';
    case 'no_news':
      if (analysis.unanswerableSince !== undefined) await analyses.markUnanswerable(analysis, undefined);
      return 'no_news';
    case 'change':
      if (!(await analyses.conclude(found.change))) return 'overtaken';
      if (found.change.delivery) await notify([found.change.delivery]);
      return 'change';
  }
}
