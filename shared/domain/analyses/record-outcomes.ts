/** The poller asks about every pending analysis, too, and so finds each outcome whose push was lost. */
import type { Bank } from '../values/bank.ts';
import type { AnalysisId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { type Analysis, isPending } from './analysis.ts';
import { unchanged } from './bank-submission.ts';
import { type BookDeps, bookAnswer, endedOtherwise } from './book-answer.ts';
import { afterStatus } from './poll-analysis.ts';
import type { AnswerObserver } from './poll-questions.ts';
import { readStatus } from './statuses.ts';

/** Bank and query number must be the same as in our row. */
export interface PushedOutcome extends Tenancy {
  readonly id: AnalysisId;
  readonly bank: Bank;
  readonly queryNumber: string;
  readonly rawStatus: string;
}

/** `not_submitted`: our row has no query number yet, so that no number can match. */
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

/** `known`: the outcome says nothing new. */
export type OutcomeRecord =
  | { readonly kind: 'recorded' | 'known' }
  | { readonly kind: 'refused'; readonly reason: OutcomeRefusal };

export interface NameRemover {
  withoutNames(analysis: Analysis, text: string): Promise<string>;
  numberWithoutNames(analysis: Analysis, queryNumber: string): Promise<string>;
}

/** Undefined for an outcome that cannot be read or has a reference of somebody else. */
export type OutcomeReader = (reported: readonly unknown[]) => (PushedOutcome | undefined)[];

export interface RecordDeps extends BookDeps {
  readonly observer: AnswerObserver;
  readonly names: NameRemover;
  readonly failed: (error: unknown) => void;
}

const AT_ONCE = 10;

const refused = (reason: OutcomeRefusal): OutcomeRecord => ({ kind: 'refused', reason });

/**
 * The outcomes of one analysis are recorded in their order. Never throws. An undefined entry is an unreadable outcome.
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
  // The stored number has no names of people, so names are also removed from the reported number.
  const queryNumber = hasNumber ? await deps.names.numberWithoutNames(analysis, outcome.queryNumber) : '';
  if (hasNumber && queryNumber !== analysis.queryNumber) return refused('other_number');
  // The stored text has no names either. An unusual letter of a name would also make the text look damaged.
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
  // The write can be refused for a pending analysis if the lead's list of analyses changed meanwhile: the operator must
  // report again.
  if (!current || isPending(current.situation)) return refused('unavailable');
  return current.situation === situation ? { kind: 'known' } : refused('final');
}
