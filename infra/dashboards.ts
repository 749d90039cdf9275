import { Duration } from 'aws-cdk-lib';
import {
  type AlarmBase,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { ROUTES } from '../shared/contract/routes.ts';
import type { Board } from './alarms.ts';
import { FIREWALL_RULES } from './constructs/web-firewall.ts';
import { DELIVERY_WORKER, FUNCTIONS, POLLERS } from './functions.ts';
import {
  BANKS,
  byPartner,
  everyOf,
  firewallMetric,
  functionMetric,
  gatewayMetric,
  math,
  OUTCOMES,
  ours,
  perBank,
  queueMetric,
  tableMetric,
} from './metrics.ts';
import { logGroupNameOf, prefixOf, type Stage } from './stages.ts';

/** Widths of a dashboard of 24 columns. */
const THIRD = 8;
const HALF = 12;
const FULL = 24;
const HEIGHT = 6;

/** The three views of operators. The top row of each shows its alarms, the second says how to read it. */
export class Dashboards extends Construct {
  constructor(scope: Construct, id: string, stage: Stage, alarms: Readonly<Record<Board, readonly AlarmBase[]>>) {
    super(scope, id);
    const rows = { product: product(stage), partners: partners(stage), platform: platform(stage) };
    for (const board of ['product', 'partners', 'platform'] as const) {
      const shown = alarms[board];
      new Dashboard(this, TITLES[board], {
        dashboardName: `${prefixOf(stage)}-${board}`,
        defaultInterval: Duration.hours(12),
        widgets: [
          [
            new AlarmStatusWidget({
              title: `Alarms: ${TITLES[board]}`,
              alarms: [...shown],
              width: FULL,
              // A row of the widget holds about six alarms.
              height: 2 + Math.ceil(shown.length / 6),
            }),
          ],
          [new TextWidget({ markdown: guide(board, stage), width: FULL, height: 5 })],
          ...rows[board],
        ],
      });
    }
  }
}

const TITLES: Readonly<Record<Board, string>> = { product: 'Product', partners: 'Partners', platform: 'Platform' };

const HOW_TO_READ: Readonly<Record<Board, string>> = {
  product: [
    '**Is the product doing its work?** Read the funnel from left to right: a step that falls while the one before it',
    'does not is where people are lost. In the outcome mix, one bank that turns all *recusado* or all *erro* at once is',
    'a fault of our mapping or of the bank, not of its clients. Pending counts what the poller had to ask about in that',
    'minute: all that are younger than a quarter of an hour, the others every 2, 10 or 60 minutes. It should rise and fall',
    'with submissions; the oldest pending is a matter of hours, not days.',
  ].join(' '),
  partners: [
    '**Who calls, and what goes wrong for them?** A *codigo* that jumps right after a partner’s release is a bug on their',
    'side: tell them. Refusals by rate belong to one partner at a time. Webhook failures of one partner are its endpoint;',
    'of all partners at once they are ours. Which unit is behind a partner is in the query of the last row.',
  ].join(' '),
  platform: [
    '**Is the machinery sound?** Begin at the burn rate: above 14.4 for an hour someone is woken, above 6 it becomes a',
    'ticket. Then go down the path of a call: gateway, functions, table, queue, poller. Errors and throttles should be',
    'flat at zero; a maximum duration near its timeout is the next error.',
  ].join(' '),
};

function guide(board: Board, stage: Stage): string {
  return `${HOW_TO_READ[board]}\n\nWhat to do for each alarm: [runbook](${stage.runbookUrl}). Times are UTC; a widget's title says what one point is.`;
}

interface Axis {
  readonly width?: number;
  readonly stacked?: boolean;
  /** Of the left axis. */
  readonly unit?: string;
  readonly max?: number;
  readonly lines?: readonly { readonly value: number; readonly label: string }[];
}

function graph(title: string, metrics: readonly IMetric[], axis: Axis = {}): GraphWidget {
  return new GraphWidget({
    title,
    left: [...metrics],
    width: axis.width ?? THIRD,
    height: HEIGHT,
    stacked: axis.stacked ?? false,
    leftYAxis: {
      min: 0,
      showUnits: false,
      ...(axis.unit !== undefined && { label: axis.unit }),
      ...(axis.max !== undefined && { max: axis.max }),
    },
    ...(axis.lines && { leftAnnotations: [...axis.lines] }),
  });
}

const percentiles = (of: (statistic: string) => IMetric): IMetric[] => ['p50', 'p90', 'p99'].map(of);

/** One series out of one per bank. */
function overBanks(stage: Stage, name: 'Simulations' | 'AnalysesSubmitted' | 'AnalysesConcluded', label: string) {
  const metrics = perBank(stage, name);
  const entries = metrics.map((metric, index) => [`${name.toLowerCase()}${index}`, metric] as const);
  return math(`SUM([${entries.map(([key]) => key).join(', ')}])`, Object.fromEntries(entries), { label });
}

function product(stage: Stage): IWidget[][] {
  return [
    [
      graph(
        'Funnel: lead, simulation, analysis, outcome (per 5 min)',
        [
          ours(stage, 'LeadsCreated', {}, { label: 'leads created' }),
          ours(stage, 'LeadsReused', {}, { label: 'leads reused' }),
          overBanks(stage, 'Simulations', 'simulated offers'),
          overBanks(stage, 'AnalysesSubmitted', 'analyses submitted'),
          overBanks(stage, 'AnalysesConcluded', 'analyses concluded'),
        ],
        { width: FULL },
      ),
    ],
    [
      graph('Simulated offers per bank (per 5 min)', perBank(stage, 'Simulations')),
      graph('Analyses submitted per bank (per 5 min)', perBank(stage, 'AnalysesSubmitted')),
      graph('Analyses concluded per bank (per 5 min)', perBank(stage, 'AnalysesConcluded')),
    ],
    ...[BANKS.slice(0, 3), BANKS.slice(3)].map((row) =>
      row.map((bank) =>
        graph(
          `Outcomes of ${bank} (per hour)`,
          OUTCOMES.map((situacao) => ours(stage, 'Outcome', { bank, situacao }, { label: situacao, minutes: 60 })),
          { stacked: true },
        ),
      ),
    ),
    ['p50', 'p90', 'p99'].map((statistic) =>
      graph(`Time to outcome, ${statistic} (per hour)`, perBank(stage, 'TimeToOutcome', { statistic, minutes: 60 }), {
        unit: 'seconds',
      }),
    ),
    [
      graph('Pending analyses that were due (per minute)', perBank(stage, 'Pending', { minutes: 1 }), {
        stacked: true,
      }),
      graph(
        'Oldest pending (per hour)',
        perBank(stage, 'OldestPendingMinutes', { statistic: 'Maximum', minutes: 60 }),
        {
          unit: 'minutes',
          lines: [{ value: 24 * 60, label: 'ticket' }],
        },
      ),
      graph('Operator errors per bank (per 5 min)', perBank(stage, 'OperatorErrors')),
    ],
    [
      graph('Operator latency, p95', perBank(stage, 'OperatorLatency', { statistic: 'p95' }), { unit: 'ms' }),
      graph('Status texts that no rule reads (per 5 min)', perBank(stage, 'UnknownStatus')),
      graph('Changes of what is final already (per 5 min)', perBank(stage, 'IgnoredTransition')),
    ],
    [
      graph(
        'Analyses without a usable answer (most in a tick, per hour)',
        perBank(stage, 'AnalysesUnanswerable', { statistic: 'Maximum', minutes: 60 }),
      ),
    ],
    [
      graph(
        'Partners with the most calls (per hour)',
        [byPartner(stage, 'PartnerRequests', { limit: 10, minutes: 60 })],
        { width: FULL },
      ),
    ],
  ];
}

function partners(stage: Stage): IWidget[][] {
  const attempts = ours(stage, 'WebhookAttempts', {}, { minutes: 60 });
  return [
    [
      graph('Partners with the most calls (per 5 min)', [byPartner(stage, 'PartnerRequests', { limit: 10 })]),
      graph('Partners refused by rate (per 5 min)', [byPartner(stage, 'RateLimited', { limit: 10 })]),
      graph('Refused keys (per 5 min)', [ours(stage, 'AuthenticationFailures', {}, { label: 'refused keys' })], {
        lines: [{ value: 100, label: 'ticket' }],
      }),
    ],
    [
      graph('4xx by codigo (per 5 min)', [everyOf(stage, 'ClientErrorsByCode')], { stacked: true }),
      graph('4xx by operation (per 5 min)', [everyOf(stage, 'ClientErrors')], { stacked: true }),
      graph('Repeated calls (per 5 min)', [
        ours(stage, 'IdempotencyReplays', {}, { label: 'answered again' }),
        ours(stage, 'IdempotencyConflicts', {}, { label: 'same key, other body' }),
        ours(stage, 'IdempotencyInFlight', {}, { label: 'first try still runs' }),
        ours(stage, 'IdempotencyResumed', {}, { label: 'taken up after a crash' }),
      ]),
    ],
    [
      graph(
        'Webhook attempts that succeed (percent, per hour)',
        [
          math(
            '100 * FILL(delivered, 0) / attempts',
            { delivered: ours(stage, 'WebhookDelivered', {}, { minutes: 60 }), attempts },
            { minutes: 60, label: 'of all attempts' },
          ),
          math(
            '100 * FILL(first, 0) / attempts',
            { first: ours(stage, 'WebhookFirstTryDelivered', {}, { minutes: 60 }), attempts },
            { minutes: 60, label: 'at the first try' },
          ),
        ],
        { max: 100, unit: 'percent', lines: [{ value: 80, label: 'ticket below' }] },
      ),
      graph('Failed attempts by class (per 5 min)', [everyOf(stage, 'WebhookFailures')], { stacked: true }),
      graph('Partners whose endpoint fails (per 5 min)', [byPartner(stage, 'PartnerWebhookFailures', { limit: 10 })]),
    ],
    [
      graph('Given up', [ours(stage, 'WebhookExhausted', {}, { label: 'events after their last attempt' })]),
      graph('Switched-off addresses', [
        ours(stage, 'EndpointsDisabled', {}, { statistic: 'Maximum', label: 'addresses' }),
      ]),
      graph('Events kept for them', [
        ours(stage, 'DeliveriesSuspended', {}, { statistic: 'Maximum', label: 'events' }),
      ]),
    ],
    [
      new LogQueryWidget({
        title: 'Webhook attempts per unit, worst first',
        logGroupNames: [logGroupNameOf(stage, DELIVERY_WORKER)],
        queryLines: [
          "filter code = 'delivery_attempted'",
          "stats count(*) as attempts, sum(strcontains(next, 'entregue')) as delivered by partner, unit",
          'display partner, unit, attempts, delivered, 100 * delivered / attempts as percent',
          'sort percent asc',
          'limit 50',
        ],
        width: FULL,
        height: HEIGHT,
      }),
    ],
  ];
}

function burn(stage: Stage, minutes: number): IMetric {
  const [failed, calls] = [`failed${minutes}`, `calls${minutes}`];
  return math(
    `(FILL(${failed}, 0) / ${calls}) / 0.001`,
    {
      [failed]: gatewayMetric(stage, '5XXError', { minutes }),
      [calls]: gatewayMetric(stage, 'Count', { minutes }),
    },
    { minutes, label: `over ${minutes / 60} h` },
  );
}

function platform(stage: Stage): IWidget[][] {
  const named = (metric: 'Errors' | 'Throttles', operation: string) =>
    functionMetric(stage, metric, operation, { label: operation });
  const operations = FUNCTIONS.map(({ operation }) => operation);
  return [
    [
      graph('Burn rate of the error budget (1 = just used up in 30 days)', [burn(stage, 60), burn(stage, 360)], {
        lines: [
          { value: 14.4, label: 'page' },
          { value: 6, label: 'ticket' },
        ],
      }),
      graph('Calls and refusals (per 5 min)', [
        gatewayMetric(stage, 'Count', { label: 'calls' }),
        gatewayMetric(stage, '4XXError', { label: '4xx' }),
        gatewayMetric(stage, '5XXError', { label: '5xx' }),
      ]),
      graph(
        'Latency at the gateway',
        percentiles((statistic) => gatewayMetric(stage, 'Latency', { statistic, label: statistic })),
        { unit: 'ms' },
      ),
    ],
    [
      graph('Calls by operation (per 5 min)', [everyOf(stage, 'Requests')], { stacked: true }),
      graph('Latency by operation, p95', [everyOf(stage, 'Latency', { statistic: 'p95' })], { unit: 'ms' }),
      graph('5xx by operation (per 5 min)', [everyOf(stage, 'ServerErrors')], { stacked: true }),
    ],
    [
      graph(
        'Latency by route, p99',
        ROUTES.map((route) => gatewayMetric(stage, 'Latency', { statistic: 'p99', label: route.operation }, route)),
        { unit: 'ms', width: HALF },
      ),
      graph(
        'Longest run against the timeout (percent)',
        FUNCTIONS.map(({ operation, timeout }, index) =>
          math(
            `longest${index} / ${timeout * 10}`,
            { [`longest${index}`]: functionMetric(stage, 'Duration', operation, { statistic: 'Maximum' }) },
            { label: operation },
          ),
        ),
        { unit: 'percent', width: HALF, lines: [{ value: 80, label: 'ticket' }] },
      ),
    ],
    [
      graph(
        'Functions that crash or run out of time (per 5 min)',
        operations.map((operation) => named('Errors', operation)),
      ),
      graph(
        'Refused runs (per 5 min)',
        operations.map((operation) => named('Throttles', operation)),
      ),
      graph(
        'Concurrency of the account',
        [
          functionMetric(stage, 'ClaimedAccountConcurrency', undefined, { statistic: 'Maximum', label: 'claimed' }),
          functionMetric(stage, 'ConcurrentExecutions', undefined, { statistic: 'Maximum', label: 'running' }),
        ],
        { lines: [{ value: stage.concurrency.accountLimit, label: 'limit' }] },
      ),
    ],
    [
      new LogQueryWidget({
        title: 'Starts of containers and what they took',
        logGroupNames: operations.map((operation) => logGroupNameOf(stage, operation)),
        queryLines: [
          "filter @type = 'REPORT' and ispresent(@initDuration)",
          'stats count(*) as starts, pct(@initDuration, 50) as p50, max(@initDuration) as longest, max(@maxMemoryUsed / 1000000) as megabytes by @log',
          'sort starts desc',
        ],
        width: HALF,
        height: HEIGHT,
      }),
      ...(stage.firewall
        ? [
            graph(
              'Blocked by the web firewall (per 5 min)',
              FIREWALL_RULES.map((rule) => firewallMetric(stage, rule)),
              { width: HALF },
            ),
          ]
        : []),
    ],
    [
      graph('Table: refused for want of capacity (per 5 min)', [
        tableMetric(stage, 'ReadThrottleEvents', {}, { label: 'reads' }),
        tableMetric(stage, 'WriteThrottleEvents', {}, { label: 'writes' }),
      ]),
      graph(
        'Table: latency, p99',
        ['GetItem', 'UpdateItem', 'Query', 'TransactWriteItems'].map((call) =>
          tableMetric(stage, 'SuccessfulRequestLatency', { call }, { statistic: 'p99', label: call }),
        ),
        { unit: 'ms' },
      ),
      graph('Table: units used (per 5 min)', [
        tableMetric(stage, 'ConsumedReadCapacityUnits', {}, { label: 'read' }),
        tableMetric(stage, 'ConsumedWriteCapacityUnits', {}, { label: 'written' }),
      ]),
    ],
    [
      graph('Table calls by operation (per 5 min)', [everyOf(stage, 'TableCalls')], { width: HALF }),
      graph('Table units by operation (per 5 min)', [everyOf(stage, 'TableUnits')], { width: HALF }),
    ],
    [
      graph('Deliveries waiting and in flight', [
        queueMetric(stage, 'deliveryQueue', 'ApproximateNumberOfMessagesVisible', {
          statistic: 'Maximum',
          label: 'waiting',
        }),
        queueMetric(stage, 'deliveryQueue', 'ApproximateNumberOfMessagesNotVisible', {
          statistic: 'Maximum',
          label: 'in flight',
        }),
      ]),
      graph(
        'Age of the oldest message (waiting retries are old by right)',
        [queueMetric(stage, 'deliveryQueue', 'ApproximateAgeOfOldestMessage', { statistic: 'Maximum', label: 'age' })],
        { unit: 'seconds' },
      ),
      graph('Dead letters', [
        queueMetric(stage, 'deadLetterQueue', 'ApproximateNumberOfMessagesVisible', {
          statistic: 'Maximum',
          label: 'dead',
        }),
      ]),
    ],
    [
      graph(
        'Webhooks behind their time',
        percentiles((statistic) => ours(stage, 'WebhookDelay', {}, { statistic, label: statistic })),
        { unit: 'seconds', lines: [{ value: 120, label: 'page' }] },
      ),
      graph('Sweeper (per 5 min)', [
        ours(stage, 'DeliveriesDue', {}, { label: 'retries that fell due' }),
        ours(stage, 'SweeperRepairs', {}, { label: 'repaired' }),
      ]),
      graph(
        'Poller behind its time',
        percentiles((statistic) => ours(stage, 'PollLag', {}, { statistic, label: statistic })),
        { unit: 'seconds', lines: [{ value: 180, label: 'page' }] },
      ),
    ],
    [
      graph('Polls (per 5 min)', [
        ours(stage, 'Polls', {}, { label: 'all' }),
        ours(stage, 'PollsWithoutNews', {}, { label: 'without news' }),
      ]),
      graph(
        'Length of a tick',
        percentiles((statistic) => ours(stage, 'PollDuration', {}, { statistic, label: statistic })),
        { unit: 'ms', lines: [{ value: 55_000, label: 'timeout' }] },
      ),
      graph(
        'Runs of the pollers (per 5 min)',
        Object.values(POLLERS).map((operation) =>
          functionMetric(stage, 'Invocations', operation, { label: operation }),
        ),
      ),
    ],
  ];
}
