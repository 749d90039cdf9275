import { ROUTES } from '../shared/contract/routes.ts';
import { alarmsOf, type BoardName } from './alarms.ts';
import { percentOf } from './formula.ts';
import { DELIVERY_WORKER, FUNCTIONS, POLLERS } from './functions.ts';
import {
  BANKS,
  type EverySeries,
  FIREWALL_RULES,
  type MathSeries,
  type MetricSeries,
  math,
  metricsOf,
  named,
  OUTCOMES,
  type PartnerSeries,
} from './metrics.ts';
import type { Stage } from './stages.ts';

/** What a widget is on the 24 columns of a dashboard, in CloudWatch and on the local page. */
export type Widget = Graph | AlarmList | Text | LogQuery;

interface Placed {
  readonly title: string;
  /** Columns. */
  readonly width: number;
}

export interface Graph extends Placed {
  readonly kind: 'graph';
  readonly lines: Lines | Search;
  readonly stacked: boolean;
  /** Of the axis. */
  readonly unit?: string;
  /** Of the axis. */
  readonly max?: number;
  /** Value of each horizontal line, by label. */
  readonly thresholds?: Readonly<Record<string, number>>;
}

/** Each line's series by its label. */
type Lines = Readonly<Record<string, MetricSeries | MathSeries>>;
/** One search, whose series bring labels of their own. */
type Search = EverySeries | PartnerSeries;

export function isSearch(lines: Lines | Search): lines is Search {
  return typeof lines.kind === 'string';
}

interface AlarmList extends Placed {
  readonly kind: 'alarms';
  /** Without the stage's prefix. */
  readonly names: readonly string[];
}

interface Text extends Placed {
  readonly kind: 'text';
  readonly markdown: string;
}

interface LogQuery extends Placed {
  readonly kind: 'log';
  /** Whose logs are read. */
  readonly operations: readonly string[];
  /** Lines of Logs Insights. */
  readonly query: readonly string[];
}

/** A dashboard: widgets in rows, from top to bottom. */
export interface Board {
  readonly name: BoardName;
  readonly title: string;
  readonly rows: readonly (readonly Widget[])[];
}

const THIRD = 8;
const HALF = 12;
const FULL = 24;

/** The three views of operators. The top row of each shows its alarms, the second says how to read it. */
export function boardsOf(stage: Stage): readonly Board[] {
  const board = (name: BoardName, title: string, guide: string, rows: Board['rows']): Board => {
    const names = alarmsOf(stage).filter((alarm) => alarm.board === name);
    const links = `What to do for each alarm: [runbook](${stage.runbookUrl}). Times are UTC; a widget's title says what one point is.`;
    return {
      name,
      title,
      rows: [
        [{ kind: 'alarms', title: `Alarms: ${title}`, width: FULL, names: names.map((alarm) => alarm.name) }],
        [{ kind: 'text', title: '', width: FULL, markdown: `${guide}\n\n${links}` }],
        ...rows,
      ],
    };
  };
  return [
    board('product', 'Product', PRODUCT_GUIDE, product(stage)),
    board('partners', 'Partners', PARTNERS_GUIDE, partners(stage)),
    board('platform', 'Platform', PLATFORM_GUIDE, platform(stage)),
  ];
}

const PRODUCT_GUIDE = [
  '**Is the product doing its work?** Read the funnel from left to right: a step that falls while the one before it',
  'does not is where people are lost. In the outcome mix, one bank that turns all *recusado* or all *erro* at once is',
  'a fault of our mapping or of the bank, not of its clients. Pending counts what the poller had to ask about in that',
  'minute: all that are younger than a quarter of an hour, the others every 2, 10 or 60 minutes. It should rise and fall',
  'with submissions; the oldest pending is a matter of hours, not days.',
].join(' ');

const PARTNERS_GUIDE = [
  '**Who calls, and what goes wrong for them?** A *codigo* that jumps right after a partner’s release is a bug on their',
  'side: tell them. Refusals by rate belong to one partner at a time. Webhook failures of one partner are its endpoint;',
  'of all partners at once they are ours. Which unit is behind a partner is in the query of the last row.',
].join(' ');

const PLATFORM_GUIDE = [
  '**Is the machinery sound?** Begin at the burn rate: above 14.4 for an hour someone is woken, above 6 it becomes a',
  'ticket. Then go down the path of a call: gateway, functions, table, queue, poller. Errors and throttles should be',
  'flat at zero; a maximum duration near its timeout is the next error.',
].join(' ');

type Style = Partial<Pick<Graph, 'width' | 'stacked' | 'unit' | 'max' | 'thresholds'>>;

function graph(title: string, lines: Graph['lines'], style: Style = {}): Graph {
  return { kind: 'graph', title, lines, width: THIRD, stacked: false, ...style };
}

