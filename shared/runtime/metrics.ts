type Dimension = 'operation' | 'environment' | 'bank' | 'situacao' | 'class' | 'codigo';
export interface MetricRow {
  /** What tells its series apart, beside `stage`, which every metric carries. @default nothing */
  readonly by?: readonly [Dimension, ...Dimension[]];
  /** As CloudWatch spells it. @default Count */
  readonly unit?: 'Milliseconds' | 'Seconds' | 'None';
  /** Whether it has a series over all banks as well, by environment alone: `emitTotal`. @default false */
  readonly total?: true;
}

const COUNT = {} as const satisfies MetricRow;
const OPERATION = ['operation'] as const;
const ENVIRONMENT = ['environment'] as const;
const BANK = ['environment', 'bank'] as const;

/**
 * Every metric that the functions emit; alarms and dashboards name no other. What partners' traffic causes tells the
 * sandbox apart, for which nobody is woken. None equals the sample count of another: calls are the samples of Latency,
 * concluded analyses those of TimeToOutcome, attempts those of WebhookDelay, submissions those of SubmissionsInDoubt.
 */
export const METRICS = {
  // Service level: how long each answered call took inside the function, and those answered 5xx.
  Latency: { by: OPERATION, unit: 'Milliseconds' },
  ServerErrors: { by: OPERATION },

  // The funnel: leads, those whose CPF was known already, simulated offers, analyses begun and with an outcome.
  LeadsCreated: { by: ENVIRONMENT },
  LeadsReused: { by: ENVIRONMENT },
  Simulations: { by: BANK },
  /** Days that the oldest of the banks' pricing tables has been in use, at each simulation. */
  TableAgeDays: { unit: 'None' },
  AnalysesSubmitted: { by: BANK },
  /** Calls that submit analyses: 1 where the caller was at fault (4xx), else 0. */
  SubmissionsRefused: { by: ENVIRONMENT },
  /** Answered 202 and not confirmed by the operator. Over all banks one value for each submission, 0 where it was confirmed. */
  SubmissionsInDoubt: { by: BANK, total: true },
  /** Approval mix, of production alone; all recusado or all erro at once is a fault of the mapping or of the bank. */
  Outcome: { by: ['environment', 'bank', 'situacao'] },
  /** From submission to outcome; over all banks in production alone. */
  TimeToOutcome: { by: BANK, unit: 'Seconds', total: true },

  /**
   * Waiting analyses that a tick met: young ones at every tick, older ones at their pace. Each shard emits its sum for
   * production at every tick that went through it, 0 included, so that silence is an alarm; a bank's, and the sandbox's sum, only where some wait.
   */
  Pending: { by: BANK, total: true },
  /** Age of the oldest waiting analysis of production that a tick met, 0 where none was: only an hour's maximum covers all. */
  OldestPendingMinutes: { by: ENVIRONMENT, unit: 'None' },
  /**
   * Waiting analyses, met by a tick, for which the operator has no usable answer while it answers for others: someone
   * has to ask it about them.
   */
  AnalysesUnanswerable: { by: BANK, total: true },
  /** Now minus due time: of each part of the index with something due, the longest wait of what a run asked about or left. */
  PollLag: { unit: 'Seconds' },
  /** Questions put to the operator: their count over that of the outcomes is the price of waiting. */
  Polls: COUNT,
  /** One value for each call to the operator, failed ones included: its sample count is the number of calls. */
  OperatorLatency: { by: BANK, unit: 'Milliseconds' },
  /** Calls to the operator without a usable answer; none is emitted where a call brought one. */
  OperatorErrors: { by: BANK },
  /** Calls that the operator answered with 401 or 403: our token opens nothing, and no bank gets anything. */
  OperatorUnauthorized: { by: ENVIRONMENT },
  /** Drift of a bank: status texts that no rule reads, and changes of what is final already. */
  UnknownStatus: { by: BANK, total: true },
  IgnoredTransition: { by: BANK, total: true },

  // Attempts answered 2xx, events delivered at the first try, events given up after the last.
  WebhookDelivered: { by: ENVIRONMENT },
  WebhookFirstTryDelivered: { by: ENVIRONMENT },
  WebhookExhausted: { by: ENVIRONMENT },
  /** An attempt's start minus its due time: time that we lose, without the waits between retries. */
  WebhookDelay: { by: ENVIRONMENT, unit: 'Seconds' },
  WebhookFailures: { by: ['environment', 'class'] },
  /**
   * As each sweep finds them: webhook addresses that have switched themselves off, events kept until one is on again, and
   * events given up after their last attempt in the last 14 days and not sent again.
   */
  EndpointsDisabled: { by: ENVIRONMENT },
  DeliveriesSuspended: { by: ENVIRONMENT },
  DeliveriesExhausted: { by: ENVIRONMENT },
  /** The sweeper: deliveries that the queue had lost or nobody can read, and retries queued when they fell due. */
  SweeperRepairs: COUNT,
  DeliveriesDue: COUNT,

  // What partners get wrong, and who is refused.
  ClientErrorsByCode: { by: ['codigo'] },
  /** Fields of accepted bodies that no schema knows, 20 at most of a call: a misunderstanding that answers tell of. */
  UnknownFields: { by: OPERATION },
  /** Refused keys: a leak or brute force. */
  AuthenticationFailures: COUNT,
  /** Of them, those about which the table was asked: each takes a write unit of the partner's own item, or a read of it. */
  UnknownKeysAsked: COUNT,
  /** Keys of production that were made, as a first one or in another's place. */
  ProductionKeysMade: COUNT,

  /** Erasures that broke off in a run of their sweeper, each minute, 0 included: no data means that no run ended. */
  ErasuresFailed: COUNT,
  /** Leads that nobody used for so long that they were given 30 days' notice, and those whose data ended after it. */
  LeadsNoticed: { by: ENVIRONMENT },
  LeadsEnded: { by: ENVIRONMENT },
  /** Calls whose CPF led to the lead of another person, whom they neither changed nor named. */
  CpfMismatches: COUNT,
  /** Percent of the encryptions that the current sealing key may make, from one percent on. */
  SealingKeyUse: { unit: 'None' },

  /** From outside, each minute: 1 where the service answered, 0 where not; how long the signed-in call took. */
  ProbeSuccess: COUNT,
  ProbeLatency: { unit: 'Milliseconds' },
  /** Days until the certificate of the service's name ends, as the probe's handshake shows it. */
  CertificateDays: { unit: 'None' },

  // Answers given again, one key with two bodies, calls that met their own first try, work resumed after a crash.
  IdempotencyReplays: COUNT,
  IdempotencyConflicts: COUNT,
  IdempotencyInFlight: COUNT,
  IdempotencyResumed: COUNT,
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
/** The metrics that have a series over all banks. */
export type TotalName = {
  [N in MetricName]: (typeof METRICS)[N] extends { readonly total: true } ? N : never;
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

/** One value, or several of one metric. */
type Values = number | readonly number[];

/**
 * Emits values of metrics, of which an undefined one is left out, with the stage and these dimensions, in CloudWatch's embedded metric format: a line of JSON on
 * standard output that the log's own pipeline turns into metrics, at no call and no wait. Dimensions hold no personal
 * data: operation, environment, bank, codigo.
 */
export function emit<D extends Dimension = never>(
  dimensions: Readonly<Record<D, string>>,
  values: { readonly [N in MetricBy<D>]?: Values },
): void {
  writeLines(dimensions, values);
}

/** Emits values over all banks, of an environment. */
export function emitTotal(environment: string, values: { readonly [N in TotalName]?: Values }): void {
  writeLines({ environment }, values);
}

function writeLines(
  dimensions: Readonly<Record<string, string>>,
  values: Readonly<Record<string, Values | undefined>>,
): void {
  const given = Object.entries(values);
  for (let from = 0; ; from += MOST_VALUES) {
    const now = given
      .map(([name, value = []]) => ({ name, some: [value].flat().slice(from, from + MOST_VALUES) }))
      .filter(({ some }) => some.length > 0);
    if (now.length === 0) return;
    const Metrics = now.map(({ name }) => ({ Name: name, Unit: unitNamed(name) }));
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
export const unitOf = (name: MetricName): string => unitNamed(name);

const ROWS: Readonly<Record<string, MetricRow>> = METRICS;
const unitNamed = (name: string): string => ROWS[name]?.unit ?? 'Count';

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
