/**
 * A lane asks about the due analyses of one bank in one environment, with a limit on parallel calls. Lanes run in
 * parallel and share nothing, so a slow bank takes neither time nor calls from another bank.
 *
 * A lane asks in the order in which it reads. If the operator answers batches, a call asks about up to 100 analyses,
 * and two such calls run in parallel. An analysis that cannot be in a batch is asked about right after the batch. If
 * the operator has no batches, ten calls about one analysis each run in parallel.
 *
 * The first batch is the probe: its answer shows whether batches work. It starts when no other call is running, and no
 * second batch starts before its end. If it fails, the lane asks about each analysis in a call of its own for the rest
 * of the run. So a bank that never answers is noticed within half a run.
 *
 * The lane reads only as many analyses as it can ask about next, so its memory does not grow with the number that is
 * due. It starts no call from `lastStart` on, and waits for the calls that run. The next run continues at the first
 * analysis that was not asked about.
 */
import type { Clock } from '../values/clock.ts';
import type { Instant } from '../values/time.ts';
import { type CallEnd, circuitBreaker } from './circuit-breaker.ts';
import type { DueAnalysis, DueReader } from './due-reader.ts';
import type { Span } from './poll-cursor.ts';

/** Limit of the weights of parallel calls: a call about one analysis weighs 1, a batch 5. */
const AT_ONCE = 10;
const BATCH_WEIGHT = 5;
/** Most analyses that one call to the operator asks about. */
const BATCH_SIZE = 100;

/**
 * The calls that a lane makes. An error that they throw is our fault and not the bank's: the lane continues, and
 * reports the first error.
 */
export interface LaneWork {
  /** Asks about one analysis. */
  ask(due: DueAnalysis): Promise<CallEnd>;
  /** Asks about several analyses in one call. Undefined if the operator answers only about one at a time. */
  readonly askBatch: ((batch: readonly DueAnalysis[]) => Promise<CallEnd | 'unsupported'>) | undefined;
  /** Whether the analysis may be asked about together with others. */
  isBatchable(due: DueAnalysis): boolean;
}

export interface LaneReport {
  /** The spans that this run did not finish, in the order of its plan. */
  readonly unfinished: readonly Span[];
  /** Whether the circuit breaker opened because the bank kept failing. */
  readonly open: boolean;
  /** Number of due analyses that were not asked about because the circuit breaker was open. */
  readonly skipped: number;
  /** The first error that a call or the reader threw. */
  readonly error: unknown;
}

const weightOf = (group: readonly DueAnalysis[]) => (group.length > 1 ? BATCH_WEIGHT : 1);

/** The calls that are running, and whether another one fits the limit of their weights. */
function inFlight(limit: number) {
  const calls = new Set<Promise<void>>();
  let weight = 0;
  return {
    get count() {
      return calls.size;
    },
    hasRoom: (added: number) => weight + added <= limit,
    /** Counts a call that has begun and never rejects. `ended` is called with its result after its place is free. */
    start<T>(added: number, begun: Promise<T>, ended: (end: T) => void): void {
      weight += added;
      const call = begun.then((end) => {
        calls.delete(call);
        weight -= added;
        ended(end);
      });
      calls.add(call);
    },
    race: () => Promise.race(calls),
    all: () => Promise.all(calls),
  };
}

/** Reads the rest of a lane whose circuit breaker is open, without asking. Returns how many analyses there were. */
async function skipRest(
  next: () => Promise<DueAnalysis | undefined>,
  inTime: () => boolean,
  fail: (thrown: unknown) => void,
): Promise<number> {
  let skipped = 0;
  try {
    while (inTime() && (await next())) skipped += 1;
  } catch (thrown) {
    fail(thrown);
  }
  return skipped;
}

/**
 * Runs a lane and reports what it did. `next` returns the next analysis to ask about, read through `reader`. If the
 * circuit breaker opens, `next` is still called until the end or `lastStart`, so that the observer sees every due
 * analysis. Never throws.
 */
