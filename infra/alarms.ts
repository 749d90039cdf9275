import { ROUTES } from '../shared/contract/routes.ts';
import type { ImpactAlarmProps } from './constructs/impact-alarm.ts';
import { percentOf } from './formula.ts';
import { FUNCTIONS } from './functions.ts';
import { BANKS, type MetricSeries, math, metricsOf } from './metrics.ts';
import type { Stage } from './stages.ts';

/** The dashboard whose top row shows an alarm. */
export type BoardName = 'product' | 'partners' | 'platform';

/** An alarm of the watch stack. */
interface AlarmRow extends Omit<ImpactAlarmProps, 'setting'> {
  readonly board: BoardName;
}

/**
 * Percent of failed calls at which the objective of 99.9 % in 30 days is lost early: 14.4 and 6 times the 0.1 % that
 * may fail, by which the month's budget is gone in two and in five days (Google's SRE workbook, chapter 5).
 */
const FAST_BURN = 1.44;
const SLOW_BURN = 0.6;

/** Operations that wait for banks or compute offers for all of them: their p99 may be higher. */
const SLOW_OPERATIONS: readonly string[] = ['create-simulation', 'submit-analyses'];

type Where = Pick<AlarmRow, 'board' | 'section'>;
const rowsOf =
  (level: AlarmRow['level']) =>
  (name: string, where: Where, impact: string, when: AlarmRow['when']): AlarmRow => ({
    name,
    level,
    ...where,
    impact,
    when,
  });
/** Wakes someone. */
const page = rowsOf('page');
/** Waits for office hours. */
const ticket = rowsOf('ticket');

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

/** Percent that failed is of calls; 0 while there were fewer calls than `least`, so that one failure at night wakes no one. */
function percentFailed(failed: MetricSeries, calls: MetricSeries, least: number, label: string) {
  const formula = { if: 'calls', atLeast: least, gives: percentOf('failed', 'calls'), else: 0 };
  return math({ failed, calls }, formula, label);
}

function serviceLevel(stage: Stage): AlarmRow[] {
  const { gateway, route, lambda } = metricsOf(stage);
  const failedShare = (minutes: number, least: number) =>
    percentFailed(
      gateway('5XXError', { minutes }),
      gateway('Count', { minutes }),
      least,
      `5xx, percent in ${minutes} min`,
    );
  return [
    page(
      'error-budget-fast',
      { board: 'platform', section: 'api-5xx' },
      'Partners get errors on more than one call in seventy: the month’s error budget is gone in two days.',
      [
        { metric: failedShare(60, 50), above: FAST_BURN },
        // The long window carries the sample; the short one only says that it still goes on.
        { metric: failedShare(5, 1), above: FAST_BURN },
      ],
    ),
    ticket(
      'error-budget-slow',
      { board: 'platform', section: 'api-5xx' },
      'Some calls of partners fail, a few all the time: the month’s error budget is gone in five days.',
      [
        { metric: failedShare(360, 200), above: SLOW_BURN },
        { metric: failedShare(30, 1), above: SLOW_BURN },
      ],
    ),
    ...ROUTES.map((one) =>
      ticket(
        `latency-${one.operation}`,
        { board: 'platform', section: 'latency' },
        `Partners wait too long for ${one.method} ${one.path}: screens of brokers hang or give up.`,
        {
          metric: math(
            { p99: route('Latency', one, { statistic: 'p99' }), calls: route('Count', one) },
            { if: 'calls', atLeast: 20, gives: 'p99', else: 0 },
            'p99, ms',
          ),
          above: SLOW_OPERATIONS.includes(one.operation) ? 15_000 : 3_000,
          datapoints: 3,
        },
      ),
    ),
    ...FUNCTIONS.map(({ operation, timeout }) =>
      ticket(
        `duration-${operation}`,
        { board: 'platform', section: 'latency' },
        `Runs of ${operation} come near their ${timeout} s: the next slow one is cut off in the middle.`,
        {
          metric: lambda('Duration', operation, { statistic: 'Maximum' }),
          // Four fifths of it, in milliseconds.
          above: 800 * timeout,
          datapoints: 3,
          outOf: 5,
        },
      ),
    ),
  ];
}

