import { ROUTES } from '../shared/contract/routes.ts';
import type { ImpactAlarmProps } from './constructs/impact-alarm.ts';
import { FUNCTIONS } from './functions.ts';
import {
  BANKS,
  byPartner,
  functionMetric,
  gatewayMetric,
  math,
  ours,
  perBank,
  queueMetric,
  tableMetric,
} from './metrics.ts';
import type { Stage } from './stages.ts';

/** The dashboard whose top row shows an alarm. */
export type Board = 'product' | 'partners' | 'platform';

/** An alarm of the watch stack. */
export interface AlarmRow extends Omit<ImpactAlarmProps, 'setting'> {
  readonly board: Board;
}

/**
 * Percent of failed calls at which the objective of 99.9 % in 30 days is lost early: 14.4 and 6 times the 0.1 % that
 * may fail, by which the month's budget is gone in two and in five days (Google's SRE workbook, chapter 5).
 */
const FAST_BURN = 1.44;
const SLOW_BURN = 0.6;

/** Operations that wait for banks or compute offers for all of them: their p99 may be higher. */
const SLOW_OPERATIONS: readonly string[] = ['create-simulation', 'submit-analyses'];

/** Calls on the table that the functions make. */
const TABLE_CALLS = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
] as const;

/** Every alarm that tells someone: the table of the operations manual as data. */
export function alarmsOf(stage: Stage): readonly AlarmRow[] {
  return [
    ...serviceLevel(stage),
    ...capacity(stage),
    ...polling(stage),
    ...banks(stage),
    ...webhooks(stage),
    ...table(stage),
    ...callers(stage),
  ];
}

/** Percent of calls answered 5xx over a window; 0 while there were fewer calls than `least`, so that one failure at night wakes no one. */
function failedShare(stage: Stage, minutes: number, least: number) {
  return math(
    `IF(calls >= ${least}, 100 * FILL(failed, 0) / calls, 0)`,
    {
      failed: gatewayMetric(stage, '5XXError', { minutes }),
      calls: gatewayMetric(stage, 'Count', { minutes }),
    },
    { minutes, label: `5xx, percent in ${minutes} min` },
  );
}

function serviceLevel(stage: Stage): AlarmRow[] {
  return [
    {
      name: 'error-budget-fast',
      board: 'platform',
      level: 'page',
      section: 'api-5xx',
      impact: 'Partners get errors on more than one call in seventy: the month’s error budget is gone in two days.',
      when: [
        { metric: failedShare(stage, 60, 50), above: FAST_BURN },
        // The long window carries the sample; the short one only says that it still goes on.
        { metric: failedShare(stage, 5, 1), above: FAST_BURN },
      ],
    },
    {
      name: 'error-budget-slow',
      board: 'platform',
      level: 'ticket',
      section: 'api-5xx',
      impact: 'Some calls of partners fail, a few all the time: the month’s error budget is gone in five days.',
      when: [
        { metric: failedShare(stage, 360, 200), above: SLOW_BURN },
        { metric: failedShare(stage, 30, 1), above: SLOW_BURN },
      ],
    },
    ...ROUTES.map((route): AlarmRow => {
      const slow = SLOW_OPERATIONS.includes(route.operation);
      return {
        name: `latency-${route.operation}`,
        board: 'platform',
        level: 'ticket',
        section: 'latency',
        impact: `Partners wait too long for ${route.method} ${route.path}: screens of brokers hang or give up.`,
        when: {
          metric: math(
            'IF(calls >= 20, p99, 0)',
            {
              p99: gatewayMetric(stage, 'Latency', { statistic: 'p99' }, route),
              calls: gatewayMetric(stage, 'Count', {}, route),
            },
            { label: 'p99, ms' },
          ),
          above: slow ? 15_000 : 3_000,
          datapoints: 3,
        },
      };
    }),
    ...FUNCTIONS.map(
      ({ operation, timeout }): AlarmRow => ({
        name: `duration-${operation}`,
        board: 'platform',
        level: 'ticket',
        section: 'latency',
        impact: `Runs of ${operation} come near their ${timeout} s: the next slow one is cut off in the middle.`,
        when: {
          metric: functionMetric(stage, 'Duration', operation, { statistic: 'Maximum' }),
          // Four fifths of it, in milliseconds.
          above: 800 * timeout,
          datapoints: 3,
          outOf: 5,
        },
      }),
    ),
  ];
}

