/** Every metric that the functions emit, with its unit. What each is for stands in infra/metrics.ts; a test holds the two together. */
export const UNITS = {
  Requests: 'Count',
  Latency: 'Milliseconds',
  ServerErrors: 'Count',
  ClientErrors: 'Count',
  LeadsCreated: 'Count',
  LeadsReused: 'Count',
  Simulations: 'Count',
  AnalysesSubmitted: 'Count',
  AnalysesConcluded: 'Count',
  Outcome: 'Count',
  TimeToOutcome: 'Seconds',
  Pending: 'Count',
  OldestPendingMinutes: 'None',
  AnalysesUnanswerable: 'Count',
  PollLag: 'Seconds',
  Polls: 'Count',
  PollsWithoutNews: 'Count',
  PollDuration: 'Milliseconds',
  OperatorLatency: 'Milliseconds',
  OperatorErrors: 'Count',
  WebhookAttempts: 'Count',
  WebhookDelivered: 'Count',
  WebhookFirstTryDelivered: 'Count',
  WebhookExhausted: 'Count',
  WebhookDelay: 'Seconds',
  WebhookFailures: 'Count',
  EndpointsDisabled: 'Count',
  DeliveriesSuspended: 'Count',
  PartnerRequests: 'Count',
  RateLimited: 'Count',
  ClientErrorsByCode: 'Count',
  PartnerWebhookFailures: 'Count',
  SweeperRepairs: 'Count',
  DeliveriesDue: 'Count',
  IdempotencyReplays: 'Count',
  IdempotencyConflicts: 'Count',
  IdempotencyInFlight: 'Count',
  IdempotencyResumed: 'Count',
  UnknownStatus: 'Count',
  IgnoredTransition: 'Count',
  AuthenticationFailures: 'Count',
  TableCalls: 'Count',
  TableUnits: 'Count',
} as const;

export type MetricName = keyof typeof UNITS;
type Dimension = 'operation' | 'bank' | 'situacao' | 'class' | 'partner' | 'codigo';
type Values = Readonly<Partial<Record<MetricName, number | readonly number[]>>>;

const NAMESPACE = 'PartnerCredit';
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
export function emit(dimensions: Readonly<Partial<Record<Dimension, string>>>, values: Values): void {
  let left = Object.entries(values).map(([name, value]) => ({ name: name as MetricName, values: [value].flat() }));
  while (left.length > 0) {
    const now = left.map(({ name, values: all }) => ({ name, values: all.slice(0, MOST_VALUES) }));
    const metrics = now.map(({ name }) => ({ Name: name, Unit: UNITS[name] }));
    const Dimensions = [['stage', ...Object.keys(dimensions)]];
    const head = { Timestamp: Date.now(), CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions, Metrics: metrics }] };
    write(
      JSON.stringify({
        _aws: head,
        stage: process.env['STAGE'] ?? 'unknown',
        ...dimensions,
        ...Object.fromEntries(now.map(({ name, values: some }) => [name, some.length === 1 ? some[0] : some])),
      }),
    );
    left = left.flatMap(({ name, values: all }) =>
      all.length > MOST_VALUES ? [{ name, values: all.slice(MOST_VALUES) }] : [],
    );
  }
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