function capacity(stage: Stage): AlarmRow[] {
  const { account } = metricsOf(stage);
  return [
    page(
      'lambda-throttles',
      { board: 'platform', section: 'throttling' },
      'Lambda refuses to run functions: partners get 503, or analyses and webhooks wait.',
      // Of the whole account: all functions in it take from the same limit.
      { metric: account('Throttles'), atLeast: 1 },
    ),
    ticket(
      'lambda-concurrency',
      { board: 'platform', section: 'throttling' },
      'The account has used more than four fifths of its Lambda concurrency: the next peak is refused.',
      {
        metric: account('ClaimedAccountConcurrency', { statistic: 'Maximum' }),
        above: 0.8 * stage.concurrency.accountLimit,
      },
    ),
  ];
}

function polling(stage: Stage): AlarmRow[] {
  const { own } = metricsOf(stage);
  return [
    page(
      'poller-silent',
      { board: 'platform', section: 'poller' },
      'No one asks the banks about pending analyses, or not about all: outcomes stop arriving.',
      {
        // Every shard emits one value per tick and bank; the first bank stands for the tick.
        metric: own('Pending', { bank: BANKS[0] }, { statistic: 'SampleCount', minutes: 1 }),
        below: stage.pollShards,
        datapoints: 5,
        missingIsBad: true,
      },
    ),
    page(
      'poll-lag',
      { board: 'platform', section: 'poller' },
      'The poller is more than three minutes behind: partners and their clients hear of outcomes late.',
      { metric: own('PollLag', {}, { statistic: 'p95' }), above: 180, datapoints: 2 },
    ),
  ];
}

/** Metrics under the names m1, m2, ... */
function numbered(series: readonly MetricSeries[]): Record<string, MetricSeries> {
  return Object.fromEntries(series.map((one, index) => [`m${index + 1}`, one]));
}

/** The sum of some metrics; those without a value count as 0. */
function sumOf(of: Readonly<Record<string, MetricSeries>>, label: string) {
  return math(of, { sum: 'FILL(METRICS(), 0)' }, label);
}

function banks(stage: Stage): AlarmRow[] {
  const { own, perBank } = metricsOf(stage);
  // What is older than a day is met once an hour: in a shorter window the alarm would go off and end each hour.
  const ages = perBank('OldestPendingMinutes', { statistic: 'Maximum', minutes: 120 });
  const oldest = math(ages, { max: 'METRICS()' }, 'oldest pending, minutes');
  const DAY = 24 * 60;
  return [
    ticket(
      'oldest-pending-day',
      { board: 'product', section: 'bank-stuck' },
      'An analysis has been waiting for more than a day: its bank has forgotten it, or we have.',
      { metric: oldest, above: DAY },
    ),
    page(
      'oldest-pending-week',
      { board: 'product', section: 'bank-stuck' },
      'An analysis has been waiting for more than a week: a sale is being lost, and at 30 days it is given up.',
      { metric: oldest, above: 7 * DAY },
    ),
    ...BANKS.map((bank) =>
      ticket(
        `bank-failing-${bank}`,
        { board: 'product', section: 'bank-stuck' },
        `The operator gives no usable answer for ${bank}: its submissions and outcomes wait.`,
        {
          metric: percentFailed(
            own('OperatorErrors', { bank }, { minutes: 15 }),
            own('OperatorLatency', { bank }, { statistic: 'SampleCount', minutes: 15 }),
            10,
            'failed, percent',
          ),
          above: 20,
        },
      ),
    ),
    ticket(
      'unknown-status',
      { board: 'product', section: 'status-map' },
      'A bank sends a status text that no rule reads: its analyses stay pending although it may have decided.',
      {
        metric: sumOf(perBank('UnknownStatus'), 'unknown texts'),
        atLeast: 1,
      },
    ),
  ];
}

