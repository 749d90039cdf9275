import type { Context } from 'aws-lambda';
import { runInLanes } from '../../shared/banks/bank-lanes.ts';
import { measureConclusion, type PollMeasures, pollMeasures } from '../../shared/banks/measure.ts';
import { readStatus } from '../../shared/banks/statuses.ts';
import { eventOf } from '../../shared/contract/event.ts';
import { type Analysis, slotOf } from '../../shared/domain/analysis.ts';
import type { Bank } from '../../shared/domain/bank.ts';
import { expired, followUp } from '../../shared/domain/follow-up.ts';
import { dueAnalyses, nextBeginning, slotsFrom, slotsOf } from '../../shared/domain/poll.ts';
import type { AnalysisChange } from '../../shared/domain/ports.ts';
import { sendBooked } from '../../shared/queue/send-booked.ts';
import { beginLog, loggingFailure, logInfo, logWarning } from '../../shared/runtime/log.ts';
import { emit } from '../../shared/runtime/metrics.ts';
import * as wiring from '../../shared/runtime/wiring.ts';

/** Milliseconds that one analysis may take at the desk, and what a run keeps back before the function's own timeout. */
const ONE_ANALYSIS = 10_000;
const LAST_WORDS = 15_000;

const ports = () => ({
  analyses: wiring.analyses(),
  deskOf: wiring.desks(),
  queue: wiring.deliveryQueue(),
  cursors: wiring.cursors(),
  clock: wiring.clock(),
});
type Ports = ReturnType<typeof ports>;
let made: Ports | undefined;

const about = ({ bank, unit, id, requestId }: Analysis) => ({
  bank,
  unit,
  analysis: id,
  // Of the partner's call, so that whoever follows it finds what became of it.
  ...(requestId !== undefined && { request_id: requestId }),
});

/** Books what an analysis becomes, and tells the queue of its event. */
async function conclude(change: AnalysisChange, { analyses, queue, clock }: Ports): Promise<void> {
  if (!(await analyses.conclude(change))) {
    logWarning('transition_ignored', about(change.before));
    emit({ bank: change.before.bank }, { IgnoredTransition: 1 });
    return;
  }
  logInfo('analysis_concluded', { ...about(change.after), situation: change.after.situation });
  measureConclusion(change, clock());
  if (change.delivery) await sendBooked(queue, [change.delivery], clock());
}

/** Asks the desk about one analysis and books what it says. */
async function ask(analysis: Analysis, own: Ports, measures: PollMeasures): Promise<'answered' | 'failed'> {
  const { analyses, deskOf, clock } = own;
  const asked = clock();
  const found = await followUp(analysis, {
    desk: deskOf(analysis.environment),
    analyses,
    form: () => analyses.form(analysis, analysis.submission),
    read: readStatus,
    event: eventOf,
    clock,
    signal: AbortSignal.timeout(ONE_ANALYSIS),
  });
  measures.asked(asked, found.kind === 'change' || found.kind === 'note');
  if (found.kind === 'unavailable') return 'failed';
  if (found.kind === 'change') {
    await conclude(found.change, own);
    return 'answered';
  }
  if (found.unknownStatus) {
    logWarning('unknown_status', about(analysis));
    emit({ bank: analysis.bank }, { UnknownStatus: 1 });
  }
  if (found.kind === 'note') {
    await analyses.note(analysis, found.queryNumber, found.rawStatus);
    if (analysis.queryNumber === '') logInfo('handover_reconciled', about(analysis));
  }
  return 'answered';
}

/** Gives up what has waited for too long as it is met, without its bank, which may have stopped answering for good. */
async function* stillAwaited(
  due: AsyncIterable<Analysis>,
  own: Ports,
  measures: PollMeasures,
): AsyncGenerator<Analysis> {
  for await (const analysis of due) {
    measures.met(analysis);
    const change = expired(analysis, eventOf, own.clock());
    if (!change) yield analysis;
    else {
      logWarning('analysis_expired', about(analysis));
      await conclude(change, own);
    }
  }
}

interface Tick {
  readonly shard: number;
  readonly shards: number;
}

/** Each minute: asks about the pending analyses of one shard that are due by their age. */
export async function handler(tick: Tick, context: Context): Promise<void> {
  beginLog({ request_id: context.awsRequestId, operation: 'poll-bank-outcomes', shard: tick.shard });
  await loggingFailure(() => poll(tick, context));
}

async function poll({ shard, shards }: Tick, context: Context): Promise<void> {
  made ??= ports();
  const own = made;
  const now = own.clock();
  const job = `poll-bank-outcomes/${shard}`;
  const slots = slotsFrom(slotsOf(shard, shards), await own.cursors.read(job));
  let reached = slots[0]!;
  const due = dueAnalyses(own.analyses, slots, now, (slot) => {
    reached = slot;
  });
  const startedAt = new Map<Bank, number>();
  const measures = pollMeasures(now);
  const report = await runInLanes(
    stillAwaited(due, own, measures),
    (analysis) => {
      startedAt.set(analysis.bank, slotOf(analysis.id));
      return ask(analysis, own, measures);
    },
    { deadline: now + context.getRemainingTimeInMillis() - LAST_WORDS, clock: own.clock },
  );
  // The next run begins where this one left something over; a whole run needs no mark.
  const waiting = [...report.banks].filter(([, counts]) => counts.postponed > 0);
  const left = waiting.map(([bank]) => startedAt.get(bank) ?? slots[0]!);
  const next = nextBeginning(slots, report.finished ? left : [...left, reached]);
  if (next !== undefined) await own.cursors.write(job, next);
  measures.end(own.clock());
  if (report.firstError) throw report.firstError;
  const sum = (of: 'answered' | 'failed' | 'skipped' | 'postponed') =>
    [...report.banks.values()].reduce((all, counts) => all + counts[of], 0);
  logInfo('poll_completed', {
    answered: sum('answered'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    postponed: sum('postponed'),
  });
}
