/**
 * One lane of a run asks about the due analyses of one bank in one environment, a bounded number at once. Lanes run side
 * by side and share nothing, so a slow bank takes neither time nor places from another.
 *
 * A lane asks in the order in which it reads: where the operator answers batches up to 100 in one call and two calls at
 * once, else ten questions at once. The first batch goes alone, since its answer tells whether the operator has batches;
 * if it fails, the lane asks about its analyses and all later ones one each. So a bank that never answers within the time
 * limit is found out in half a run. The lane reads only what it has room to ask about, so its memory does not grow with
 * what is due. It starts nothing from `lastStart` on and waits for what it has started; what is left begins at the first
 * analysis that was not asked about.
 */
import type { Clock } from '../values/clock.ts';
import type { Instant } from '../values/time.ts';
import { type CallEnd, circuitBreaker } from './circuit-breaker.ts';
import type { DueAnalysis, DueReader } from './due-reader.ts';
import type { Span } from './poll-cursor.ts';

/** Questions under way at once; a batch weighs five. */
const AT_ONCE = 10;
const BATCH_WEIGHT = 5;
/** Analyses that one call to the operator may ask about. */
const BATCH_SIZE = 100;

export interface LaneWork {
  /** Asks about one. What it throws is ours: the first of it is reported, and the lane goes on. */
  ask(due: DueAnalysis): Promise<CallEnd>;
  /** Asks about several in one call; undefined where the operator has none for it. */
  readonly askBatch: ((batch: readonly DueAnalysis[]) => Promise<CallEnd | 'unsupported'>) | undefined;
  /** Whether it may be asked about together with others. */
  isBatchable(due: DueAnalysis): boolean;
}

export interface LaneReport {
  /** What this run did not come to, in its order. */
  readonly left: readonly Span[];
  /** Whether the bank was left alone since it kept failing; how many were not asked about for it. */
  readonly open: boolean;
  readonly skipped: number;
  /** What the work or the reader threw first. */
  readonly error: unknown;
}

const weightOf = (unit: readonly DueAnalysis[]) => (unit.length > 1 ? BATCH_WEIGHT : 1);

/** Calls under way, each with its weight, up to a limit of it. */
function inFlight(limit: number) {
  const calls = new Set<Promise<void>>();
  let weight = 0;
  return {
    get count() {
      return calls.size;
    },
    hasRoom: (mine: number) => weight + mine <= limit,
    /** Notes a call that has begun and never fails; `ended` hears of its end once its place is free. */
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

/** Passes what is left of a lane whose bank is left alone; gives how many there were. */
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
 * Runs a lane. `next` gives the next analysis to ask about, read through `reader`. Once the breaker is open it is still
 * called until its end or `lastStart`, so that every due analysis is observed. Never throws.
 */
export async function runLane(
  next: () => Promise<DueAnalysis | undefined>,
  reader: Pick<DueReader, 'left'>,
  work: LaneWork,
  { lastStart, clock }: { readonly lastStart: Instant; readonly clock: Clock },
): Promise<LaneReport> {
  const breaker = circuitBreaker();
  const calls = inFlight(AT_ONCE);
  /** Read, and to be asked about before anything else. */
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

  /** Whether a unit may start now; until the first batch is answered there is no second. */
  function hasRoom(unit: readonly DueAnalysis[]): boolean {
    const goesAlone = unit.length > 1 && !probed;
    const fits = goesAlone ? calls.count === 0 : calls.hasRoom(weightOf(unit));
    return fits && breaker.mayStart(calls.count);
  }

  /** Up to a batch of what comes next; one alone where it cannot be in a batch. None at the end. */
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

  /** Asks about a unit: about all of it in one call, or about its first and only analysis. */
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
   * Waits until a unit may start; for none, until no call is under way or a batch that was refused as such has given back
   * what it held.
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
