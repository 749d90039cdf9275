import type { Bank } from '../values/bank.ts';
import type { Clock } from '../values/clock.ts';

/** Calls at once in all; and of one bank, so that one slow bank never holds them all. */
const TOTAL_AT_ONCE = 20;
const BANK_AT_ONCE = 10;
/** Failures in a row after which a bank is given one more try, and then left for the rest of the run. */
const FAILURES_TO_OPEN = 5;
/**
 * Items held in memory that wait for their bank: a few MB, and as much as a bank at its bound that answers in 100 ms
 * can do in 50 s. What comes on top of it could not be reached in this run and is left to the next; what is for a bank
 * with room is still started.
 */
const HELD_LIMIT = 5_000;

export interface BulkheadOptions {
  /** Moment from which nothing more is started, in milliseconds since 1970; what runs by then is waited for. */
  readonly deadline: number;
  readonly clock: Clock;
  /** @default 20 */
  readonly totalAtOnce?: number;
  /** @default 10 */
  readonly bankAtOnce?: number;
  /** @default 5 */
  readonly failuresToOpen?: number;
  /** @default 5,000 */
  readonly heldLimit?: number;
}

/** How many items of a bank came to what. */
export interface BulkheadCounts {
  /** Worked on, and the bank gave a usable answer. */
  answered: number;
  /** Worked on, and it gave none. */
  failed: number;
  /** Worked on, and the work itself threw: not held against the bank. */
  thrown: number;
  /** Left out because the bank kept failing. */
  skipped: number;
  /** Read, but left to the next run: the deadline or the limit of held items came first. */
  postponed: number;
}

export interface BulkheadReport<Item> {
  readonly banks: ReadonlyMap<Bank, Readonly<BulkheadCounts>>;
  /** Banks that are left alone since their last try failed too. */
  readonly open: readonly Bank[];
  /** Whether the source was read to its end. */
  readonly finished: boolean;
  /** Of what was read but left to the next run, what was read first. */
  readonly firstPostponed: Item | undefined;
  /** What the work or the source threw first; everything else went on. */
  readonly firstError: unknown;
}

/**
 * One run over items of all banks: each bank in a lane of its own, a bounded number at once, so that a slow or failing
 * bank does not delay the others. `work` says whether the bank gave a usable answer. After `failuresToOpen` failures in
 * a row a bank gets one more try, alone, once all its calls have ended; if that fails too, its items are skipped for
 * the rest of the run. Reads the source only as far ahead as the lanes have need, and stops at the deadline. Never
 * throws: what work or source throw is counted and the first of it reported.
 */
export async function runBulkhead<Item extends { readonly bank: Bank }>(
  source: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<'answered' | 'failed'>,
  options: BulkheadOptions,
): Promise<BulkheadReport<Item>> {
  const { deadline, clock } = options;
  const totalAtOnce = options.totalAtOnce ?? TOTAL_AT_ONCE;
  const bankAtOnce = options.bankAtOnce ?? BANK_AT_ONCE;
  const failuresToOpen = options.failuresToOpen ?? FAILURES_TO_OPEN;
  const heldLimit = options.heldLimit ?? HELD_LIMIT;

  const lanes = new Map<Bank, Lane<Item>>();
  const items = iterate(source);
  let running = 0;
  let held = 0;
  let reading = false;
  let exhausted = false;
  let finished = false;
  let firstError: unknown;
  let read = 0;
  let firstPostponed: Read<Item> | undefined;
  let wake: () => void = () => {};

  function laneOf(bank: Bank): Lane<Item> {
    const known = lanes.get(bank);
    if (known) return known;
    const lane = newLane<Item>();
    lanes.set(bank, lane);
    return lane;
  }

  function noteError(error: unknown): void {
    firstError ??= error ?? new Error('something undefined was thrown');
  }

  function settle(lane: Lane<Item>, result: 'answered' | 'failed' | 'thrown'): void {
    running -= 1;
    lane.running -= 1;
    lane.counts[result] += 1;
    judge(lane, result, failuresToOpen);
    if (lane.breaker === 'open') {
      held -= lane.queue.length;
      lane.counts.skipped += lane.queue.length;
      lane.queue.clear();
    }
    wake();
  }

  function start(lane: Lane<Item>): void {
    const { item } = lane.queue.take();
    held -= 1;
    running += 1;
    lane.running += 1;
    if (lane.breaker === 'tripped') lane.breaker = 'trying';
    (async () => work(item))().then(
      (result) => settle(lane, result),
      (error: unknown) => {
        noteError(error);
        settle(lane, 'thrown');
      },
    );
  }

  /** Starts what may start, one item of a bank in turn: a lane put back at the map's end is met again in the same loop. */
  function startAll(): void {
    for (const [bank, lane] of lanes) {
      if (running >= totalAtOnce) return;
      if (lane.queue.length === 0 || !hasRoom(lane, bankAtOnce)) continue;
      start(lane);
      lanes.delete(bank);
      lanes.set(bank, lane);
    }
  }

  function postpone(lane: Lane<Item>, of: Read<Item>): void {
    lane.counts.postponed += 1;
    if (!firstPostponed || of.place < firstPostponed.place) firstPostponed = of;
  }

  function receive(item: Item): void {
    const lane = laneOf(item.bank);
    const received = { item, place: read++ };
    if (lane.breaker === 'open') lane.counts.skipped += 1;
    else if (held >= heldLimit && !hasRoom(lane, bankAtOnce)) postpone(lane, received);
    else {
      held += 1;
      lane.queue.put(received);
    }
  }

  function readOne(): void {
    reading = true;
    items.next().then(
      (next) => {
        reading = false;
        if (next.done) exhausted = finished = true;
        else receive(next.value);
        wake();
      },
      (error: unknown) => {
        reading = false;
        exhausted = true;
        noteError(error);
        wake();
      },
    );
  }

  const inTime = () => clock() < deadline;
  for (;;) {
    const something = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (inTime()) {
      startAll();
      if (running < totalAtOnce && !exhausted && !reading) readOne();
    }
    if (running === 0 && !reading) break;
    await something;
  }

  if (!exhausted) await items.return?.().catch(noteError);
  for (const lane of lanes.values()) while (lane.queue.length > 0) postpone(lane, lane.queue.take());
  return {
    banks: new Map([...lanes].map(([bank, lane]) => [bank, lane.counts])),
    open: [...lanes].filter(([, lane]) => lane.breaker === 'open').map(([bank]) => bank),
    finished,
    firstPostponed: firstPostponed?.item,
    firstError,
  };
}