export async function runLane(
  next: () => Promise<DueAnalysis | undefined>,
  reader: Pick<DueReader, 'remaining'>,
  work: LaneWork,
  { lastStart, clock }: { readonly lastStart: Instant; readonly clock: Clock },
): Promise<LaneReport> {
  const breaker = circuitBreaker();
  const calls = inFlight(AT_ONCE);
  /** Analyses that were read and not asked about yet. They come before those that `next` returns. */
  let unasked: DueAnalysis[] = [];
  /** Analyses of the probe, if it got no answer. They were asked about, and are asked about again. */
  let ofFailedProbe: readonly DueAnalysis[] = [];
  let batching = work.askBatch !== undefined;
  let probed = false;
  let unreadable = false;
  let error: unknown;
  const inTime = () => clock() < lastStart;

  function fail(thrown: unknown): void {
    error ??= thrown ?? new Error('something undefined was thrown');
  }

  function putBack(group: readonly DueAnalysis[]): void {
    unasked = group.concat(unasked).sort((a, b) => a.place - b.place);
  }

  /** Whether a call about these analyses may start now. The probe waits until no other call is running. */
  function hasRoom(group: readonly DueAnalysis[]): boolean {
    const goesAlone = group.length > 1 && !probed;
    const fits = goesAlone ? calls.count === 0 : calls.hasRoom(weightOf(group));
    return fits && breaker.mayStart(calls.count);
  }

  /** Returns the analyses for the next call: a batch, or one that cannot be in a batch. Empty if none is left. */
  async function collect(): Promise<DueAnalysis[]> {
    const group: DueAnalysis[] = [];
    const setAside: DueAnalysis[] = [];
    try {
      while (group.length < BATCH_SIZE && setAside.length < AT_ONCE) {
        const due = unasked.shift() ?? (await next());
        if (!due) break;
        const fits = batching && work.isBatchable(due);
        if (!fits && group.length === 0) return [due];
        (fits ? group : setAside).push(due);
      }
    } catch (thrown) {
      fail(thrown);
      unreadable = true;
    }
    putBack(setAside);
    return group;
  }

  /** Starts a call: a batch about all of `group`, or a question about `first` if it is the only one. */
  function start(group: readonly DueAnalysis[], first: DueAnalysis): void {
    const batch = group.length > 1 ? work.askBatch : undefined;
    breaker.started();
    const call = (async () => (batch ? batch(group) : work.ask(first)))().catch((thrown: unknown): CallEnd => {
      fail(thrown);
      return 'neutral';
    });
    calls.start(weightOf(group), call, (end) => {
      if (batch && end === 'answered') probed = true;
      else if (end === 'unsupported' || (batch && !probed)) {
        batching = false;
        if (end !== 'unsupported') ofFailedProbe = ofFailedProbe.concat(group);
        putBack(group);
      }
      breaker.ended(end === 'unsupported' ? 'neutral' : end);
    });
  }

  /**
   * Waits until a call about `group` may start. If `group` is empty, waits until no call runs, or until a batch that
   * did not work has given its analyses back.
   */
  async function waitForRoom(group: readonly DueAnalysis[]): Promise<void> {
    while (calls.count > 0 && (group.length === 0 || !hasRoom(group))) {
      await calls.race();
      if (group.length === 0 && unasked.length > 0) return;
    }
  }

  while (!breaker.isOpen && !unreadable && inTime()) {
    const group = await collect();
    await waitForRoom(group);
    const [first] = group;
    const canStart = batching || group.length === 1;
    if (first && canStart && inTime() && hasRoom(group)) start(group, first);
    else if (first) putBack(group);
    else if (unasked.length === 0) break;
  }
  await calls.all();

  const unfinished = reader.remaining(unasked);
  if (!breaker.isOpen) return { unfinished, open: false, skipped: 0, error };
  const neverAsked = unasked.filter((due) => !ofFailedProbe.includes(due)).length;
  const skipped = neverAsked + (await skipRest(next, inTime, fail));
  return { unfinished, open: true, skipped, error };
}