function capacity(stage: Stage): AlarmRow[] {
  return [
    {
      name: 'lambda-throttles',
      board: 'platform',
      level: 'page',
      section: 'throttling',
      impact: 'Lambda refuses to run functions: partners get 503, or analyses and webhooks wait.',
      // Of the whole account: all functions in it take from the same limit.
      when: { metric: functionMetric(stage, 'Throttles', undefined), atLeast: 1 },
    },
    {
      name: 'lambda-concurrency',
      board: 'platform',
      level: 'ticket',
      section: 'throttling',
      impact: 'The account has used more than four fifths of its Lambda concurrency: the next peak is refused.',
      when: {
        metric: functionMetric(stage, 'ClaimedAccountConcurrency', undefined, { statistic: 'Maximum' }),
        above: 0.8 * stage.concurrency.accountLimit,
      },
    },
  ];
}

function polling(stage: Stage): AlarmRow[] {
  return [
    {
      name: 'poller-silent',
      board: 'platform',
      level: 'page',
      section: 'poller',
      impact: 'No one asks the banks about pending analyses, or not about all: outcomes stop arriving.',
      when: {
        // Every shard emits one value per tick and bank; the first bank stands for the tick.
        metric: ours(stage, 'Pending', { bank: BANKS[0] }, { statistic: 'SampleCount', minutes: 1 }),
        below: stage.pollShards,
        datapoints: 5,
        missingIsBad: true,
      },
    },
    {
      name: 'poll-lag',
      board: 'platform',
      level: 'page',
      section: 'poller',
      impact: 'The poller is more than three minutes behind: partners and their clients hear of outcomes late.',
      when: { metric: ours(stage, 'PollLag', {}, { statistic: 'p95' }), above: 180, datapoints: 2 },
    },
  ];
}

/** One metric as a math expression's m1, m2, ... */
function numbered<T>(metrics: readonly T[]): Record<string, T> {
  return Object.fromEntries(metrics.map((metric, index) => [`m${index + 1}`, metric]));
}

function banks(stage: Stage): AlarmRow[] {
  // What is older than a day is met once an hour: in a shorter window the alarm would go off and end each hour.
  const minutes = 120;
  const oldest = math(
    'MAX(METRICS())',
    numbered(perBank(stage, 'OldestPendingMinutes', { statistic: 'Maximum', minutes })),
    { label: 'oldest pending, minutes', minutes },
  );
  const DAY = 24 * 60;
  return [
    {
      name: 'oldest-pending-day',
      board: 'product',
      level: 'ticket',
      section: 'bank-stuck',
      impact: 'An analysis has been waiting for more than a day: its bank has forgotten it, or we have.',
      when: { metric: oldest, above: DAY },
    },
    {
      name: 'oldest-pending-week',
      board: 'product',
      level: 'page',
      section: 'bank-stuck',
      impact: 'An analysis has been waiting for more than a week: a sale is being lost, and at 30 days it is given up.',
      when: { metric: oldest, above: 7 * DAY },
    },
    ...BANKS.map(
      (bank): AlarmRow => ({
        name: `bank-failing-${bank}`,
        board: 'product',
        level: 'ticket',
        section: 'bank-stuck',
        impact: `The operator gives no usable answer for ${bank}: its submissions and outcomes wait.`,
        when: {
          metric: math(
            'IF(calls >= 10, 100 * FILL(failed, 0) / calls, 0)',
            {
              failed: ours(stage, 'OperatorErrors', { bank }, { minutes: 15 }),
              calls: ours(stage, 'OperatorLatency', { bank }, { statistic: 'SampleCount', minutes: 15 }),
            },
            { minutes: 15, label: 'failed, percent' },
          ),
          above: 20,
        },
      }),
    ),
    {
      name: 'unknown-status',
      board: 'product',
      level: 'ticket',
      section: 'status-map',
      impact: 'A bank sends a status text that no rule reads: its analyses stay pending although it may have decided.',
      when: {
        metric: math('SUM(FILL(METRICS(), 0))', numbered(perBank(stage, 'UnknownStatus')), { label: 'unknown texts' }),
        atLeast: 1,
      },
    },
  ];
}

