import type { Analysis } from './analysis.ts';
import { type Booked, bookAnswer, type ConclusionObserver } from './book-answer.ts';
import { pollAnalysis, type ReadStatusDeps } from './poll-analysis.ts';
import type { Analyses, Delivery, OperatorApi } from './ports.ts';

interface PollNowDeps extends ReadStatusDeps {
  readonly operator: OperatorApi;
  readonly analyses: Analyses;
  /** Tells the queue of an event that was booked. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
  readonly concluded: ConclusionObserver;
  readonly signal: AbortSignal;
}

/** What asking at once came to; `overtaken` where the poller was faster. */
export type PollOutcome = Booked | 'unavailable';

/** Asks the operator about a pending analysis as the poller does, and books what it says. What never arrived the poller alone sends. */
export async function pollNow(analysis: Analysis, deps: PollNowDeps): Promise<PollOutcome> {
  const found = await pollAnalysis(analysis, deps);
  if (found.kind === 'unavailable') return 'unavailable';
  return bookAnswer(analysis, found, deps, deps.concluded);
}
