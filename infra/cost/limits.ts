import { POLL_BUCKETS, POLL_PACES } from '#shared/domain/analyses/poll-schedule.ts';
import { hours, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { DUE_BUCKETS } from '#shared/domain/webhooks/delivery.ts';
import type { Stage } from '../stages.ts';
import { ASSUMED, billedMilliseconds, type Consumption, monthlyRuns, SECONDS_A_DAY, SECONDS_A_MONTH } from './cost.ts';

/** A limit of AWS or of this service, and how much of it a number of partners uses in the busiest second. */
interface Limit {
  readonly what: string;
  readonly limit: number;
  readonly unit: string;
  /** Who sets the limit, and since when that is known. */
  readonly source: string;
  readonly taken: (load: Load) => number;
  /** What to change before the limit is reached. */
  readonly change: string;
}

/** Number of questions about one analysis each that a shard asks about a bank at the same time. */
const AT_ONCE = 10;
/** Number of analyses in the two batches that a shard asks about a bank at the same time. */
const BATCHED_AT_ONCE = 200;
/** Time of a tick in which a shard asks. */
const ASKING = seconds(40);

/** Returns how often the poller asks about an analysis whose bank decides after `wait`. */
export function timesDue(wait: Milliseconds): number {
  return POLL_PACES.reduce((times, { from, everyMinutes }, index) => {
    const end = Math.min(wait, POLL_PACES[index + 1]?.from ?? Number.POSITIVE_INFINITY);
    return times + Math.max(0, end - from) / minutes(everyMinutes);
  }, 0);
}

/** Returns the load in the busiest second of a number of partners, computed from the recorded runs. */
export function loadOf(partners: number, recorded: readonly Consumption[], { pollShards }: Stage) {
  const callsPerSecond = ((partners * ASSUMED.callsPerPartnerDay) / SECONDS_A_DAY) * ASSUMED.peak;
  const runs = Array.from(monthlyRuns(recorded, callsPerSecond, pollShards));
  const perSecond = (amount: (used: Consumption) => number) =>
    runs.reduce((total, [used, times]) => total + (amount(used) * times) / SECONDS_A_MONTH, 0);
  const analysesPerSecond = callsPerSecond * ASSUMED.mix['submit-analyses'] * ASSUMED.banksPerSubmission;
  return {
    partners,
    callsPerSecond,
    writePerSecond: perSecond(({ write }) => write),
    readPerSecond: perSecond(({ read }) => read),
    /** Number of functions that run at the same time. */
    running: perSecond((used) => billedMilliseconds(used) / seconds(1)),
    analysesPerSecond,
    /**
     * Number of analyses that are due in a minute, of all ages. Analyses that wait for more than an hour count at the
     * mean rate, because they were submitted over days and not at the peak.
     */
    duePerMinute: ASSUMED.waits.reduce((due, { share, minutes: waited }) => {
      const wait = minutes(waited);
      const rate = analysesPerSecond * 60 * (wait > hours(1) ? 1 / ASSUMED.peak : 1);
      return due + rate * share * timesDue(wait);
    }, 0),
    /**
     * Writes a second to the index of waiting deliveries. Each event enters the index when it is written, and leaves it
     * when it is delivered.
     */
    duePerSecond: 2 * analysesPerSecond,
  };
}
type Load = ReturnType<typeof loadOf>;

/** Returns every limit that a growing number of partners meets. */
export function limitsOf(stage: Stage): readonly Limit[] {
  const quota = (service: string) => `${service} quotas, default, 2025-10`;
  return [
    {
      what: 'the gateway: calls a second, if all call one method',
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
      // Each call writes one unit. The manager may raise one partner's limit up to the throttle of the stage.
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
      // Assumes that one partner in ten does not answer: its events of the last quarter of an hour wait in flight.
      taken: ({ analysesPerSecond }) => analysesPerSecond * ((minutes(15) * 0.1 + ASSUMED.receiverMs) / seconds(1)),
      change:
        'shorten the waits that stay in flight (QUEUE_WAIT in shared/domain/webhooks/delivery.ts): the sweeper takes over',
    },
  ];
}