function webhooks(stage: Stage): AlarmRow[] {
  const dead = queueMetric(stage, 'deadLetterQueue', 'ApproximateNumberOfMessagesVisible', { statistic: 'Maximum' });
  return [
    {
      name: 'webhook-delay',
      board: 'platform',
      level: 'page',
      section: 'webhooks',
      impact: 'Webhooks leave more than two minutes after their time: every partner hears of outcomes late.',
      when: { metric: ours(stage, 'WebhookDelay', {}, { statistic: 'p95' }), above: 120, datapoints: 2 },
    },
    {
      name: 'webhook-first-try',
      board: 'partners',
      level: 'ticket',
      section: 'webhooks',
      impact:
        'Fewer than four in five webhook attempts are first tries that arrive: partners’ endpoints or our sending are ill.',
      when: {
        metric: math(
          'IF(attempts >= 20, 100 * FILL(first, 0) / attempts, 100)',
          {
            first: ours(stage, 'WebhookFirstTryDelivered', {}, { minutes: 60 }),
            attempts: ours(stage, 'WebhookAttempts', {}, { minutes: 60 }),
          },
          { minutes: 60, label: 'delivered at the first try, percent of attempts' },
        ),
        below: 80,
      },
    },
    {
      name: 'dead-letters',
      board: 'platform',
      level: 'ticket',
      section: 'dlq-replay',
      impact: 'A partner has not received an event after all attempts, or a message could not be read.',
      when: { metric: dead, atLeast: 1 },
    },
    {
      name: 'dead-letters-many',
      board: 'platform',
      level: 'page',
      section: 'dlq-replay',
      impact: 'Events die in numbers: sending itself is broken, or a large partner is unreachable.',
      when: { metric: dead, atLeast: 50 },
    },
    {
      name: 'in-flight',
      board: 'platform',
      level: 'ticket',
      section: 'webhooks',
      impact: 'Half of what the delivery queue can hold in flight is taken; at 120,000 no webhook leaves any more.',
      when: {
        metric: queueMetric(stage, 'deliveryQueue', 'ApproximateNumberOfMessagesNotVisible', { statistic: 'Maximum' }),
        above: 60_000,
      },
    },
    {
      name: 'sweeper-repairs',
      board: 'platform',
      level: 'ticket',
      section: 'webhooks',
      impact: 'The queue keeps losing deliveries: webhooks arrive minutes late, by the sweeper’s hand.',
      when: { metric: ours(stage, 'SweeperRepairs', {}, { minutes: 1 }), above: 0, datapoints: 3 },
    },
    {
      name: 'endpoint-disabled',
      board: 'partners',
      level: 'ticket',
      section: 'partner-webhook',
      impact: 'A partner’s webhook address is switched off: its events are kept, and it hears of nothing.',
      when: { metric: ours(stage, 'EndpointsDisabled', {}, { statistic: 'Maximum' }), atLeast: 1 },
    },
    {
      name: 'delivery-exhausted',
      board: 'partners',
      level: 'ticket',
      section: 'partner-webhook',
      impact: 'An event has used up all its attempts: the partner does not know of an outcome.',
      when: { metric: ours(stage, 'WebhookExhausted', {}), atLeast: 1 },
    },
  ];
}

function table(stage: Stage): AlarmRow[] {
  const throttles = [{}, { index: 'byList' }, { index: 'byDue' }].flatMap((of) => [
    tableMetric(stage, 'ReadThrottleEvents', of),
    tableMetric(stage, 'WriteThrottleEvents', of),
  ]);
  const errors = TABLE_CALLS.map((call) => tableMetric(stage, 'SystemErrors', { call }));
  const sum = (metrics: typeof errors, label: string) => math('SUM(FILL(METRICS(), 0))', numbered(metrics), { label });
  return [
    {
      name: 'table-throttles',
      board: 'platform',
      level: 'page',
      section: 'table',
      impact: 'DynamoDB refuses calls for want of capacity: partners get 503 and analyses wait.',
      when: { metric: sum(throttles, 'refused calls'), atLeast: 1 },
    },
    {
      name: 'table-errors',
      board: 'platform',
      level: 'page',
      section: 'table',
      impact: 'DynamoDB itself fails: partners get 503 and analyses wait.',
      when: { metric: sum(errors, 'failed calls'), atLeast: 1 },
    },
  ];
}

function callers(stage: Stage): AlarmRow[] {
  return [
    {
      name: 'partner-rate',
      board: 'partners',
      level: 'ticket',
      section: 'rate',
      impact:
        'A partner calls far above its rate and is refused: its integration is stuck in a loop or has outgrown its limit.',
      when: { metric: byPartner(stage, 'RateLimited', { minutes: 15 }), above: 300 },
    },
    {
      name: 'authentication-failures',
      board: 'partners',
      level: 'ticket',
      section: 'leaked-key',
      impact:
        'Many calls come with keys that open nothing: someone tries keys, or a partner uses one that was replaced.',
      when: { metric: ours(stage, 'AuthenticationFailures', {}), above: 100 },
    },
  ];
}
