type Dimension = 'operation' | 'bank' | 'situacao' | 'class' | 'partner' | 'codigo';
export interface MetricRow {
  /** What tells its series apart, beside `stage`, which every metric carries. @default nothing */
  readonly by?: readonly [Dimension, ...Dimension[]];
  /** As CloudWatch spells it. @default Count */
  readonly unit?: 'Milliseconds' | 'Seconds' | 'None';
}

const COUNT = {} as const satisfies MetricRow;
const BY_OPERATION = { by: ['operation'] } as const satisfies MetricRow;
const BY_BANK = { by: ['bank'] } as const satisfies MetricRow;
const BY_PARTNER = { by: ['partner'] } as const satisfies MetricRow;

/** Every metric that the functions emit; alarms and dashboards name no other. */
export const METRICS = {
  // Service level: answered calls, how long each took inside the function, and those answered 5xx and 4xx.
  Requests: BY_OPERATION,
  Latency: { ...BY_OPERATION, unit: 'Milliseconds' },
  ServerErrors: BY_OPERATION,
  ClientErrors: BY_OPERATION,

  // The funnel: leads, those whose CPF was known already, simulated offers, analyses begun and with an outcome.
  LeadsCreated: COUNT,
  LeadsReused: COUNT,
  Simulations: BY_BANK,
  /** Days that the oldest of the banks' pricing tables has been in use, at each simulation. */
  TableAgeDays: { unit: 'None' },
  AnalysesSubmitted: BY_BANK,
  AnalysesConcluded: BY_BANK,
  /** Approval mix; all recusado or all erro at once is a fault of the mapping or of the bank. */
  Outcome: { by: ['bank', 'situacao'] },
  /** From submission to outcome. */
  TimeToOutcome: { ...BY_BANK, unit: 'Seconds' },

  /**
   * Waiting analyses that a tick met: young ones at every tick, older ones at their pace. Each shard emits its part for
   * every bank at every tick, 0 included, so that silence is an alarm.
   */
  Pending: BY_BANK,
  /** Age of the oldest waiting analysis of production that a tick met, 0 where none was: only an hour's maximum covers all of them. */
  OldestPendingMinutes: { ...BY_BANK, unit: 'None' },
  /**
   * Waiting analyses of production, met by a tick, for which the operator has no usable answer while it answers for
   * others: someone has to ask it about them.
   */
  AnalysesUnanswerable: BY_BANK,
  /** Now minus due time: of each part of the index with something due, the longest wait of what a run asked about or left. */
  PollLag: { unit: 'Seconds' },
  /** Questions put to the operator, and those that changed nothing: the price of waiting. */
  Polls: COUNT,
  PollsWithoutNews: COUNT,
  /** One tick of one shard, against its 55 s. */
  PollDuration: { unit: 'Milliseconds' },
  /** One value for each call to the operator, failed ones included: its sample count is the number of calls. */
  OperatorLatency: { ...BY_BANK, unit: 'Milliseconds' },
  /** Calls to the operator without a usable answer. */
  OperatorErrors: BY_BANK,
  /** Drift of a bank: status texts that no rule reads, and changes of what is final already. */
  UnknownStatus: BY_BANK,
  IgnoredTransition: BY_BANK,

  // Attempts with retries, those answered 2xx, events delivered at the first try, events given up after the last.
  WebhookAttempts: COUNT,
  WebhookDelivered: COUNT,
  WebhookFirstTryDelivered: COUNT,
  WebhookExhausted: COUNT,
  /** An attempt's start minus its due time: time that we lose, without the waits between retries. */
  WebhookDelay: { unit: 'Seconds' },
  WebhookFailures: { by: ['class'] },
  /** Webhook addresses that an attempt switched off, and events kept for such addresses. */
  EndpointsDisabled: COUNT,
  DeliveriesSuspended: COUNT,
  /** The sweeper: deliveries that the queue had lost, and retries queued when they fell due. */
  SweeperRepairs: COUNT,
  DeliveriesDue: COUNT,

  // Who calls, who is refused by rate, what partners get wrong, whose endpoint fails.
  PartnerRequests: BY_PARTNER,
  RateLimited: BY_PARTNER,
  ClientErrorsByCode: { by: ['codigo'] },
  PartnerWebhookFailures: BY_PARTNER,
  /** Refused keys: a leak or brute force. */
  AuthenticationFailures: COUNT,

  // Answers given again, one key with two bodies, calls that met their own first try, work resumed after a crash.
  IdempotencyReplays: COUNT,
  IdempotencyConflicts: COUNT,
  IdempotencyInFlight: COUNT,
  IdempotencyResumed: COUNT,

  // DynamoDB calls and capacity units, against the operation's budget.
  TableCalls: BY_OPERATION,
  TableUnits: BY_OPERATION,
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
/** The dimensions of a metric; `never` for one that has none. */
export type DimensionOf<N extends MetricName> = (typeof METRICS)[N] extends {
  readonly by: infer By extends readonly Dimension[];
}
  ? By[number]
  : never;
/** The metrics that have exactly these dimensions. */
export type MetricBy<D> = {
  [N in MetricName]: [DimensionOf<N>, D] extends [D, DimensionOf<N>] ? N : never;
}[MetricName];

/** Namespace of all of them. */
export const NAMESPACE = 'PartnerCredit';
/** The most values of one metric that a line may carry. */
const MOST_VALUES = 100;

let write = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Where metrics go instead of standard output: for tests that read them. */
export function sendMetricsTo(sink: (line: string) => void): void {
  write = sink;
}

/**
 * Emits values of metrics with the stage and these dimensions, in CloudWatch's embedded metric format: a line of JSON on
 * standard output that the log's own pipeline turns into metrics, at no call and no wait. A list is several values of
 * one metric. Dimensions hold no personal data: operation, bank, codigo, the partner's number.
 */
export function emit<D extends Dimension = never>(
  dimensions: Readonly<Record<D, string>>,
  values: { readonly [N in MetricBy<D>]?: number | readonly number[] },
): void {
  const given = Object.entries(values) as [MetricName, number | readonly number[]][];
  for (let from = 0; ; from += MOST_VALUES) {
    const now = given
      .map(([name, value]) => ({ name, some: [value].flat().slice(from, from + MOST_VALUES) }))
      .filter(({ some }) => some.length > 0);
    if (now.length === 0) return;
    const Metrics = now.map(({ name }) => ({ Name: name, Unit: unitOf(name) }));
    const Dimensions = [['stage', ...Object.keys(dimensions)]];
    write(
      JSON.stringify({
        _aws: { Timestamp: Date.now(), CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions, Metrics }] },
        stage: process.env['STAGE'] ?? 'unknown',
        ...dimensions,
        ...Object.fromEntries(now.map(({ name, some }) => [name, some.length === 1 ? some[0] : some])),
      }),
    );
  }
}

/** The unit of a metric, as CloudWatch spells it. */
export function unitOf(name: MetricName): string {
  return (METRICS[name] as MetricRow).unit ?? 'Count';
}

const used = { calls: 0, units: 0 };

/** Notes one call to the table and the capacity units that it says it took. */
export function noteTableUse(units: number): void {
  used.calls += 1;
  used.units += units;
}

/** The use of the table since it was last asked for. */
export function takeTableUse(): { readonly calls: number; readonly units: number } {
  const taken = { ...used };
  used.calls = 0;
  used.units = 0;
  return taken;
}