const percentiles = (of: (statistic: string) => MetricSeries) => named(['p50', 'p90', 'p99'], of);
const operations = FUNCTIONS.map(({ operation }) => operation);

function product(stage: Stage): Widget[][] {
  const { own, perBank, byPartner } = metricsOf(stage);
  const overBanks = (name: 'Simulations' | 'AnalysesSubmitted' | 'AnalysesConcluded') => {
    const ofBanks = Object.values(perBank(name)).map(
      (series, index) => [`${name.toLowerCase()}${index}`, series] as const,
    );
    return math(Object.fromEntries(ofBanks), { sum: ofBanks.map(([id]) => id) });
  };
  const outcomesOf = (bank: string) =>
    graph(
      `Outcomes of ${bank} (per hour)`,
      named(OUTCOMES, (situacao) => own('Outcome', { bank, situacao }, { minutes: 60 })),
      { stacked: true },
    );
  return [
    [
      graph(
        'Funnel: lead, simulation, analysis, outcome (per 5 min)',
        {
          'leads created': own('LeadsCreated', {}),
          'leads reused': own('LeadsReused', {}),
          'simulated offers': overBanks('Simulations'),
          'analyses submitted': overBanks('AnalysesSubmitted'),
          'analyses concluded': overBanks('AnalysesConcluded'),
        },
        { width: FULL },
      ),
    ],
    [
      graph('Simulated offers per bank (per 5 min)', perBank('Simulations')),
      graph('Analyses submitted per bank (per 5 min)', perBank('AnalysesSubmitted')),
      graph('Analyses concluded per bank (per 5 min)', perBank('AnalysesConcluded')),
    ],
    BANKS.slice(0, 3).map(outcomesOf),
    BANKS.slice(3).map(outcomesOf),
    ['p50', 'p90', 'p99'].map((statistic) =>
      graph(`Time to outcome, ${statistic} (per hour)`, perBank('TimeToOutcome', { statistic, minutes: 60 }), {
        unit: 'seconds',
      }),
    ),
    [
      graph('Pending analyses that were due (per minute)', perBank('Pending', { minutes: 1 }), { stacked: true }),
      graph('Oldest pending (per hour)', perBank('OldestPendingMinutes', { statistic: 'Maximum', minutes: 60 }), {
        unit: 'minutes',
        thresholds: { ticket: 24 * 60 },
      }),
      graph('Operator errors per bank (per 5 min)', perBank('OperatorErrors')),
    ],
    [
      graph('Operator latency, p95', perBank('OperatorLatency', { statistic: 'p95' }), { unit: 'ms' }),
      graph('Status texts that no rule reads (per 5 min)', perBank('UnknownStatus')),
      graph('Changes of what is final already (per 5 min)', perBank('IgnoredTransition')),
    ],
    [
      graph(
        'Analyses without a usable answer (most in a tick, per hour)',
        perBank('AnalysesUnanswerable', { statistic: 'Maximum', minutes: 60 }),
      ),
    ],
    [
      graph('Partners with the most calls (per hour)', byPartner('PartnerRequests', { limit: 10, minutes: 60 }), {
        width: FULL,
      }),
    ],
  ];
}

function partners(stage: Stage): Widget[][] {
  const { own, every, byPartner } = metricsOf(stage);
  const hour = { minutes: 60 };
  const attempts = own('WebhookAttempts', {}, hour);
  return [
    [
      graph('Partners with the most calls (per 5 min)', byPartner('PartnerRequests', { limit: 10 })),
      graph('Partners refused by rate (per 5 min)', byPartner('RateLimited', { limit: 10 })),
      graph(
        'Refused keys (per 5 min)',
        { 'refused keys': own('AuthenticationFailures', {}) },
        { thresholds: { ticket: 100 } },
      ),
    ],
    [
      graph('4xx by codigo (per 5 min)', every('ClientErrorsByCode'), { stacked: true }),
      graph('4xx by operation (per 5 min)', every('ClientErrors'), { stacked: true }),
      graph('Repeated calls (per 5 min)', {
        'answered again': own('IdempotencyReplays', {}),
        'same key, other body': own('IdempotencyConflicts', {}),
        'first try still runs': own('IdempotencyInFlight', {}),
        'taken up after a crash': own('IdempotencyResumed', {}),
      }),
    ],
    [
      graph(
        'Webhook attempts that succeed (percent, per hour)',
        {
          'of all attempts': math(
            { delivered: own('WebhookDelivered', {}, hour), attempts },
            percentOf('delivered', 'attempts'),
          ),
          'at the first try': math(
            { first: own('WebhookFirstTryDelivered', {}, hour), attempts },
            percentOf('first', 'attempts'),
          ),
        },
        { max: 100, unit: 'percent', thresholds: { 'ticket below': 80 } },
      ),
      graph('Failed attempts by class (per 5 min)', every('WebhookFailures'), { stacked: true }),
      graph('Partners whose endpoint fails (per 5 min)', byPartner('PartnerWebhookFailures', { limit: 10 })),
    ],
    [
      graph('Given up', { 'events after their last attempt': own('WebhookExhausted', {}) }),
      graph('Switched-off addresses', { addresses: own('EndpointsDisabled', {}, { statistic: 'Maximum' }) }),
      graph('Events kept for them', { events: own('DeliveriesSuspended', {}, { statistic: 'Maximum' }) }),
    ],
    [
      {
        kind: 'log',
        title: 'Webhook attempts per unit, worst first',
        operations: [DELIVERY_WORKER],
        query: [
          "filter code = 'delivery_attempted'",
          "stats count(*) as attempts, sum(strcontains(next, 'entregue')) as delivered by partner, unit",
          'display partner, unit, attempts, delivered, 100 * delivered / attempts as percent',
          'sort percent asc',
          'limit 50',
        ],
        width: FULL,
      },
    ],
  ];
}

