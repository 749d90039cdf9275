import { days, hours, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { CERTIFICATE_DAYS } from '../alarms/service-level.ts';
import type { Formula } from '../formula.ts';
import { API_OPERATIONS, FUNCTIONS, POLLERS, PROBE } from '../functions.ts';
import { FIREWALL_RULES, math, metricsOf, named } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { graph, HALF, logQuery, NONE_IS_GOOD, part, percentiles, tile, type Widget } from './widget.ts';

export const PLATFORM_GUIDE = [
  '**Is the machinery sound?** Start with the burn rate: above 14.4 for an hour it wakes someone, above 6 it makes a',
  'ticket. Then follow the path of a call: gateway, functions, table, queue, poller. Errors and throttles should stay',
  'at zero. A longest run near its timeout will be the next error.',
].join(' ');

/** Makes one point of the 30 days of the objective. */
const OBJECTIVE = { period: days(30) };
const operations = FUNCTIONS.map(({ operation }) => operation);

export function platform(stage: Stage): Widget[][] {
  const { own, every, gateway, account, lambda, table, queue, firewall } = metricsOf(stage);
  const firewallLines = {
    ...named(FIREWALL_RULES, (rule) => firewall('BlockedRequests', rule)),
    allowed: firewall('AllowedRequests', 'ALL'),
  };
  const blocked = graph('Blocked by the web firewall (per 5 min)', firewallLines, { width: HALF });
  const starts = logQuery(
    'Starts of containers and their durations',
    operations,
    [
      "filter @type = 'REPORT' and ispresent(@initDuration)",
      'stats count(*) as starts, pct(@initDuration, 50) as p50, max(@initDuration) as longest, max(@maxMemoryUsed / 1000000) as megabytes by @log',
      'sort starts desc',
    ],
    HALF,
  );
  const burn = (period: Milliseconds) => {
    const window = period / minutes(1);
    const [failed, calls] = [`failed${window}`, `calls${window}`];
    return math({ [failed]: gateway('5XXError', { period }), [calls]: gateway('Count', { period }) }, [
      [{ fill: failed }, '/', calls],
      '/',
      0.001,
    ]);
  };
  const failed = { failed: gateway('5XXError', OBJECTIVE), calls: gateway('Count', OBJECTIVE) };
  const failedShare: Formula = [{ fill: 'failed' }, '/', 'calls'];
  return [
    [
      tile(
        'Answered without a fault of ours, in 30 days (objective 99.9)',
        'percent',
        math(failed, [100, '-', [100, '*', failedShare]]),
      ),
      tile(
        'Rest of the month’s error budget',
        'percent',
        math(failed, [100, '-', [[100_000, '*', { fill: 'failed' }], '/', 'calls']]),
      ),
    ],
    [
      graph(
        'Burn rate of the error budget (1 = just used up in 30 days)',
        { 'over 1 h': burn(hours(1)), 'over 6 h': burn(hours(6)) },
        { thresholds: { page: 14.4, ticket: 6 } },
      ),
      graph('Calls and refusals (per 5 min)', {
        calls: gateway('Count'),
        '4xx': gateway('4XXError'),
        '5xx': gateway('5XXError'),
      }),
      graph(
        'Latency at the gateway',
        percentiles((statistic) => gateway('Latency', { statistic })),
        { unit: 'ms' },
      ),
    ],
    part('The path of a call'),
    [
      graph(
        'Checks from outside that passed (percent, per 5 min)',
        { passed: math({ checks: own('ProbeSuccess', {}, { statistic: 'Average' }) }, [100, '*', 'checks']) },
        { max: 100, unit: 'percent' },
      ),
      graph(
        'Latency from outside, a call with a key',
        percentiles((statistic) => own('ProbeLatency', {}, { statistic })),
        { unit: 'ms' },
      ),
      graph(
        'Days until the certificate ends',
        { days: own('CertificateDays', {}, { statistic: 'Minimum' }) },
        { thresholds: { 'ticket below': CERTIFICATE_DAYS }, empty: 'Read from TLS. This run speaks plain http.' },
      ),
    ],
    [
      graph('Calls by operation (per 5 min)', every('Latency', { statistic: 'SampleCount' }), { stacked: true }),
      graph('Latency by operation, p95', every('Latency', { statistic: 'p95' }), { unit: 'ms' }),
      graph('5xx by operation (per 5 min)', every('ServerErrors'), { stacked: true, empty: NONE_IS_GOOD }),
    ],
    part('The functions'),
    [
      graph(
        'Functions that crash or run out of time (per 5 min)',
        named(operations, (operation) => lambda('Errors', operation)),
      ),
      graph(
        'Refused runs (per 5 min)',
        named(operations, (operation) => lambda('Throttles', operation)),
      ),
      graph(
        'Concurrency of the account',
        {
          claimed: account('ClaimedAccountConcurrency', { statistic: 'Maximum' }),
          running: account('ConcurrentExecutions', { statistic: 'Maximum' }),
        },
        { thresholds: { limit: stage.concurrency.accountLimit } },
      ),
    ],
    [
      graph(
        'Latency by function, p99',
        named(API_OPERATIONS, (operation) => lambda('Duration', operation, { statistic: 'p99' })),
        { unit: 'ms', width: HALF },
      ),
      graph(
        'Longest run against the timeout (percent)',
        Object.fromEntries(
          FUNCTIONS.map(({ operation, timeout }, index) => {
            const longest = lambda('Duration', operation, { statistic: 'Maximum' });
            return [operation, math({ [`longest${index}`]: longest }, [`longest${index}`, '/', timeout * 10])];
          }),
        ),
        { unit: 'percent', width: HALF, thresholds: { ticket: 80 } },
      ),
    ],
    stage.firewall ? [starts, blocked] : [starts],
    part('The table'),
    [
      graph('Table: refused for want of capacity (per 5 min)', {
        reads: table('ReadThrottleEvents'),
        writes: table('WriteThrottleEvents'),
      }),
      graph(
        'Table: latency, p99',
        named(['GetItem', 'UpdateItem', 'Query', 'TransactWriteItems'], (Operation) =>
          table('SuccessfulRequestLatency', { Operation }, { statistic: 'p99' }),
        ),
        { unit: 'ms' },
      ),
      graph('Table: units used (per 5 min)', {
        read: table('ConsumedReadCapacityUnits'),
        written: table('ConsumedWriteCapacityUnits'),
      }),
    ],
    [
      logQuery('Table calls and units by operation, in production', API_OPERATIONS, [
        "filter code = 'request_completed'",
        'stats count(*) as calls, avg(table_calls) as table_calls, avg(table_units) as units, max(table_units) as most by operation',
        'sort units desc',
      ]),
    ],
    part('The queue and the pollers'),
    [
      graph('Deliveries waiting and in flight', {
        waiting: queue('ApproximateNumberOfMessagesVisible', 'deliveryQueue'),
        'in flight': queue('ApproximateNumberOfMessagesNotVisible', 'deliveryQueue'),
      }),
      graph(
        'Age of the oldest message (waiting retries may be old)',
        { age: queue('ApproximateAgeOfOldestMessage', 'deliveryQueue') },
        { unit: 'seconds' },
      ),
      graph('Dead letters', { dead: queue('ApproximateNumberOfMessagesVisible', 'deadLetterQueue') }),
    ],
    [
      graph(
        'Delay of webhooks',
        percentiles((statistic) => own('WebhookDelay', { environment: 'producao' }, { statistic })),
        { unit: 'seconds', thresholds: { page: 120 } },
      ),
      graph('Sweeper (per 5 min)', {
        'retries that became due': own('DeliveriesDue', {}),
        repaired: own('SweeperRepairs', {}),
      }),
      graph(
        'Delay of the poller',
        percentiles((statistic) => own('PollLag', {}, { statistic })),
        { unit: 'seconds', thresholds: { page: 180 } },
      ),
    ],
    [
      graph('Questions to the operator (per 5 min)', { polls: own('Polls', {}) }),
      graph(
        'Length of a tick',
        percentiles((statistic) => lambda('Duration', POLLERS.outcomes, { statistic })),
        { unit: 'ms', thresholds: { timeout: seconds(55) } },
      ),
      graph(
        'Runs of the pollers (per 5 min)',
        named([...Object.values(POLLERS), PROBE], (operation) => lambda('Invocations', operation)),
      ),
    ],
  ];
}
