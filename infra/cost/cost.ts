import { ROUTES } from '#shared/contract/routes.ts';
import { type Milliseconds, type Seconds, seconds } from '#shared/domain/values/time.ts';
import { FUNCTIONS } from '../functions.ts';
import { named } from '../metrics.ts';
import list from './prices.json' with { type: 'json' };
import recorded from './recorded.json' with { type: 'json' };

/**
 * prices.json holds two lists. `prices`: each price (`usd` for `per` units) with its source and the date of the price
 * list. If `read` is false, the price was not looked up on that list, and the date says until when it is known to have
 * held. `assumptions`: values that no measurement gives.
 */
type PriceName = keyof typeof list.prices;
const PRICE_NAMES = Object.keys(list.prices) as PriceName[];
/** US dollars of one unit. */
type Prices = Readonly<Record<PriceName, number>>;

/** Returns the price of one unit of everything that prices.json lists. */
export function prices(): Prices {
  return named(PRICE_NAMES, (name) => list.prices[name].usd / list.prices[name].per);
}

/** Returns the prices that were not looked up (`read` is false). The others count as 0. */
export function unreadPrices(): Prices {
  const all = prices();
  return named(PRICE_NAMES, (name) => (list.prices[name].read ? 0 : all[name]));
}

/** Values that no measurement gives. prices.json says why each is as it is. */
export const ASSUMED = Object.fromEntries(
  Object.entries(list.assumptions).map(([name, { value }]) => [name, value]),
) as { readonly [Name in keyof typeof list.assumptions]: (typeof list.assumptions)[Name]['value'] };

/**
 * What one run of a function consumes, as it was recorded with the local engines (table, queue, secrets) and the
 * stand-in of the operator.
 * - `calls`, `read`, `write`: calls to the table, and the capacity units that they use.
 * - `queueCalls`: calls to the queue, including those of the event source.
 * - `processorMs`: time of one whole processor. `outsideMs`: assumed time of waiting for the operator or a partner's
 *   endpoint.
 * - `logBytes`, `outBytes`: bytes written to the log, metrics included, and bytes sent to the internet.
 * - `route`: whether the call comes through the gateway and the firewall.
 * - `runs`: runs of the function. It is below 1 for a single question of a poller's tick, which asks many.
 * - `memory`: megabytes of the function.
 */
export type Consumption = Readonly<(typeof recorded.runs)[number] & { memory: number }>;

/**
 * Returns the runs of recorded.json, which `npm run bench:cost` records: at least one of each of FUNCTIONS except the
 * fallback. Throws an Error if a run names a function that the service does not have.
 */
export function recordedRuns(): readonly Consumption[] {
  return recorded.runs.map((run) => ({ ...run, memory: memoryOf(run.operation) }));
}

function memoryOf(operation: string): number {
  const row = FUNCTIONS.find((candidate) => candidate.operation === operation);
  if (!row) throw new Error(`recorded.json has a run of ${operation}, which is no function: run npm run bench:cost`);
  return row.memory;
}

const GB = 1024 ** 3;

/**
 * Megabytes with which a function has one whole processor. Its share of a processor grows in proportion to its memory.
 */
const WHOLE_PROCESSOR = 1769;

/**
 * Returns the time that Lambda bills: the work at the function's share of a processor, and the waits for the table, the
 * operator and partners.
 */
export const billedMilliseconds = ({ processorMs, memory, calls, outsideMs }: Consumption): Milliseconds =>
  processorMs * Math.max(1, WHOLE_PROCESSOR / memory) + calls * ASSUMED.tableMs + outsideMs;

