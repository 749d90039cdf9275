/**
 * Simulates the poller's schedule on a virtual clock: `pollShard` itself, over an index in memory and operators that
 * take time to answer. Measures what partners would notice, and evaluates the alarm on the lag as CloudWatch would.
 */

import { seededRandom } from '#infra/local/aws/aws-like/settings.ts';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import type { PollObserver } from '#shared/domain/analyses/poll-questions.ts';
import { paceOf, YOUNG } from '#shared/domain/analyses/poll-schedule.ts';
import { pollShard } from '#shared/domain/analyses/poll-shard.ts';
import type { OperatorApi, OperatorStatus } from '#shared/domain/analyses/ports.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { drawId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from './analysis.ts';
import { PollWorld, SILENT } from './poll-world.ts';
import { virtualClock } from './virtual-clock.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Time in which a run may begin work, of the 55 s that it has. */
const ASKING = 40_000;
/** The alarm is on if at least 20 lags were reported in ten minutes and their p95 is above 180 s. */
const ALARM = { above: 180_000, minutes: 10, least: 20 };

export interface Setting {
  readonly seed: number;
  readonly days: number;
  readonly shards: number;
  /** Number of pending analyses at the beginning, with all ages up to 30 days. */
  readonly pending: number;
  /** Number of submissions a day. */
  readonly perDay: number;
  /**
   * Milliseconds in which the operator answers a call, on average. Each answer takes half to one and a half times as
   * long.
   */
  readonly answerMs: number;
  readonly batches: boolean;
  /** A bank about which the operator answers nothing. */
  readonly dead?: Bank;
  /** A bank about which each answer takes 9.5 s. */
  readonly slow?: Bank;
  /** Share of analyses about which the operator has no usable answer. @default 0 */
  readonly unanswerable?: number;
  /** Share of analyses that batch answers leave out, although a question about one of them is answered. @default 0 */
  readonly unlisted?: number;
}

export interface Simulated {
  /**
   * The longest wait between two questions about an analysis, divided by the pace at its age. Only analyses that can be
   * answered count.
   */
  readonly worst: number;
  /** The longest wait of a young analysis in minutes. */
  readonly youngWait: number;
  /** Number of waits that were too long while the alarm was off. `recordWait` says how long a wait may be. */
  readonly silentlyLate: number;
  readonly alarmMinutes: number;
  /**
   * Number of analyses that were given up unheard: the last question had a final or no usable answer, or was more than
   * a minute ago.
   */
  readonly expiredUnheard: number;
  /** Number of questions about an unanswerable analysis, for each analysis and day. */
  readonly retries: number;
}

interface PlannedAnalysis {
  askedAt: number;
  readonly decidesAt: number;
  readonly isUnanswerable: boolean;
  readonly isUnlisted: boolean;
}

/**
 * Returns how long a bank takes to decide: most a quarter of an hour, some a day, a few weeks, and one in a hundred
 * never.
 */
function decision(random: () => number): number {
  const chance = random();
  if (chance < 0.8) return random() * 15 * MINUTE;
  if (chance < 0.95) return random() * DAY;
  return chance < 0.99 ? random() * 25 * DAY : Number.POSITIVE_INFINITY;
}