function webhooks(stage: Stage): AlarmRow[] {
  const { own, queue } = metricsOf(stage);
  const dead = queue('ApproximateNumberOfMessagesVisible', 'deadLetterQueue');
  return [
    page(
      'webhook-delay',
      { board: 'platform', section: 'webhooks' },
      'Webhooks leave more than two minutes after their time: every partner hears of outcomes late.',
      { metric: own('WebhookDelay', {}, { statistic: 'p95' }), above: 120, datapoints: 2 },
    ),
    ticket(
      'webhook-first-try',
      { board: 'partners', section: 'webhooks' },
      'Fewer than four in five webhook attempts are first tries that arrive: partners’ endpoints or our sending are ill.',
      {
        metric: math(
          {
            first: own('WebhookFirstTryDelivered', {}, { minutes: 60 }),
            attempts: own('WebhookAttempts', {}, { minutes: 60 }),
          },
          { if: 'attempts', atLeast: 20, gives: percentOf('first', 'attempts'), else: 100 },
          'delivered at the first try, percent of attempts',
        ),
        below: 80,
      },
    ),
    ticket(
      'dead-letters',
      { board: 'platform', section: 'dlq-replay' },
      'A partner has not received an event after all attempts, or a message could not be read.',
      { metric: dead, atLeast: 1 },
    ),
    page(
      'dead-letters-many',
      { board: 'platform', section: 'dlq-replay' },
      'Events die in numbers: sending itself is broken, or a large partner is unreachable.',
      { metric: dead, atLeast: 50 },
    ),
    ticket(
      'in-flight',
      { board: 'platform', section: 'webhooks' },
      'Half of what the delivery queue can hold in flight is taken; at 120,000 no webhook leaves any more.',
      {
        metric: queue('ApproximateNumberOfMessagesNotVisible', 'deliveryQueue'),
        above: 60_000,
      },
    ),
    ticket(
      'sweeper-repairs',
      { board: 'platform', section: 'webhooks' },
      'The queue keeps losing deliveries: webhooks arrive minutes late, by the sweeper’s hand.',
      { metric: own('SweeperRepairs', {}, { minutes: 1 }), above: 0, datapoints: 3 },
    ),
    ticket(
      'endpoint-disabled',
      { board: 'partners', section: 'partner-webhook' },
      'A partner’s webhook address is switched off: its events are kept, and it hears of nothing.',
      { metric: own('EndpointsDisabled', {}, { statistic: 'Maximum' }), atLeast: 1 },
    ),
    ticket(
      'delivery-exhausted',
      { board: 'partners', section: 'partner-webhook' },
      'An event has used up all its attempts: the partner does not know of an outcome.',
      { metric: own('WebhookExhausted', {}), atLeast: 1 },
    ),
  ];
}

function table(stage: Stage): AlarmRow[] {
  const metrics = metricsOf(stage);
  const throttles = [{}, { GlobalSecondaryIndexName: 'byList' }, { GlobalSecondaryIndexName: 'byDue' }].flatMap(
    (of) => [metrics.table('ReadThrottleEvents', of), metrics.table('WriteThrottleEvents', of)],
  );
  const errors = TABLE_CALLS.map((Operation) => metrics.table('SystemErrors', { Operation }));
  return [
    page(
      'table-throttles',
      { board: 'platform', section: 'table' },
      'DynamoDB refuses calls for want of capacity: partners get 503 and analyses wait.',
      { metric: sumOf(numbered(throttles), 'refused calls'), atLeast: 1 },
    ),
    page(
      'table-errors',
      { board: 'platform', section: 'table' },
      'DynamoDB itself fails: partners get 503 and analyses wait.',
      { metric: sumOf(numbered(errors), 'failed calls'), atLeast: 1 },
    ),
  ];
}

function callers(stage: Stage): AlarmRow[] {
  const { own, byPartner } = metricsOf(stage);
  return [
    ticket(
      'partner-rate',
      { board: 'partners', section: 'rate' },
      'A partner calls far above its rate and is refused: its integration is stuck in a loop or has outgrown its limit.',
      { metric: byPartner('RateLimited', { minutes: 15 }), above: 300 },
    ),
    ticket(
      'authentication-failures',
      { board: 'partners', section: 'leaked-key' },
      'Many calls come with keys that open nothing: someone tries keys, or a partner uses one that was replaced.',
      { metric: own('AuthenticationFailures', {}), above: 100 },
    ),
  ];
}