/** An item, and how many were read before it. */
interface Read<Item> {
  readonly item: Item;
  readonly place: number;
}

interface Lane<Item> {
  readonly queue: Queue<Read<Item>>;
  readonly counts: BulkheadCounts;
  running: number;
  /** Failures since the bank's last answer. */
  failures: number;
  /**
   * `tripped`: failed too often, its calls in flight are awaited; `trying`: the one more try is running; `open`: left
   * alone for the rest of the run.
   */
  breaker: 'closed' | 'tripped' | 'trying' | 'open';
  /** A run gives a bank one more try once. */
  tried: boolean;
}

function newLane<Item>(): Lane<Item> {
  return {
    queue: newQueue(),
    counts: { answered: 0, failed: 0, thrown: 0, skipped: 0, postponed: 0 },
    running: 0,
    failures: 0,
    breaker: 'closed',
    tried: false,
  };
}

/** Whether the bank could be asked now. */
function hasRoom<Item>(lane: Lane<Item>, bankAtOnce: number): boolean {
  if (lane.breaker === 'closed') return lane.running < bankAtOnce;
  return lane.breaker === 'tripped' && lane.running === 0;
}

/**
 * What the end of a call does to its bank's breaker. An answer closes it, that of a call still in flight too; a try
 * that threw told nothing of the bank and is made again with the next item.
 */
function judge<Item>(lane: Lane<Item>, result: 'answered' | 'failed' | 'thrown', failuresToOpen: number): void {
  if (lane.breaker === 'open') return;
  if (result === 'thrown') {
    if (lane.breaker === 'trying') lane.breaker = 'tripped';
  } else if (result === 'answered') {
    lane.failures = 0;
    lane.tried ||= lane.breaker === 'trying';
    lane.breaker = 'closed';
  } else {
    lane.failures += 1;
    if (lane.breaker === 'trying') lane.breaker = 'open';
    else if (lane.breaker === 'closed' && lane.failures >= failuresToOpen)
      lane.breaker = lane.tried ? 'open' : 'tripped';
  }
}

interface Queue<Item> {
  readonly length: number;
  put(item: Item): void;
  /** The oldest item; the caller has looked at the length. */
  take(): Item;
  clear(): void;
}

/** First in, first out, in constant time: shifting an array moves all that is left. */
function newQueue<Item>(): Queue<Item> {
  let items: Item[] = [];
  let head = 0;
  return {
    get length() {
      return items.length - head;
    },
    put(item) {
      items.push(item);
    },
    take() {
      const item = items[head] as Item;
      head += 1;
      if (head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    clear() {
      items = [];
      head = 0;
    },
  };
}

async function* iterate<Item>(source: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  yield* source;
}