/** Returns the cost of one run in US dollars, by service. */
export function costOf(used: Consumption, unit: Prices): Readonly<Record<string, number>> {
  const logged = used.logBytes + used.runs * ASSUMED.platformLogBytes + (used.route ? ASSUMED.accessLogBytes : 0);
  return {
    gateway: used.route ? unit.gatewayRequest + unit.firewallRequest : 0,
    lambda:
      used.runs * unit.lambdaRequest +
      (billedMilliseconds(used) / seconds(1)) * (used.memory / 1024) * unit.lambdaGbSecond,
    table: used.read * unit.tableRead + used.write * unit.tableWrite,
    queue: used.queueCalls * unit.queueCall,
    logs: (logged / GB) * unit.logIngestion,
    traces: used.runs * ASSUMED.traceShare * unit.trace,
    transfer: (used.outBytes / GB) * unit.transferOut,
  };
}

export const sum = (parts: Readonly<Record<string, number>>): number =>
  Object.values(parts).reduce((total, usd) => total + usd, 0);

/** Everything in a stage's templates that costs money each month without any traffic. Recorded for every stage. */
export type Standing = (typeof recorded.standing)['prod'];

/**
 * Returns the monthly cost in US dollars that does not depend on traffic, by service. `series`: number of series of our
 * own metrics, see `seriesMonths`.
 */
export function standingCost(standing: Standing, series: number, unit: Prices): Readonly<Record<string, number>> {
  return {
    firewall: standing.firewallRules > 0 ? unit.firewallAcl + standing.firewallRules * unit.firewallRule : 0,
    metrics: series * unit.metricSeries,
    alarms:
      standing.alarmMetrics * unit.alarmMetric +
      standing.compositeAlarms * unit.compositeAlarm +
      standing.insightRules * unit.insightRule,
    dashboards: Math.max(0, standing.dashboards - FREE_DASHBOARDS) * unit.dashboard,
    'keys and secrets': standing.keys * unit.key + standing.secrets * unit.secret,
    'people of the panel': Math.max(0, ASSUMED.people - FREE_PEOPLE) * unit.person,
  };
}

/** Free dashboards of an account. Each stage has an account of its own. */
const FREE_DASHBOARDS = 3;
/**
 * Free users of Cognito a month, if they come in through a company's sign-in. Of a pool's own users, 10,000 are free.
 */
const FREE_PEOPLE = 50;

/**
 * Returns what keeping a table costs a month, in US dollars, after it has grown by `gigabytes` in each of `months`: its
 * rows, and the copies that the plan of kept-evidence.ts keeps, each of the whole table. The last part is the price of
 * the alternative: exports of each day's changes.
 */
export function keptCost(gigabytes: number, months: number, unit: Prices): Readonly<Record<string, number>> {
  const size = gigabytes * months;
  // One copy for each month of the last five years, as large as the table was in that month.
  const monthly = Array.from({ length: Math.min(months, 60) }, (_, ago) => size - ago * gigabytes);
  return {
    rows: size * unit.tableStorage,
    'recovery to the second': size * unit.tableRecovery,
    'daily copies, 35 here and 7 there': 42 * size * unit.tableCopy,
    'monthly copies, five years': monthly.reduce((total, copy) => total + copy, 0) * unit.tableCopy,
    'alternative to copies: exports of changes': gigabytes * unit.tableExport + 2 * size * unit.objectStorage,
  };
}

/** Recorded work that no call of a partner starts. */
export const BACKGROUND = {
  idleTick: 'a tick of the poller, nothing pending',
  sweep: 'a tick of the sweeper, nothing due',
  sweepErasures: 'a tick of the sweeper of erasures, nothing due',
  probe: 'a look of the probe from outside',
  noNews: 'a question of the poller without news',
  outcome: 'a question that brings the outcome',
  delivered: 'an attempt that is delivered',
  failed: 'an attempt that fails and waits for the next',
  priming: 'a container of it starts: key of nobody',
} as const;

/** Operations that the outside probe calls each minute. */
const PROBED: readonly string[] = ['get-health', 'get-account'];

export const SECONDS_A_DAY: Seconds = 86_400;
/** A twelfth of 365 days. */
export const SECONDS_A_MONTH: Seconds = (365 * SECONDS_A_DAY) / 12;
/** Time after which a container reads its secrets again. DynamoDB asks KMS for the table's key as often. */
const SECRETS_HELD: Seconds = 300;
/** Time that a request for messages waits on an empty queue. */
const LONG_POLL: Seconds = 20;

