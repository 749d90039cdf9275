import { ROUTES } from '#shared/contract/routes.ts';
import { type Milliseconds, type Seconds, seconds } from '#shared/domain/values/time.ts';
import { FUNCTIONS } from '../functions.ts';
import { named } from '../metrics.ts';
import list from './prices.json' with { type: 'json' };
import recorded from './recorded.json' with { type: 'json' };

/**
 * prices.json has each price (`usd` for so many units, `per`) with its source and the date of the list that it was read off,
 * or until when it is known to have held (`read`: false); and the assumptions that no measurement gives.
 */
type PriceName = keyof typeof list.prices;
const PRICE_NAMES = Object.keys(list.prices) as PriceName[];
/** US dollars of one unit. */
type Prices = Readonly<Record<PriceName, number>>;

/** What the list says a unit costs. */
export function prices(): Prices {
  return named(PRICE_NAMES, (name) => list.prices[name].usd / list.prices[name].per);
}

/** Prices that were not looked up anew; those read off a list count as 0. */
export function unreadPrices(): Prices {
  const all = prices();
  return named(PRICE_NAMES, (name) => (list.prices[name].read ? 0 : all[name]));
}

/** What no measurement gives; the file says why each is as it is. */
export const ASSUMED = Object.fromEntries(
  Object.entries(list.assumptions).map(([name, { value }]) => [name, value]),
) as { readonly [Name in keyof typeof list.assumptions]: (typeof list.assumptions)[Name]['value'] };

/**
 * What one run of a function took while it ran against real peers: calls on the table and their units (`read`, `write`);
 * calls on the queue, those of the event source included; milliseconds of a whole processor, and those that it waits outside
 * for the operator or a partner's endpoint, as assumed; bytes that it wrote to the log, metrics included, and that left to
 * the internet. `route`: whether the gateway and the firewall stand before it. `runs`: less than 1 for one of the many
 * questions of a poller's tick. `memory`: megabytes of the function.
 */
export type Consumption = Readonly<(typeof recorded.runs)[number] & { memory: number }>;

/**
 * What recorded.json holds: one run of every function, as `npm run bench:cost` records it against real peers. Throws an
 * Error if a run is of no function that the service has.
 */
export function recordedRuns(): readonly Consumption[] {
  return recorded.runs.map((run) => ({ ...run, memory: memoryOf(run.operation) }));
}

function memoryOf(operation: string): number {
  const row = FUNCTIONS.find((candidate) => candidate.operation === operation);
  if (!row) throw new Error(`recorded.json has a run of ${operation}, which is no function: npm run bench:cost`);
  return row.memory;
}

const GB = 1024 ** 3;

/** Megabytes at which a function has one whole processor; with fewer it has so much less of one. */
const WHOLE_PROCESSOR = 1769;

/** Time that Lambda is paid for: its share of a processor at work, and the ways to table, operator and partner. */
export const billedMilliseconds = ({ processorMs, memory, calls, outsideMs }: Consumption): Milliseconds =>
  processorMs * Math.max(1, WHOLE_PROCESSOR / memory) + calls * ASSUMED.tableMs + outsideMs;

/** US dollars of one run, by what they go to. */
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
  Object.values(parts).reduce((total, one) => total + one, 0);

/** What a stage's templates make that costs by the month, whoever calls; recorded.json holds it of every stage. */
export type Standing = (typeof recorded.standing)['prod'];

/** US dollars a month for what stands, whoever calls, by what they go to. `series`: of our metrics, see `seriesMonths`. */
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

/** Dashboards of an account that are free; a stage has an account of its own. */
const FREE_DASHBOARDS = 3;
/** Of an account in a month, where a company's sign-in lets them in; of the pool's own people 10,000. */
const FREE_PEOPLE = 50;

/**
 * US dollars a month of a table that has grown by so many gigabytes in each of so many months: its rows, what the plan of
 * copies keeps of it (kept-evidence.ts), each a whole one, and what would keep the same by exports of each day's changes.
 */
