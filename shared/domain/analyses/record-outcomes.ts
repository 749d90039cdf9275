/**
 * Outcomes that the operator reports by itself (a push), so that partners hear about them in a second instead of a
 * minute. The code that reads and books the poller's answers reads and books these, too. The poller still asks about
 * every pending analysis, and so finds each outcome whose push was lost.
 */
import type { Bank } from '../values/bank.ts';
import type { AnalysisId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { type Analysis, isPending } from './analysis.ts';
import { unchanged } from './bank-submission.ts';
import { type BookDeps, bookAnswer, endedOtherwise } from './book-answer.ts';
import { afterStatus } from './poll-analysis.ts';
import type { AnswerObserver } from './poll-questions.ts';
import { readStatus } from './statuses.ts';

/** What the operator reports about one analysis. Bank and query number must be the same as in our row. */
export interface PushedOutcome extends Tenancy {
  readonly id: AnalysisId;
  readonly bank: Bank;
  readonly queryNumber: string;
  readonly rawStatus: string;
}

/**
 * Why a reported outcome is not recorded.
 * - `unknown`: there is no such analysis.
 * - `not_submitted`: our row has no query number yet, so that no number can match.
 * - `final`: the analysis has ended with another situation, which never changes.
 * - `unavailable`: the fault is ours, and the operator should report the outcome again.
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

/** Result for one reported outcome. `known`: it says nothing new. */
export type OutcomeRecord =
  | { readonly kind: 'recorded' | 'known' }
  | { readonly kind: 'refused'; readonly reason: OutcomeRefusal };

/** Takes the people of an analysis out of what its bank says. */
export interface NameRemover {
  /** Returns the text without the names and numbers of the analysis's people. */
  withoutNames(analysis: Analysis, text: string): Promise<string>;
  /** Returns the query number without the names and numbers of the analysis's people. */
  numberWithoutNames(analysis: Analysis, queryNumber: string): Promise<string>;
}

/**
 * Reads what the operator reports by itself: the outcomes in their order, undefined for each that cannot be read or whose
 * reference is none of ours.
 */
export type OutcomeReader = (reported: readonly unknown[]) => (PushedOutcome | undefined)[];

export interface RecordDeps extends BookDeps {
  readonly observer: AnswerObserver;
  readonly names: NameRemover;
  /** Called with each error that kept an outcome from being recorded. */
  readonly failed: (error: unknown) => void;
}

/** Analyses of one call that are handled in parallel. */
const AT_ONCE = 10;

const refused = (reason: OutcomeRefusal): OutcomeRecord => ({ kind: 'refused', reason });

/**
 * Records outcomes that the operator reported, and returns a result for each, in their order. An undefined entry could
 * not be read. Several outcomes of one analysis are recorded one after the other, in their order. Never throws: an
 * outcome that cannot be recorded does not stop the others.
 */
export async function recordOutcomes(
  outcomes: readonly (PushedOutcome | undefined)[],
  deps: RecordDeps,
): Promise<OutcomeRecord[]> {
  const records = outcomes.map(() => refused('unreadable'));
  const byAnalysis = Map.groupBy(
    outcomes.flatMap((outcome, index) => (outcome ? [{ index, outcome }] : [])),
    ({ outcome: { environment, unitId, id } }) => `${environment} ${unitId} ${id}`,
  );
  const remaining = byAnalysis.values();
  const work = async () => {
    for (const ofAnalysis of remaining) {
      for (const { index, outcome } of ofAnalysis) records[index] = await recordOutcome(outcome, deps);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return records;
}

async function recordOutcome(outcome: PushedOutcome, deps: RecordDeps): Promise<OutcomeRecord> {
  // The operator never gets an analysis of the sandbox.
  if (outcome.environment === 'sandbox') return refused('unknown');
  try {
    const analysis = await deps.analyses.get(outcome, outcome.id);
    return analysis ? await recordOn(analysis, outcome, deps) : refused('unknown');
  } catch (error) {
    deps.failed(error);
    return refused('unavailable');
  }
}

async function recordOn(analysis: Analysis, outcome: PushedOutcome, deps: RecordDeps): Promise<OutcomeRecord> {
  const { analyses, observer } = deps;
  if (outcome.bank !== analysis.bank) return refused('other_bank');
  const hasNumber = analysis.queryNumber !== '';
  if (!hasNumber && isPending(analysis.situation)) return refused('not_submitted');
  // The stored number has no people, so the reported number is compared without people, too.
  const queryNumber = hasNumber ? await deps.names.numberWithoutNames(analysis, outcome.queryNumber) : '';
  if (hasNumber && queryNumber !== analysis.queryNumber) return refused('other_number');
  // A poll reads the text without people, too. A name may have a letter that no text of a bank has.
  const rawStatus = await deps.names.withoutNames(analysis, outcome.rawStatus);
  const { situation } = readStatus(rawStatus);
  if (!isPending(analysis.situation)) {
    if (endedOtherwise(analysis, situation)) observer.concluded(unchanged(analysis), false);
    // A row without a number stores nothing that the bank decided, even if the situations are equal.
    return hasNumber && situation === analysis.situation ? { kind: 'known' } : refused('final');
  }
  const found = afterStatus(analysis, { kind: 'known', queryNumber, rawStatus });
  observer.asked(analysis, found);
  if (await bookAnswer(analysis, found, deps)) return { kind: found.kind === 'no_news' ? 'known' : 'recorded' };
  const current = await analyses.get(analysis, analysis.id);
  // A write can be refused although the analysis is pending, if it met another write of the lead's list. The operator
  // should report the outcome again.
  if (!current || isPending(current.situation)) return refused('unavailable');
  return current.situation === situation ? { kind: 'known' } : refused('final');
}
