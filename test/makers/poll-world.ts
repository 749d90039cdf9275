import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import type { PollCursor } from '#shared/domain/analyses/poll-cursor.ts';
import type { PollDeps, PollObserver } from '#shared/domain/analyses/poll-questions.ts';
import { type PollPartition, pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import { UnsentWatch } from '#shared/domain/analyses/unsent-watch.ts';
import { NO_NOTIFIER } from './delivery-queue.ts';
import { stopwatchBy } from './stopwatch.ts';

export const SILENT: PollObserver = {
  met() {},
  asked() {},
  becameUnanswerable() {},
  concluded() {},
  gaveUp() {},
  ended() {},
};

const NEVER = new AbortController().signal;
const noOperator = () => {
  throw new Error('nothing may ask the operator here');
};
const partitionName = ({ environment, bank, bucket }: PollPartition) => `${environment} ${bank} ${bucket}`;

/** Returns the first place in a list sorted by creation whose analysis was created at `createdAt` or later. */
function placeFrom(list: readonly Analysis[], createdAt: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.createdAt < createdAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The pending index in memory, and everything else that a run of the poller uses. */
export class PollWorld {
  readonly partitions = new Map<string, Analysis[]>();
  readonly cursors = new Map<string, PollCursor>();
  /** Writes to the index: the kind of the write and the id of the analysis. */
  readonly writes: string[] = [];
  readonly concluded: Analysis[] = [];
  /** Number of rows on a page. */
  page = 500;
  readonly #records: boolean;

  /** `records: false` keeps no lists of writes and outcomes, because a simulation has too many of them. */
  constructor({ records = true } = {}) {
    this.#records = records;
  }

  add(analysis: Analysis): void {
    const name = partitionName(pollPartition(analysis));
    const list = this.partitions.get(name) ?? [];
    this.partitions.set(name, list);
    let place = placeFrom(list, analysis.createdAt);
    // The index is sorted by creation time, then by id. A page continues after such a pair.
    while (list[place]?.createdAt === analysis.createdAt && list[place]!.id < analysis.id) place += 1;
    list.splice(place, 0, analysis);
  }

  #write(kind: string, { id }: Analysis): void {
    if (this.#records) this.writes.push(`${kind} ${id}`);
  }

  /** Changes a pending row. Without changes, the row leaves the index. Does nothing if the row has left it already. */
  #replace(analysis: Analysis, changes?: Partial<Analysis>): void {
    const list = this.partitions.get(partitionName(pollPartition(analysis)))!;
    const first = placeFrom(list, analysis.createdAt);
    const place = list.findIndex(({ id }, at) => at >= first && id === analysis.id);
    if (place >= 0) list.splice(place, 1, ...(changes ? [{ ...list[place]!, ...changes }] : []));
  }

  /**
   * Returns the dependencies of a run. Without `operatorOf` a question to the operator throws an Error.
   */
  deps(clock: () => number = () => 0, operatorOf: PollDeps['operatorOf'] = noOperator): PollDeps {
    const unexpected = () => Promise.reject(new Error('a run of the poller must not call this method'));
    return {
      clock,
      operatorOf,
      notifier: NO_NOTIFIER,
      // No signal ends a call: the operators of tests decide how long they take.
      timeout: () => NEVER,
      unsent: new UnsentWatch(stopwatchBy(clock)),
      cursors: {
        read: async (job) => this.cursors.get(job),
        write: async (job, cursor) => {
          this.cursors.set(job, cursor);
        },
      },
      analyses: {
        prepare: unexpected,
        claim: unexpected,
        isToBeErased: async () => false,
        isConsentWithdrawn: async () => false,
        resume: unexpected,
        complete: unexpected,
        find: unexpected,
        get: async (_, id) => this.concluded.find((analysis) => analysis.id === id),
        findAmong: unexpected,
        ofLead: unexpected,
        outcomes: unexpected,
        form: async () => ({ cpf: '90000000175' }),
        acquireSubmitLease: async () => ({ lease: 'mine', isMine: true }),
        pending: async (partition, { from, to }, after) => {
          const list = this.partitions.get(partitionName(partition)) ?? [];
          // The cursor of a page works like a key of the index. Older rows are not read again, even if rows have left
          // the index since.
          const [createdAt, id] = (after ?? `${from} -1`).split(' ').map(Number) as [number, number];
          let place = placeFrom(list, createdAt);
          while (list[place]?.createdAt === createdAt && list[place]!.id <= id) place += 1;
          const end = Math.min(placeFrom(list, to), place + this.page);
          const items = list.slice(place, end);
          const last = items.at(-1);
          const hasMore = last !== undefined && end < placeFrom(list, to);
          return { items, next: hasMore ? `${last.createdAt} ${last.id}` : undefined };
        },
        conclude: async ({ before, after }) => {
          this.#write('conclude', before);
          if (this.#records) this.concluded.push(after);
          this.#replace(before);
          return { events: [] };
        },
        note: async (analysis, queryNumber, rawStatus) => {
          this.#write('note', analysis);
          this.#replace(analysis, { queryNumber, rawStatus, unanswerableSince: undefined });
          return true;
        },
        markUnanswerable: async (analysis, since) => {
          this.#write(since === undefined ? 'answerable' : 'unanswerable', analysis);
          this.#replace(analysis, { unanswerableSince: since });
        },
      },
    };
  }
}