export function keptCost(gigabytes: number, months: number, unit: Prices): Readonly<Record<string, number>> {
  const size = gigabytes * months;
  // A copy of each month of the last five years, each as large as the table was then.
  const monthly = Array.from({ length: Math.min(months, 60) }, (_, ago) => size - ago * gigabytes);
  return {
    rows: size * unit.tableStorage,
    'recovery to the second': size * unit.tableRecovery,
    'daily copies, 35 here and 7 there': 42 * size * unit.tableCopy,
    'monthly copies, five years': monthly.reduce((total, one) => total + one, 0) * unit.tableCopy,
    'instead of copies: exports of changes': gigabytes * unit.tableExport + 2 * size * unit.objectStorage,
  };
}

/** What runs without a call of a partner. */
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

/** What the probe calls each minute. */
const PROBED: readonly string[] = ['get-health', 'get-account'];

export const SECONDS_A_DAY: Seconds = 86_400;
/** A twelfth of 365 days. */
export const SECONDS_A_MONTH: Seconds = (365 * SECONDS_A_DAY) / 12;
/** Time after which a container reads its secrets again, and the table asks for its key. */
const SECRETS_HELD: Seconds = 300;
/** Time that a question for messages waits on an empty queue. */
const LONG_POLL: Seconds = 20;

/** How often in a month containers ask for what they hold five minutes: of a function one at least, more where runs overlap. */
function refreshes(runs: ReadonlyMap<Consumption, number>): number {
  const containers = Array.from(runs, ([used, times]) => {
    const busy = ((times / SECONDS_A_MONTH) * billedMilliseconds(used)) / seconds(1);
    return used.runs === 0 ? 0 : Math.min((times * SECRETS_HELD) / SECONDS_A_MONTH, Math.max(1, busy));
  });
  return (SECONDS_A_MONTH / SECRETS_HELD) * containers.reduce((total, one) => total + one, 0);
}

/** How often each recorded run happens in a month at so many calls a second. */
export function monthlyRuns(
  recorded: readonly Consumption[],
  callsPerSecond: number,
  pollShards: number,
): ReadonlyMap<Consumption, number> {
  const calls = callsPerSecond * SECONDS_A_MONTH;
  const { mix, banksPerSubmission, pollsPerAnalysis, coldStarts } = ASSUMED;
  // `reads` are all calls that read, the other names in the mix are operations.
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
  const often = ({ route, operation, what }: Consumption): number => {
    if (!route) return background[what] ?? 0;
    const looks = PROBED.includes(operation) ? SECONDS_A_MONTH / 60 : 0;
    const share = shares[operation];
    if (share !== undefined) return calls * share;
    return looks + (reading.includes(operation) ? (calls * mix.reads) / reading.length : 0);
  };
  return new Map(recorded.map((used) => [used, often(used)]));
}

/** US dollars a month, by what they go to. `series`: of our metrics, see `seriesMonths`. */
export function monthlyCost(
  runs: ReadonlyMap<Consumption, number>,
  standing: Standing,
  { callsPerSecond, series }: { readonly callsPerSecond: number; readonly series: number },
  unit: Prices,
): Readonly<Record<string, number>> {
  // X-Ray keeps one call a second, and a share of the others.
  const first = Math.min(callsPerSecond, 1) * SECONDS_A_MONTH * (1 - ASSUMED.traceShare) * unit.trace;
  const polls = ASSUMED.queuePollers * (SECONDS_A_MONTH / LONG_POLL);
  const asked = refreshes(runs) * (ASSUMED.secretsHeld * (unit.secretCall + unit.keyCall) + unit.keyCall);
  const total: Record<string, number> = { traces: first, queue: polls * unit.queueCall, 'secrets asked for': asked };
  for (const [used, times] of runs) {
    for (const [part, usd] of Object.entries(costOf(used, unit))) total[part] = (total[part] ?? 0) + usd * times;
  }
  return { ...total, ...standingCost(standing, series, unit) };
}
