import type { Analysis } from './analysis.ts';
import { type Booked, bookAnswer } from './book-answer.ts';
import { pollAnalysis, type ReadStatusDeps } from './poll-analysis.ts';
import type { Analyses, Delivery, OperatorApi } from './ports.ts';

interface PollNowDeps extends ReadStatusDeps {
  readonly operator: OperatorApi;
  readonly analyses: Analyses;
  /** Tells the queue of an event that was booked. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** What asking at once came to; `overtaken` where the poller was faster, `in_doubt` where a submission may have arrived. */
export type PollOutcome = Booked | 'unavailable' | 'in_doubt';

/** Asks the operator about a pending analysis as the poller does, and books what it says. */
export async function pollNow(analysis: Analysis, deps: PollNowDeps): Promise<PollOutcome> {
  const { analyses } = deps;
  const found = await pollAnalysis(analysis, { ...deps, form: () => analyses.form(analysis, analysis.submissionId) });
  if (found.kind === 'unavailable') return found.sent ? 'in_doubt' : 'unavailable';
  return bookAnswer(analysis, found, deps, () => {});
}