function platform(stage: Stage): Widget[][] {
  const { own, every, gateway, route, account, lambda, table, queue, firewall } = metricsOf(stage);
  const burn = (minutes: number) => {
    const [failed, calls] = [`failed${minutes}`, `calls${minutes}`];
    return math({ [failed]: gateway('5XXError', { minutes }), [calls]: gateway('Count', { minutes }) }, [
      [{ fill: failed }, '/', calls],
      '/',
      0.001,
    ]);
  };
  return [
    [
      graph(
        'Burn rate of the error budget (1 = just used up in 30 days)',
        { 'over 1 h': burn(60), 'over 6 h': burn(360) },
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
    [
      graph('Calls by operation (per 5 min)', every('Requests'), { stacked: true }),
      graph('Latency by operation, p95', every('Latency', { statistic: 'p95' }), { unit: 'ms' }),
      graph('5xx by operation (per 5 min)', every('ServerErrors'), { stacked: true }),
    ],
    [
      graph(
        'Latency by route, p99',
        Object.fromEntries(ROUTES.map((one) => [one.operation, route('Latency', one, { statistic: 'p99' })])),
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
      {
        kind: 'log',
        title: 'Starts of containers and what they took',
        operations,
        query: [
          "filter @type = 'REPORT' and ispresent(@initDuration)",
          'stats count(*) as starts, pct(@initDuration, 50) as p50, max(@initDuration) as longest, max(@maxMemoryUsed / 1000000) as megabytes by @log',
          'sort starts desc',
        ],
        width: HALF,
      },
      ...(stage.firewall
        ? [graph('Blocked by the web firewall (per 5 min)', named(FIREWALL_RULES, firewall), { width: HALF })]
        : []),
    ],
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
      graph('Table calls by operation (per 5 min)', every('TableCalls'), { width: HALF }),
      graph('Table units by operation (per 5 min)', every('TableUnits'), { width: HALF }),
    ],
    [
      graph('Deliveries waiting and in flight', {
        waiting: queue('ApproximateNumberOfMessagesVisible', 'deliveryQueue'),
        'in flight': queue('ApproximateNumberOfMessagesNotVisible', 'deliveryQueue'),
      }),
      graph(
        'Age of the oldest message (waiting retries are old by right)',
        { age: queue('ApproximateAgeOfOldestMessage', 'deliveryQueue') },
        { unit: 'seconds' },
      ),
      graph('Dead letters', { dead: queue('ApproximateNumberOfMessagesVisible', 'deadLetterQueue') }),
    ],
    [
      graph(
        'Webhooks behind their time',
        percentiles((statistic) => own('WebhookDelay', {}, { statistic })),
        { unit: 'seconds', thresholds: { page: 120 } },
      ),
      graph('Sweeper (per 5 min)', {
        'retries that fell due': own('DeliveriesDue', {}),
        repaired: own('SweeperRepairs', {}),
      }),
      graph(
        'Poller behind its time',
        percentiles((statistic) => own('PollLag', {}, { statistic })),
        { unit: 'seconds', thresholds: { page: 180 } },
      ),
    ],
    [
      graph('Polls (per 5 min)', { all: own('Polls', {}), 'without news': own('PollsWithoutNews', {}) }),
      graph(
        'Length of a tick',
        percentiles((statistic) => own('PollDuration', {}, { statistic })),
        { unit: 'ms', thresholds: { timeout: 55_000 } },
      ),
      graph(
        'Runs of the pollers (per 5 min)',
        named(Object.values(POLLERS), (operation) => lambda('Invocations', operation)),
      ),
    ],
  ];
}
