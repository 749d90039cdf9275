import { type Analysis, dueRange, SLOTS, slotOf } from './analysis.ts';
import { type LaneCounts, type LaneOptions, runInLanes } from './bank-lanes.ts';
import type { Delivery } from './delivery.ts';
import { expired, type FollowUp, followUp, type StatusReader } from './follow-up.ts';
import type { EventMaker } from './hand-over.ts';
import type { Environment } from './partner.ts';
import type { Analyses, AnalysisChange, Cursors, Desk, PollPosition } from './ports.ts';

/** Milliseconds that one analysis may take at the desk. */
const ONE_ANALYSIS = 10_000;

/** The slots of one shard of a number of shards. */
export function slotsOf(shard: number, shards: number): number[] {
  return Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => slot % shards === shard);
}

interface SlotRange {
  readonly slot: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The creation times that are due at `now` (milliseconds), slot by slot in the order in which a run takes them: from
 * where it begins on, through the other slots, and round to where it began.
 */
export function dueRanges(slots: readonly number[], begin: PollPosition | undefined, now: number): SlotRange[] {
  const at = Math.max(0, slots.indexOf(begin?.slot ?? -1));
  const since = slots[at] === begin?.slot ? (begin?.since ?? 0) : 0;
  const [first, ...others] = [...slots.slice(at), ...slots.slice(0, at)].map((slot) => ({
    slot,
    ...dueRange(slot, now),
  }));
  const { slot, from, to } = first!;
  const round = [{ slot, from: Math.max(from, since), to }, ...others, { slot, from, to: Math.min(to, since) }];
  return round.filter((range) => range.from < range.to);
}

/** The analyses of some ranges, read a page at a time as they are asked for. */
async function* dueAnalyses(analyses: Analyses, ranges: readonly SlotRange[]): AsyncGenerator<Analysis> {
  for (const { slot, ...range } of ranges) {
    let after: string | undefined;
    do {
      const page = await analyses.pending(slot, range, after);
      yield* page.items;
      after = page.next;
    } while (after !== undefined);
  }
}

/** Is told what a run meets and does: for logs and metrics. */
export interface PollWatch {
  /** An analysis that this run has to look at. */
  met(analysis: Analysis): void;
  /** A question put to the desk at `at` (milliseconds), and what it brought. */
  asked(analysis: Analysis, at: number, found: FollowUp): void;
  /** A change that was booked, or ignored because another run had moved the analysis on. */
  concluded(change: AnalysisChange, booked: boolean): void;
  /** An analysis that is given up after 30 days. */
  gaveUp(analysis: Analysis): void;
  /** The run has come to its end; a run that could not read where to begin has none. */
  ended(): void;
}

/** What a run of the poller goes through. */
export interface PollPorts {
  readonly analyses: Analyses;
  readonly deskOf: (environment: Environment) => Desk;
  readonly cursors: Cursors;
  readonly read: StatusReader;
  readonly event: EventMaker;
  /** Tells the queue of deliveries that were just booked. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
  readonly clock: () => number;
}

async function conclude(change: AnalysisChange, { analyses, notify }: PollPorts, watch: PollWatch): Promise<void> {
  const booked = await analyses.conclude(change);
  watch.concluded(change, booked);
  if (booked && change.delivery) await notify([change.delivery]);
}

/** Asks the desk about one analysis and books what it says. */
async function ask(analysis: Analysis, ports: PollPorts, watch: PollWatch): Promise<'answered' | 'failed'> {
  const { analyses, deskOf, read, event, clock } = ports;
  const at = clock();
  const found = await followUp(analysis, {
    desk: deskOf(analysis.environment),
    analyses,
    form: () => analyses.form(analysis, analysis.submission),
    read,
    event,
    clock,
    signal: AbortSignal.timeout(ONE_ANALYSIS),
  });
  watch.asked(analysis, at, found);
  if (found.kind === 'change') await conclude(found.change, ports, watch);
  if (found.kind === 'note') await analyses.note(analysis, found.queryNumber, found.rawStatus);
  return found.kind === 'unavailable' ? 'failed' : 'answered';
}

/** Gives up what has waited for too long as it is met, without its bank, which may have stopped answering for good. */
async function* stillAwaited(
  due: AsyncIterable<Analysis>,
  ports: PollPorts,
  watch: PollWatch,
): AsyncGenerator<Analysis> {
  for await (const analysis of due) {
    watch.met(analysis);
    const change = expired(analysis, ports.event, ports.clock());
    if (!change) yield analysis;
    else {
      watch.gaveUp(analysis);
      await conclude(change, ports, watch);
    }
  }
}

/**
 * Asks about the pending analyses of one shard that are due by their age, each bank in a lane of its own, and books what
 * changed. Starts nothing after `deadline` (milliseconds since 1970); the next run begins where this one left something
 * over. Gives how many analyses came to what; throws the first error once all others have had their turn.
 */
export async function pollShard(
  { shard, shards }: { readonly shard: number; readonly shards: number },
  deadline: LaneOptions['deadline'],
  ports: PollPorts,
  watch: PollWatch,
): Promise<Omit<LaneCounts, 'thrown'>> {
  const { analyses, cursors, clock } = ports;
  const job = `poll-bank-outcomes/${shard}`;
  const ranges = dueRanges(slotsOf(shard, shards), await cursors.read(job), clock());
  let last: Analysis | undefined;
  const noting: PollWatch = {
    ...watch,
    met(analysis) {
      last = analysis;
      watch.met(analysis);
    },
  };
  const report = await runInLanes(
    stillAwaited(dueAnalyses(analyses, ranges), ports, noting),
    (analysis) => ask(analysis, ports, watch),
    { deadline, clock },
  );
  // A whole run needs no mark. The next begins with what was read first of all that this one left over, or after what it
  // read last.
  const { firstPostponed: left, finished } = report;
  if (left) await cursors.write(job, { slot: slotOf(left.id), since: left.createdAt });
  else if (!finished && last) await cursors.write(job, { slot: slotOf(last.id), since: last.createdAt + 1 });
  watch.ended();
  if (report.firstError) throw report.firstError;
  const sum = { answered: 0, failed: 0, skipped: 0, postponed: 0 };
  for (const counts of report.banks.values())
    for (const end of ['answered', 'failed', 'skipped', 'postponed'] as const) sum[end] += counts[end];
  return sum;
}
