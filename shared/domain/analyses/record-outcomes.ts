/**
 * The operator may say by itself what became of analyses, so that partners hear of an outcome in a second instead of a
 * minute. Its word is read and booked by the code that reads and books a poll's answer; the poller stays the truth and
 * finds what a push has lost.
 */
import type { Bank } from '../values/bank.ts';
import type { AnalysisId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { type Analysis, isPending } from './analysis.ts';
import { unchanged } from './bank-submission.ts';
import { type BookDeps, bookAnswer, endedOtherwise } from './book-answer.ts';
import { type ReadStatusDeps, readNews } from './poll-analysis.ts';
import type { PollObserver } from './poll-questions.ts';

/** What the operator says of one analysis: all of it must fit what is known here. */
export interface PushedOutcome extends Tenancy {
  readonly id: AnalysisId;
  readonly bank: Bank;
  readonly queryNumber: string;
  readonly rawStatus: string;
}

/**
 * Why a told outcome is not recorded. `unknown`: there is no such analysis. `not_submitted`: its submission is not
 * confirmed here, so that no number can match. `final`: it has ended otherwise, and that stays. `unavailable`: our fault,
 * to be said again.
 */
export const OUTCOME_REFUSALS = [
  'unreadable',
  'unknown',
  'not_submitted',
  'other_bank',
  'other_number',
  'final',
  'unavailable',
] as const;
export type OutcomeRefusal = (typeof OUTCOME_REFUSALS)[number];

/** What became of one told outcome. `known`: it, or another text of the same meaning, was recorded before. */
export type OutcomeRecord =
  | { readonly kind: 'recorded' | 'known' }
  | { readonly kind: 'refused'; readonly reason: OutcomeRefusal };

export interface RecordDeps extends ReadStatusDeps, BookDeps {
  readonly observer: Pick<PollObserver, 'asked' | 'concluded'>;
  /** A bank's text without the people of the analysis. */
  readonly withoutNames: (analysis: Analysis, text: string) => Promise<string>;
  /** Is told of an error that kept an outcome from being recorded. */
  readonly failed: (error: unknown) => void;
}

/** Analyses of one call that are worked on at once. */
const AT_ONCE = 10;

const refused = (reason: OutcomeRefusal): OutcomeRecord => ({ kind: 'refused', reason });

/**
 * Records what the operator told, one answer each in its order; undefined stands for what could not be read. What is told
 * of one analysis several times is taken in its order. Never throws: what cannot be recorded keeps nothing else from it.
 */
export async function recordOutcomes(
  told: readonly (PushedOutcome | undefined)[],
  deps: RecordDeps,
): Promise<OutcomeRecord[]> {
  const records = told.map(() => refused('unreadable'));
  const byAnalysis = Map.groupBy(
    told.flatMap((outcome, index) => (outcome ? [{ index, outcome }] : [])),
    ({ outcome: { environment, unitId, id } }) => `${environment} ${unitId} ${id}`,
  );
  const left = byAnalysis.values();
  const work = async () => {
    for (const ofOne of left) {
      for (const { index, outcome } of ofOne) records[index] = await recordOutcome(outcome, deps);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return records;
}

async function recordOutcome(told: PushedOutcome, deps: RecordDeps): Promise<OutcomeRecord> {
  // The sandbox answers for its analyses itself: the operator has never heard of them.
  if (told.environment === 'sandbox') return refused('unknown');
  try {
    const analysis = await deps.analyses.get(told, told.id);
    return analysis ? await recordOn(analysis, told, deps) : refused('unknown');
  } catch (error) {
    deps.failed(error);
    return refused('unavailable');
  }
}

async function recordOn(analysis: Analysis, told: PushedOutcome, deps: RecordDeps): Promise<OutcomeRecord> {
  const { analyses, observer, read } = deps;
  if (told.bank !== analysis.bank) return refused('other_bank');
  const numbered = analysis.queryNumber !== '';
  if (!numbered && isPending(analysis.situation)) return refused('not_submitted');
  if (numbered && told.queryNumber !== analysis.queryNumber) return refused('other_number');
  const { situation } = read(told.rawStatus);
  if (!isPending(analysis.situation)) {
    if (endedOtherwise(analysis, situation)) observer.concluded(unchanged(analysis), false);
    // Without a number here nothing of the bank's was recorded, whatever it says.
    return numbered && situation === analysis.situation ? { kind: 'known' } : refused('final');
  }
  const news = readNews(analysis, { ...told, rawStatus: await deps.withoutNames(analysis, told.rawStatus) }, deps);
  observer.asked(analysis, news);
  const booked = await bookAnswer(analysis, news, deps, observer.concluded);
  if (booked !== 'overtaken') return { kind: booked === 'no_news' ? 'known' : 'recorded' };
  const now = await analyses.get(analysis, analysis.id);
  // A write that was refused though the analysis is pending met another on its lead's list: nothing is decided yet.
  if (!now || isPending(now.situation)) return refused('unavailable');
  return now.situation === situation ? { kind: 'known' } : refused('final');
}