/**
 * Returns how often in a month containers read their secrets again. A function counts as one container, or as many as
 * its overlapping runs need, but reads at most once in each run.
 */
function refreshes(runs: ReadonlyMap<Consumption, number>): number {
  const containers = Array.from(runs, ([used, times]) => {
    const busy = ((times / SECONDS_A_MONTH) * billedMilliseconds(used)) / seconds(1);
    return used.runs === 0 ? 0 : Math.min((times * SECRETS_HELD) / SECONDS_A_MONTH, Math.max(1, busy));
  });
  return (SECONDS_A_MONTH / SECRETS_HELD) * containers.reduce((total, count) => total + count, 0);
}

/** Returns how often each recorded run happens in a month with this rate of calls. */
export function monthlyRuns(
  recorded: readonly Consumption[],
  callsPerSecond: number,
  pollShards: number,
): ReadonlyMap<Consumption, number> {
  const calls = callsPerSecond * SECONDS_A_MONTH;
  const { mix, banksPerSubmission, pollsPerAnalysis, coldStarts } = ASSUMED;
  // In the mix, `reads` stands for all calls that read. Every other name is an operation.
  const shares: Readonly<Record<string, number | undefined>> = mix;
  const reading: readonly string[] = ROUTES.filter(({ method, scope }) => method === 'GET' && scope !== 'public').map(
    ({ operation }) => operation,
  );
  const analyses = calls * mix['submit-analyses'] * banksPerSubmission;
  const background: Readonly<Record<string, number>> = {
    [BACKGROUND.idleTick]: (SECONDS_A_MONTH / 60) * pollShards,
    [BACKGROUND.sweep]: SECONDS_A_MONTH / 60,
    [BACKGROUND.sweepErasures]: SECONDS_A_MONTH / 60,
    [BACKGROUND.probe]: SECONDS_A_MONTH / 60,
    [BACKGROUND.noNews]: analyses * pollsPerAnalysis,
    [BACKGROUND.outcome]: analyses,
    [BACKGROUND.delivered]: analyses,
    [BACKGROUND.priming]: calls * coldStarts,
  };
  const timesAMonth = ({ route, operation, what }: Consumption): number => {
    if (!route) return background[what] ?? 0;
    const probeCalls = PROBED.includes(operation) ? SECONDS_A_MONTH / 60 : 0;
    const share = shares[operation];
    if (share !== undefined) return calls * share;
    return probeCalls + (reading.includes(operation) ? (calls * mix.reads) / reading.length : 0);
  };
  return new Map(recorded.map((used) => [used, timesAMonth(used)]));
}

/**
 * Returns the monthly cost in US dollars, by service. `series`: number of series of our own metrics, see
 * `seriesMonths`.
 */
export function monthlyCost(
  runs: ReadonlyMap<Consumption, number>,
  standing: Standing,
  { callsPerSecond, series }: { readonly callsPerSecond: number; readonly series: number },
  unit: Prices,
): Readonly<Record<string, number>> {
  // X-Ray keeps the first call of each second, and a share of the others.
  const first = Math.min(callsPerSecond, 1) * SECONDS_A_MONTH * (1 - ASSUMED.traceShare) * unit.trace;
  const polls = ASSUMED.queuePollers * (SECONDS_A_MONTH / LONG_POLL);
  const refreshed = refreshes(runs) * (ASSUMED.secretsHeld * (unit.secretCall + unit.keyCall) + unit.keyCall);
  const total: Record<string, number> = {
    traces: first,
    queue: polls * unit.queueCall,
    'reads of secrets': refreshed,
  };
  for (const [used, times] of runs) {
    for (const [part, usd] of Object.entries(costOf(used, unit))) total[part] = (total[part] ?? 0) + usd * times;
  }
  return { ...total, ...standingCost(standing, series, unit) };
}
