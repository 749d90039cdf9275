import type { Analysis } from './analysis.ts';
import type { Span } from './poll-cursor.ts';
import type { Analyses, QuestionEnd } from './ports.ts';

const BATCH_SIZE = 100;
const AT_ONCE = 10;
/** Failures in a row after which the lane waits for its running calls and makes the next call alone. */
const FAILURES = 5;

export interface Due {
  readonly analysis: Analysis;
  readonly span: Span;
}

/** If one of these calls throws, the fault is ours and not the bank's. So the lane continues. */
export interface LaneCalls {
  isBatchable(due: Due): boolean;
  ask(due: Due): Promise<QuestionEnd>;
  askBatch(
    batch: readonly Due[],
    fail: (error: unknown) => void,
  ): Promise<{ readonly end: QuestionEnd; readonly again: readonly Due[] }>;
}

export interface LaneEnd {
  readonly rest: readonly Span[];
  readonly isStopped: boolean;
  readonly skipped: number;
  readonly error: unknown;
}

/** The lane starts no call when `inTime` is false, and waits for the calls that run. Never throws. */
export async function runLane(
  plan: readonly Span[],
  calls: LaneCalls,
  analyses: Pick<Analyses, 'pending'>,
  isWanted: (due: Due) => boolean,
  inTime: () => boolean,
): Promise<LaneEnd> {
  let unread = plan;
  let waiting: readonly Due[] = [];
  let isStopped = false;
  let failures = 0;
  let error: unknown;

  function fail(thrown: unknown): void {
    error ??= thrown ?? new Error('something undefined was thrown');
  }

  function count(end: QuestionEnd): void {
    if (end === 'failed') failures += 1;
    else if (end === 'answered') failures = 0;
  }

  async function* readPages() {
    for (const [index, span] of plan.entries()) {
      let after: string | undefined;
      let isRead = span.from >= span.to;
      while (!isRead) {
        const { items, next } = await analyses.pending(span.partition, span, after);
        const last = items.at(-1);
        // The next page may begin in the millisecond in which this page ends.
        if (next !== undefined && last) unread = [{ ...span, from: last.createdAt }, ...plan.slice(index + 1)];
        if (next === undefined) unread = plan.slice(index + 1);
        yield items.map((analysis) => ({ analysis, span })).filter(isWanted);
        after = next;
        isRead = next === undefined;
      }
    }
  }
  const pages = readPages();
  async function readPage(): Promise<readonly Due[] | undefined> {
    try {
      const { done, value } = await pages.next();
      return done ? undefined : value;
    } catch (thrown) {
      fail(thrown);
      return undefined;
    }
  }

  async function askTogether(turn: readonly Due[]): Promise<readonly Due[]> {
    const batch = turn.filter(calls.isBatchable);
    if (batch.length < 2) return turn;
    const { end, again } = await calls.askBatch(batch, fail).catch((thrown: unknown) => {
      fail(thrown);
      return { end: 'unanswerable' as const, again: batch };
    });
    count(end);
    return turn.filter((due) => again.includes(due) || !batch.includes(due));
  }

  async function askEach(turn: readonly Due[], most: number): Promise<readonly Due[]> {
    let next = 0;
    let isOver = false;
    const work = async () => {
      for (let due = turn[next]; due && inTime() && !isOver; due = turn[next]) {
        next += 1;
        await calls.ask(due).then(count, fail);
        isOver ||= failures >= most;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return turn.slice(next);
  }

  while (!isStopped) {
    while (waiting.length < BATCH_SIZE && inTime()) {
      const page = await readPage();
      if (!page) break;
      waiting = waiting.concat(page);
    }
    if (waiting.length === 0 || !inTime()) break;
    const isTrial = failures >= FAILURES;
    const most = isTrial ? failures + 1 : FAILURES;
    const size = isTrial ? 1 : BATCH_SIZE;
    const turn = waiting.slice(0, size);
    const unasked = await askEach(isTrial ? turn : await askTogether(turn), most);
    waiting = unasked.concat(waiting.slice(size));
    isStopped = isTrial && failures === most;
  }

  const [first] = waiting;
  const rest = first
    ? [{ ...first.span, from: first.analysis.createdAt }, ...plan.slice(plan.indexOf(first.span) + 1)]
    : unread;
  let skipped = isStopped ? waiting.length : 0;
  while (isStopped && inTime()) {
    const page = await readPage();
    if (!page) break;
    skipped += page.length;
  }
  return { rest: rest.some(({ from, to }) => from < to) ? rest : [], isStopped, skipped, error };
}
