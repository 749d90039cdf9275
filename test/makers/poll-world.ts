import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import type { PollCursor } from '#shared/domain/analyses/poll-cursor.ts';
import type { PollDeps, PollObserver } from '#shared/domain/analyses/poll-questions.ts';
import { type PollPartition, pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import { UnsentWatch } from '#shared/domain/analyses/unsent-watch.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import { NO_NOTIFIER } from './delivery-queue.ts';

export const SILENT: PollObserver = {
  met() {},
  asked() {},
  becameUnanswerable() {},
  concluded() {},
  gaveUp() {},
  ended() {},
};

const NEVER = new AbortController().signal;
const nobody = () => {
  throw new Error('nothing asks the operator here');
};
const nameOf = ({ environment, bank, bucket }: PollPartition) => `${environment} ${bank} ${bucket}`;

/** The first place in a list sorted by creation at which one is as young as `createdAt` or younger. */
function placeOf(list: readonly Analysis[], createdAt: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.createdAt < createdAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The pending index in memory, and the rest of what a run of the poller goes through. */
export class PollWorld {
  readonly partitions = new Map<string, Analysis[]>();
  readonly cursors = new Map<string, PollCursor>();
  /** Writes, each named after its port and its analysis. */
  readonly writes: string[] = [];
  readonly concluded: Analysis[] = [];
  /** Rows of one page. */
  page = 500;
  readonly #records: boolean;

  /** `records: false` keeps no list of writes and outcomes: for as many as a simulation has. */
  constructor({ records = true } = {}) {
    this.#records = records;
  }

  add(analysis: Analysis): void {
    const name = nameOf(pollPartition(analysis));
    const list = this.partitions.get(name) ?? [];
    this.partitions.set(name, list);
    let place = placeOf(list, analysis.createdAt);
    // The index's order: pages go on behind a creation time and an id.
    while (list[place]?.createdAt === analysis.createdAt && list[place]!.id < analysis.id) place += 1;
    list.splice(place, 0, analysis);
  }

  #write(what: string, { id }: Analysis): void {
    if (this.#records) this.writes.push(`${what} ${id}`);
  }

  /** Writes changes to a pending row; without changes it leaves the index. None where it has left already. */
  #replace(analysis: Analysis, changes?: Partial<Analysis>): void {
    const list = this.partitions.get(nameOf(pollPartition(analysis)))!;
    const first = placeOf(list, analysis.createdAt);
    const place = list.findIndex(({ id }, at) => at >= first && id === analysis.id);
    if (place >= 0) list.splice(place, 1, ...(changes ? [{ ...list[place]!, ...changes }] : []));
  }

  /** What a run takes; its reader knows one final text, and without `operatorOf` nothing may be asked. */
  deps(clock: () => number = () => 0, operatorOf: PollDeps['operatorOf'] = nobody): PollDeps {
    const none = () => Promise.reject(new Error('a run of the poller has no need of it'));
    return {
      clock,
      operatorOf,
      read: (raw) => ({ situation: raw === 'Aprovado' ? 'aprovado' : 'em_analise', known: true }),
      event: ({ id }) => ({ analysisId: id }) as Delivery,
      notifier: NO_NOTIFIER,
      // The operators of tests keep their own time.
      timeout: () => NEVER,
      unsent: new UnsentWatch(),
      cursors: {
        read: async (job) => this.cursors.get(job),
        write: async (job, cursor) => {
          this.cursors.set(job, cursor);
        },
      },
      analyses: {
        prepare: none,
        claim: none,
        isToBeErased: async () => false,
        resume: none,
        complete: none,
        find: none,
        get: async (_, id) => this.concluded.find((one) => one.id === id),
        ofLead: none,
        form: async () => ({ cpf: '90000000175' }),
        acquireSubmitLease: async () => ({ lease: 'mine', isMine: true }),
        pending: async (partition, { from, to }, after) => {
          const list = this.partitions.get(nameOf(partition)) ?? [];
          // As a key of the index: what was created before it is not read again, whatever has left the index since.
          const [createdAt, id] = (after ?? `${from} -1`).split(' ').map(Number) as [number, number];
          let place = placeOf(list, createdAt);
          while (list[place]?.createdAt === createdAt && list[place]!.id <= id) place += 1;
          const end = Math.min(placeOf(list, to), place + this.page);
          const items = list.slice(place, end);
          const last = items.at(-1);
          const more = last !== undefined && end < placeOf(list, to);
          return { items, next: more ? `${last.createdAt} ${last.id}` : undefined };
        },
        conclude: async ({ before, after }) => {
          this.#write('conclude', before);
          if (this.#records) this.concluded.push(after);
          this.#replace(before);
          return true;
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