/** Plays the poller minute by minute for the days of a setting. Returns what partners would notice. */
export async function simulate(setting: Setting): Promise<Simulated> {
  const random = seededRandom(setting.seed);
  const start = 29_700_000 * MINUTE;
  const clock = virtualClock(start);
  const world = new PollWorld({ records: false });
  const planned = new Map<number, PlannedAnalysis>();
  const lags: (readonly number[])[] = [];
  const alarmAt: boolean[] = [];
  const measures = { worst: 0, youngWait: 0, silentlyLate: 0, expiredUnheard: 0, retries: 0 };
  let unanswerableDays = 0;

  function add(createdAt: number, decidesAt: number): void {
    const analysis = makeAnalysis({
      id: drawId(createdAt, (below) => Math.floor(random() * below)),
      bank: BANKS[Math.floor(random() * BANKS.length)]!,
      createdAt,
    });
    // The random part of an id has 4,096 values, so two ids of the same millisecond may be equal.
    if (planned.has(analysis.id)) return;
    const isUnanswerable = random() < (setting.unanswerable ?? 0);
    if (isUnanswerable) unanswerableDays += (start + setting.days * DAY - Math.max(createdAt, start)) / DAY;
    const isUnlisted = random() < (setting.unlisted ?? 0);
    planned.set(analysis.id, { askedAt: Math.max(createdAt, start), decidesAt, isUnanswerable, isUnlisted });
    world.add(analysis);
  }

  /** The waits of this minute that were too long unless the alarm was on in that time. */
  let longWaits: { readonly from: number; readonly to: number }[] = [];

  /** Whether the alarm was on in any minute between two moments. */
  function wasAlarmed(from: number, to: number): boolean {
    const minute = (moment: number) => Math.floor((moment - start) / MINUTE);
    return alarmAt.slice(Math.max(0, minute(from)), minute(to) + 1).includes(true);
  }

  /** Records a wait that ended at `now`, or that still lasts at the end of the simulation. */
  function recordWait({ bank, createdAt }: Analysis, plan: PlannedAnalysis, now: number): void {
    if (bank === setting.dead || plan.isUnanswerable) return;
    const pace = paceOf(now - createdAt);
    const wait = now - plan.askedAt;
    measures.worst = Math.max(measures.worst, wait / pace);
    if (now - createdAt < YOUNG) measures.youngWait = Math.max(measures.youngWait, wait / MINUTE);
    // The alarm fires only above 180 s. A run begins each minute, and may begin questions for most of that minute.
    const allowed = Math.max(2 * pace, pace + ALARM.above) + MINUTE;
    if (wait > allowed) longWaits.push({ from: plan.askedAt + pace, to: now });
  }

  /** Called after the alarm of the minute has been evaluated. */
  function countSilentlyLate(): void {
    measures.silentlyLate += longWaits.filter(({ from, to }) => !wasAlarmed(from, to)).length;
    longWaits = [];
  }

  function statusOf(analysis: Analysis, inBatch: boolean): OperatorStatus {
    const plan = planned.get(analysis.id)!;
    if (inBatch && plan.isUnlisted) return { kind: 'unanswerable' };
    const now = clock.now();
    recordWait(analysis, plan, now);
    plan.askedAt = now;
    if (analysis.bank === setting.dead) return { kind: 'failed' };
    if (plan.isUnanswerable) {
      measures.retries += 1;
      return { kind: 'unanswerable' };
    }
    const rawStatus = now >= plan.decidesAt ? 'Aprovado' : analysis.rawStatus;
    return { kind: 'known', queryNumber: analysis.queryNumber, rawStatus };
  }

  const answerTime = ({ bank }: Analysis) => {
    if (bank === setting.dead) return 10_000;
    return bank === setting.slow ? 9_500 : 10 * Math.round((setting.answerMs * (0.5 + random())) / 10);
  };
  const operator: OperatorApi = {
    openFor: () => undefined,
    submit: () => Promise.reject(new Error('no analysis is submitted here')),
    async query(analysis) {
      const status = statusOf(analysis, false);
      await clock.sleep(answerTime(analysis));
      return status;
    },
    ...(setting.batches && {
      async queryBatch(analyses: readonly Analysis[]) {
        const statuses = analyses.map((analysis) => statusOf(analysis, true));
        await clock.sleep(answerTime(analyses[0]!));
        return analyses[0]!.bank === setting.dead ? 'failed' : statuses;
      },
    }),
  };
  const observer: PollObserver = {
    ...SILENT,
    concluded({ before }) {
      planned.delete(before.id);
    },
    gaveUp({ id, bank }) {
      const { askedAt, decidesAt, isUnanswerable } = planned.get(id)!;
      if (bank === setting.dead || isUnanswerable || askedAt >= decidesAt || clock.now() - askedAt > MINUTE)
        measures.expiredUnheard += 1;
    },
    ended(lagsOfRun) {
      lags[lags.length - 1] = [...lags.at(-1)!, ...lagsOfRun];
    },
  };
  const deps = world.deps(clock.now, () => operator);

  function isAlarmed(): boolean {
    const values = lags
      .slice(-ALARM.minutes)
      .flat()
      .sort((a, b) => a - b);
    return values.length >= ALARM.least && values[Math.floor(values.length * 0.95)]! > ALARM.above;
  }

  for (let index = 0; index < setting.pending; index++) {
    const age = random() * 30 * DAY;
    add(Math.floor(start - age), start + random() * (30 * DAY - age));
  }
  const minutes = setting.days * 24 * 60;
  let submissionsDue = 0;
  for (let minute = 0; minute < minutes; minute++) {
    const now = start + minute * MINUTE;
    for (submissionsDue += setting.perDay / (24 * 60); submissionsDue >= 1; submissionsDue -= 1) {
      const createdAt = now - Math.floor(random() * MINUTE);
      add(createdAt, createdAt + decision(random));
    }
    clock.advanceTo(now);
    lags.push([]);
    await clock.play(
      Promise.all(
        Array.from({ length: setting.shards }, (_, shard) =>
          pollShard({ shard, shards: setting.shards }, now + ASKING, deps, observer),
        ),
      ),
    );
    alarmAt.push(isAlarmed());
    countSilentlyLate();
    if (lags.length > ALARM.minutes) lags[lags.length - ALARM.minutes - 1] = [];
  }
  const end = start + minutes * MINUTE;
  for (const analysis of [...world.partitions.values()].flat()) recordWait(analysis, planned.get(analysis.id)!, end);
  countSilentlyLate();
  return {
    ...measures,
    retries: unanswerableDays > 0 ? measures.retries / unanswerableDays : 0,
    alarmMinutes: alarmAt.filter(Boolean).length,
  };
}
