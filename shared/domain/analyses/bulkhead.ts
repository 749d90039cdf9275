/**
 * A lane asks about the due analyses of one bank in one environment, with a limit on parallel calls. Lanes run in
 * parallel and share nothing, so a slow bank takes neither time nor calls from another bank.
 *
 * A lane asks in the order in which it reads. If the operator answers batches, a call asks about up to 100 analyses,
 * and two such calls run in parallel; an analysis that cannot be in a batch comes right after it. If the operator has
 * no batches, ten calls about one analysis each run in parallel.
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
  readonly left: readonly Span[];
  /** Whether the circuit breaker opened because the bank kept failing. */
  readonly open: boolean;
  /** Number of due analyses that were not asked about because the circuit breaker was open. */
  readonly skipped: number;
  /** The first error that a call or the reader threw. */
  readonly error: unknown;
}

const weightOf = (unit: readonly DueAnalysis[]) => (unit.length > 1 ? BATCH_WEIGHT : 1);

/** The calls that are running, and whether another one fits the limit of their weights. */
function inFlight(limit: number) {
  const calls = new Set<Promise<void>>();
  let weight = 0;
  return {
    get count() {
      return calls.size;
    },
    hasRoom: (mine: number) => weight + mine <= limit,
    /** Counts a call that has begun and never rejects. `ended` is called with its result after its place is free. */
    start<T>(mine: number, begun: Promise<T>, ended: (end: T) => void): void {
      weight += mine;
      const call = begun.then((end) => {
        calls.delete(call);
        weight -= mine;
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
  reader: Pick<DueReader, 'left'>,
  work: LaneWork,
  { lastStart, clock }: { readonly lastStart: Instant; readonly clock: Clock },
): Promise<LaneReport> {
  const breaker = circuitBreaker();
  const calls = inFlight(AT_ONCE);
  /** Analyses that were read and not asked about yet. They come before those that `next` returns. */
  let held: DueAnalysis[] = [];
  let batching = work.askBatch !== undefined;
  let probed = false;
  let broken = false;
  let error: unknown;
  const inTime = () => clock() < lastStart;

  function fail(thrown: unknown): void {
    error ??= thrown ?? new Error('something undefined was thrown');
  }

  function giveBack(unit: readonly DueAnalysis[]): void {
    held = unit.concat(held).sort((a, b) => a.place - b.place);
  }

  /** Whether a call about `unit` may start now. The probe waits until no other call is running. */
  function hasRoom(unit: readonly DueAnalysis[]): boolean {
    const goesAlone = unit.length > 1 && !probed;
    const fits = goesAlone ? calls.count === 0 : calls.hasRoom(weightOf(unit));
    return fits && breaker.mayStart(calls.count);
  }

  /** Returns the analyses for the next call: a batch, or one that cannot be in a batch. Empty if none is left. */
  async function collect(): Promise<DueAnalysis[]> {
    const unit: DueAnalysis[] = [];
    const aside: DueAnalysis[] = [];
    try {
      while (unit.length < BATCH_SIZE && aside.length < AT_ONCE) {
        const due = held.shift() ?? (await next());
        if (!due) break;
        const fits = batching && work.isBatchable(due);
        if (!fits && unit.length === 0) return [due];
        (fits ? unit : aside).push(due);
      }
    } catch (thrown) {
      fail(thrown);
      broken = true;
    }
    giveBack(aside);
    return unit;
  }

  /** Starts a call: a batch about all of `unit`, or a question about `first` if it is the only one. */
  function start(unit: readonly DueAnalysis[], first: DueAnalysis): void {
    const batch = unit.length > 1 ? work.askBatch : undefined;
    breaker.started();
    const call = (async () => (batch ? batch(unit) : work.ask(first)))().catch((thrown: unknown): CallEnd => {
      fail(thrown);
      return 'neutral';
    });
    calls.start(weightOf(unit), call, (end) => {
      if (batch && end === 'answered') probed = true;
      else if (end === 'unsupported' || (batch && !probed)) {
        batching = false;
        giveBack(unit);
      }
      breaker.ended(end === 'unsupported' ? 'neutral' : end);
    });
  }

  /**
   * Waits until a call about `unit` may start. If `unit` is empty, waits until no call runs, or until a batch that did
   * not work has given its analyses back.
   */
  async function waitForRoom(unit: readonly DueAnalysis[]): Promise<void> {
    while (calls.count > 0 && (unit.length === 0 || !hasRoom(unit))) {
      await calls.race();
      if (unit.length === 0 && held.length > 0) return;
    }
  }

  while (!breaker.isOpen && !broken && inTime()) {
    const unit = await collect();
    await waitForRoom(unit);
    const [first] = unit;
    const asWanted = batching || unit.length === 1;
    if (first && asWanted && inTime() && hasRoom(unit)) start(unit, first);
    else if (first) giveBack(unit);
    else if (held.length === 0) break;
  }
  await calls.all();

  const left = reader.left(held);
  if (!breaker.isOpen) return { left, open: false, skipped: 0, error };
  const skipped = held.length + (await skipRest(next, inTime, fail));
  return { left, open: true, skipped, error };
}
