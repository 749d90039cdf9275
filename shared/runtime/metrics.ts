type Dimension = 'operation' | 'environment' | 'bank' | 'situacao' | 'class' | 'codigo' | 'partner' | 'kind';
export interface MetricRow {
  /** Dimensions of the metric in addition to `stage`, which every metric has. @default none */
  readonly by?: readonly [Dimension, ...Dimension[]];
  /** Unit, in CloudWatch's spelling. @default Count */
  readonly unit?: 'Milliseconds' | 'Seconds' | 'None';
  /** Whether the metric also has a series over all banks, by environment only (`emitTotal`). @default false */
  readonly total?: true;
}

const COUNT = {} as const satisfies MetricRow;
const OPERATION = ['operation'] as const;
const ENVIRONMENT = ['environment'] as const;
const BANK = ['environment', 'bank'] as const;

/**
 * Every metric that the functions emit. Metrics about leads, simulations, analyses and webhooks have the environment as
 * a dimension, so that the sandbox wakes nobody. No metric repeats the sample count of another one: calls are the
 * samples of Latency, concluded analyses those of TimeToOutcome, webhook attempts those of WebhookDelay, submissions
 * those of SubmissionsInDoubt.
 */
export const METRICS = {
  // Service level: the time that each answered call took inside the function, and the calls answered 5xx.
  Latency: { by: OPERATION, unit: 'Milliseconds' },
  ServerErrors: { by: OPERATION },

  // The funnel: new leads, calls whose CPF had a lead already, simulated offers, submitted analyses.
  LeadsCreated: { by: ENVIRONMENT },
  LeadsReused: { by: ENVIRONMENT },
  Simulations: { by: BANK },
  /** Days until production refuses a bank for the age of its rates (`daysLeft`). Emitted in each minute. */
  RateDaysLeft: { unit: 'None' },
  /** Published rates that this release does not know, and does not use. Emitted in each minute. */
  BankRatesUnknown: COUNT,
  AnalysesSubmitted: { by: BANK },
  /** One value for each call that submits analyses: 1 if it is answered 4xx, else 0. */
  SubmissionsRefused: { by: ENVIRONMENT },
  /**
   * Analyses that were answered 202 before the operator confirmed them. The series over all banks has one value for
   * each submitted analysis: 1 if it is in doubt, else 0.
   */
  SubmissionsInDoubt: { by: BANK, total: true },
  /** Counts only production. If a bank's outcomes are all `recusado` or `erro`, our mapping or the bank has a fault. */
  Outcome: { by: ['environment', 'bank', 'situacao'] },
  /** Time from submission to outcome. The series over all banks covers only production. */
  TimeToOutcome: { by: BANK, unit: 'Seconds', total: true },

  /**
   * Pending analyses that a run of the poller looked at. For production, each shard emits its sum in every run in which
   * no read and no write of production failed, also if the sum is 0. Then silence is an alarm. A single bank's sum and
   * the sandbox's are emitted only if an analysis is pending.
   */
  Pending: { by: BANK, total: true },
  /**
   * Age of the oldest pending analysis of production that a run looked at, 0 if there was none. A run looks only at
   * some of the old analyses, so only the maximum of an hour covers all.
   */
  OldestPendingMinutes: { by: ENVIRONMENT, unit: 'None' },
  /**
   * Analyses of production that a person must look at.
   * - `stuck`: has waited for more than a day
   * - `unanswerable`: the operator has had no usable answer for two hours
   * - `unknown_status`: the bank sent a text that no rule reads
   * - `late_outcome`: the bank contradicts the outcome of an ended analysis
   */
  BankTrouble: { by: ['environment', 'bank', 'kind'] },
  /** Longest time for which an analysis had been due when asked about, for each index partition: 0 if none was due. */
  PollLag: { unit: 'Seconds' },
  Polls: COUNT,
  /** One value for each call to the operator: its time, and 1 if it had no usable answer, else 0. */
  OperatorLatency: { by: BANK, unit: 'Milliseconds' },
  OperatorErrors: { by: BANK },
  /** Calls that the operator answered with 401 or 403: our token is not accepted, and no bank gets a submission. */
  OperatorUnauthorized: { by: ENVIRONMENT },

  // WebhookExhausted: events given up after the last attempt, or after 90 days because their endpoint was disabled.
  WebhookDelivered: { by: ENVIRONMENT },
  WebhookFirstTryDelivered: { by: ENVIRONMENT },
  WebhookExhausted: { by: ENVIRONMENT },
  /** Time from the due time of an attempt to its start: the delay that we cause, without the waits between retries. */
  WebhookDelay: { by: ENVIRONMENT, unit: 'Seconds' },
  WebhookFailures: { by: ['environment', 'class'] },
  // Each run of the sweeper counts the next four.
  /** Endpoints that disabled themselves and keep events. */
  EndpointsDisabled: { by: ENVIRONMENT },
  /** Enabled endpoints that have failed for six hours without a success. */
  EndpointsFailing: { by: ENVIRONMENT },
  /** Events that wait until their endpoint is enabled. */
  DeliveriesSuspended: { by: ENVIRONMENT },
  /** Events of the last 14 days that were given up after their last attempt, and neither sent again nor discarded. */
  DeliveriesExhausted: { by: ENVIRONMENT },
  /**
   * Events or addresses of a partner's production that wait for a person, in each run of the sweeper.
   * - `disabled`: an address disabled itself and keeps events
   * - `failing`: an address has failed for six hours
   * - `given_up`: events used up their attempts
   * - `too_old`: events were kept for a disabled address for 90 days
   */
  PartnerUnreached: { by: ['environment', 'partner', 'kind'] },
  /** Deliveries whose message was probably lost or came late, and rows that cannot be read. */
  SweeperRepairs: COUNT,
  /** Deliveries that the sweeper sent in time. */
  DeliveriesDue: COUNT,

  ClientErrorsByCode: { by: ['codigo'] },
  /** Parts without effect: unknown fields (20 at most), query parameters, a misspelled Idempotency-Key header. */
  UnknownFields: { by: OPERATION },
  /** Calls with a key that is not valid. Many of them show a leaked key or a brute-force attack. */
  AuthenticationFailures: COUNT,
  /** Unknown keys for which the table was asked. Each takes a write unit or a read of the partner's item. */
  UnknownKeysAsked: COUNT,
  /** Keys of production that were created, including those that replace another key. */
  ProductionKeysMade: COUNT,

  /**
   * Erasures that failed, in each run of the erasure sweeper, also if it is 0: no data means that no run ended. Also
   * counts subjects of the ledger that cannot be read, and leads whose end at the end of their retention failed.
   */
  ErasuresFailed: COUNT,
  /** Unused leads that got the 30 days' notice, and leads that ended after it. */
  LeadsNoticed: { by: ENVIRONMENT },
  LeadsEnded: { by: ENVIRONMENT },
  /** Calls refused because the row of a CPF led to the lead of another person. They returned nothing of that lead. */
  CpfMismatches: COUNT,
  /** Encryptions of the current sealing key, in percent of those allowed. Emitted from one percent on. */
  SealingKeyUse: { unit: 'None' },
  /** Failed tries to fetch a secret again. Until the secret is 12 hours old, the container uses it as it is. */
  SecretRefreshesFailed: COUNT,

  /** Background runs that did nothing because the clock of their container was wrong. Counted at AWS's time. */
  RunsWithWrongClock: COUNT,

  /** Result of the outside probe, each minute: 1 if the service answered as it should, else 0. */
  ProbeSuccess: COUNT,
  ProbeLatency: { unit: 'Milliseconds' },
  /** Days until the certificate of the service's domain name ends, as the probe sees it in the TLS handshake. */
  CertificateDays: { unit: 'None' },

  // Replays, keys with another body, calls that met their own running first attempt, submissions resumed after a crash.
  IdempotencyReplays: COUNT,
  IdempotencyConflicts: COUNT,
  IdempotencyInFlight: COUNT,
  IdempotencyResumed: COUNT,
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
export type DimensionOf<N extends MetricName> = (typeof METRICS)[N] extends {
  readonly by: infer By extends readonly Dimension[];
}
  ? By[number]
  : never;
export type MetricBy<D> = {
  [N in MetricName]: [DimensionOf<N>, D] extends [D, DimensionOf<N>] ? N : never;
}[MetricName];
export type DividedName = { [N in MetricName]: [DimensionOf<N>] extends [never] ? never : N }[MetricName];
export type TotalName = {
  [N in MetricName]: (typeof METRICS)[N] extends { readonly total: true } ? N : never;
}[MetricName];

export const NAMESPACE = 'PartnerCredit';
/** Most values of one metric that CloudWatch takes in one line. */
const MOST_VALUES = 100;

let write = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** For tests that read the lines. */
export function sendMetricsTo(sink: (line: string) => void): void {
  write = sink;
}

type Values = number | readonly number[];

/**
 * Emits values of the moment `atMs`. Leaves out undefined values. CloudWatch makes metrics of lines on standard output
 * in its embedded metric format, so emitting needs no call and no wait. `facts` are only written into the line. No
 * dimension and no fact holds personal data.
 */
export function emit<D extends Dimension = never>(
  dimensions: Readonly<Record<D, string>>,
  values: { readonly [N in MetricBy<D>]?: Values },
  atMs = Date.now(),
  facts?: Readonly<Record<string, string | undefined>>,
): void {
  writeLines(dimensions, values, atMs, facts);
}

export function emitTotal(environment: string, values: { readonly [N in TotalName]?: Values }): void {
  writeLines({ environment }, values, Date.now());
}

function writeLines(
  dimensions: Readonly<Record<string, string>>,
  values: Readonly<Record<string, Values | undefined>>,
  atMs: number,
  facts: object = {},
): void {
  const entries = Object.entries(values);
  for (let from = 0; ; from += MOST_VALUES) {
    const lineValues = entries
      .map(([name, value = []]) => ({ name, chunk: [value].flat().slice(from, from + MOST_VALUES) }))
      .filter(({ chunk }) => chunk.length > 0);
    if (lineValues.length === 0) return;
    const Metrics = lineValues.map(({ name }) => ({ Name: name, Unit: unitNamed(name) }));
    const Dimensions = [['stage', ...Object.keys(dimensions)]];
    write(
      JSON.stringify({
        _aws: { Timestamp: atMs, CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions, Metrics }] },
        stage: process.env['STAGE'] ?? 'unknown',
        ...facts,
        ...dimensions,
        ...Object.fromEntries(lineValues.map(({ name, chunk }) => [name, chunk.length === 1 ? chunk[0] : chunk])),
      }),
    );
  }
}

export const unitOf = (name: MetricName): string => unitNamed(name);

const ROWS: Readonly<Record<string, MetricRow>> = METRICS;
const unitNamed = (name: string): string => ROWS[name]?.unit ?? 'Count';

const used = { calls: 0, units: 0 };

export function noteTableUse(units: number): void {
  used.calls += 1;
  used.units += units;
}

export function takeTableUse(): { readonly calls: number; readonly units: number } {
  const taken = { ...used };
  used.calls = 0;
  used.units = 0;
  return taken;
}
