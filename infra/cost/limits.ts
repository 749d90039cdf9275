import { POLL_BUCKETS, POLL_PACES } from '#shared/domain/analyses/poll-schedule.ts';
import { hours, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { DUE_BUCKETS } from '#shared/domain/webhooks/delivery.ts';
import type { Stage } from '../stages.ts';
import { ASSUMED, billedMilliseconds, type Consumption, monthlyRuns, SECONDS_A_DAY, SECONDS_A_MONTH } from './cost.ts';

/** A limit of AWS or of ours, and how much of it a number of partners takes in the busiest second. */
interface Limit {
  readonly what: string;
  readonly limit: number;
  readonly unit: string;
  /** Who sets it, and since when that is known. */
  readonly source: string;
  readonly taken: (load: Load) => number;
  /** What to do before it is reached. */
  readonly change: string;
}

/** Questions about single analyses that a shard has open at one bank at the same time. */
const AT_ONCE = 10;
/** Analyses in the two batches that a shard has open at one bank at the same time. */
const BATCHED_AT_ONCE = 200;
/** Time of a tick in which a shard asks. */
const ASKING = seconds(40);

/** How often an analysis is due before its bank decides, when the decision takes this long. */
export function timesDue(wait: Milliseconds): number {
  return POLL_PACES.reduce((times, { from, everyMinutes }, index) => {
    const end = Math.min(wait, POLL_PACES[index + 1]?.from ?? Number.POSITIVE_INFINITY);
    return times + Math.max(0, end - from) / minutes(everyMinutes);
  }, 0);
}

/** The busiest second of a number of partners, out of what the runs took when they were recorded. */
export function loadOf(partners: number, recorded: readonly Consumption[], { pollShards }: Stage) {
  const callsPerSecond = ((partners * ASSUMED.callsPerPartnerDay) / SECONDS_A_DAY) * ASSUMED.peak;
  const runs = Array.from(monthlyRuns(recorded, callsPerSecond, pollShards));
  const perSecond = (of: (used: Consumption) => number) =>
    runs.reduce((total, [used, times]) => total + (of(used) * times) / SECONDS_A_MONTH, 0);
  const analysesPerSecond = callsPerSecond * ASSUMED.mix['submit-analyses'] * ASSUMED.banksPerSubmission;
  return {
    partners,
    callsPerSecond,
    writePerSecond: perSecond(({ write }) => write),
    readPerSecond: perSecond(({ read }) => read),
    /** Functions that run at the same time. */
    running: perSecond((used) => billedMilliseconds(used) / seconds(1)),
    /** Analyses submitted a second. */
    analysesPerSecond,
    /** Analyses due in a minute, young and old. What waits for days was submitted over days: at the mean rate, not at the peak's. */
    duePerMinute: ASSUMED.waits.reduce((due, { share, minutes: waited }) => {
      const wait = minutes(waited);
      const rate = analysesPerSecond * 60 * (wait > hours(1) ? 1 / ASSUMED.peak : 1);
      return due + rate * share * timesDue(wait);
    }, 0),
    /** Writes to the index of kept deliveries: each event enters it when it is booked, and leaves it when it is delivered. */
    duePerSecond: 2 * analysesPerSecond,
  };
}
type Load = ReturnType<typeof loadOf>;

/** Every limit that growth meets. */
export function limitsOf(stage: Stage): readonly Limit[] {
  const quota = (service: string) => `${service} quotas, default, 2025-10`;
  return [
    {
      what: 'the gateway: calls a second',
      limit: stage.throttle.rate,
      unit: '/s',
      source: 'infra/stages.ts, throttle',
      taken: ({ callsPerSecond }) => callsPerSecond,
      change: 'raise throttle, up to the 10,000/s of the account; a higher account quota is a request',
    },
    {
      what: 'the account at the gateway: calls a second',
      limit: 10_000,
      unit: '/s',
      source: quota('API Gateway'),
      taken: ({ callsPerSecond }) => callsPerSecond,
      change: 'request a higher account throttle; beyond it, split partners over two accounts',
    },
    {
      what: 'Lambda: functions at the same time',
      limit: stage.concurrency.accountLimit,
      unit: '',
      source: 'infra/stages.ts, concurrency.accountLimit, as requested from AWS',
      taken: ({ running }) => running,
      change: 'request more, then set accountLimit; reserve for the pollers; an operator that answers sooner halves it',
    },
    {
      what: 'the table: write units a second',
      limit: 40_000,
      unit: '/s',
      source: quota('DynamoDB on demand'),
      taken: ({ writePerSecond }) => writePerSecond,
      change: 'request a higher table quota; warm the table up before a known peak',
    },
    {
      what: 'the table: read units a second',
      limit: 40_000,
      unit: '/s',
      source: quota('DynamoDB on demand'),
      taken: ({ readPerSecond }) => readPerSecond,
      change: 'request a higher table quota',
    },
    {
      what: "one partition: a partner's auth item, at its rate limit",
      limit: 1_000,
      unit: 'write units/s',
      source: quota('DynamoDB partition'),
      // One unit a call; a single partner may be given what the stage's throttle lets through.
      taken: ({ callsPerSecond, partners }) => Math.max(callsPerSecond / partners, 2),
      change: 'only for a partner above 60,000 calls a minute: shard its auth item',
    },
    {
      what: 'one partition: a bucket of the pending index',
      limit: 1_000,
      unit: 'write units/s',
      source: quota('DynamoDB partition'),
      taken: ({ analysesPerSecond }) => (2 * analysesPerSecond * ASSUMED.busiestBank) / POLL_BUCKETS,
      change:
        'more buckets (POLL_BUCKETS in shared/domain/analyses/poll-schedule.ts): analyses of before keep theirs, so both sets are read while they wait',
    },
    {
      what: 'one partition: a bucket of the deliveries that the queue keeps',
      limit: 1_000,
      unit: 'write units/s',
      source: quota('DynamoDB partition'),
      taken: ({ duePerSecond }) => duePerSecond / DUE_BUCKETS.queue,
      change: 'more buckets (DUE_BUCKETS in shared/domain/webhooks/delivery.ts): read both sets for four days',
    },
    {
      what: 'the poller, asking one each: of the busiest bank in a minute',
      limit: Math.floor((stage.pollShards * AT_ONCE * ASKING) / ASSUMED.operatorQueryMs),
      unit: '/min',
      source: 'infra/stages.ts, pollShards, ten questions at once, at 300 ms an answer',
      taken: ({ duePerMinute }) => duePerMinute * ASSUMED.busiestBank,
      change: 'raise pollShards (up to 60; ten of them share one bank); the operator may answer batches',
    },
    {
      what: 'the poller, asking in batches: of the busiest bank in a minute',
      limit: Math.floor((stage.pollShards * BATCHED_AT_ONCE * ASKING) / ASSUMED.operatorQueryMs),
      unit: '/min',
      source: 'infra/stages.ts, pollShards, two batches of 100 at once, at 300 ms an answer',
      taken: ({ duePerMinute }) => duePerMinute * ASSUMED.busiestBank,
      change: 'raise pollShards (up to 60; ten of them share one bank)',
    },
    {
      what: 'the poller, asking in batches: CPU, of all banks in a minute',
      limit: Math.floor((stage.pollShards * ASKING * 1_000) / ASSUMED.pollCpuUs),
      unit: '/min',
      source: 'infra/cost/prices.json, pollCpuUs, measured by bench:poller',
      taken: ({ duePerMinute }) => duePerMinute,
      change: 'raise pollShards, or the memory of poll-bank-outcomes, with which its CPU grows',
    },
    {
      what: 'the delivery workers: attempts a second',
      limit: Math.floor((stage.webhookConcurrency * 5 * seconds(1)) / ASSUMED.receiverMs),
      unit: '/s',
      source: 'infra/stages.ts, webhookConcurrency, batches of 5',
      taken: ({ analysesPerSecond }) => analysesPerSecond,
      change: 'raise webhookConcurrency, up to 1,000',
    },
    {
      what: 'SQS: messages in flight',
      limit: 120_000,
      unit: '',
      source: quota('SQS standard queue'),
      // While one partner in ten does not answer, its events of a quarter of an hour wait in flight.
      taken: ({ analysesPerSecond }) => analysesPerSecond * ((minutes(15) * 0.1 + ASSUMED.receiverMs) / seconds(1)),
      change:
        'shorten the waits that stay in flight (QUEUE_WAIT in shared/domain/webhooks/delivery.ts): the sweeper takes over',
    },
  ];
}
