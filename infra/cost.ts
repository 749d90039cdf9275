/**
 * Prints what prod costs a month in US dollars at four volumes, and the limits that growth meets: `npm run cost`. The
 * figures say which part dominates, not what the bill will be.
 */
import { MAX_POLL_SHARDS } from '#shared/domain/analyses/poll-schedule.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { AlarmRow } from './alarms/row.ts';
import { alarmsMade } from './alarms.ts';
import { RULE_NAMES } from './insight-rules.ts';
import type { Series } from './metrics.ts';
import { COPIES, stageValues } from './stages.ts';

const prod = stageValues('prod', {});
/** US dollars in sa-east-1, with the date of the price list. `~`: not looked up on the list of sa-east-1. */
const PRICES = {
  gatewayCall: 4.25e-6, // ~2025-10
  firewallCall: 0.6e-6, // ~2025-10
  run: 0.2e-6, // ~2025-10
  gbSecond: 13.3334e-6, // ~2025-10, arm64
  writeUnit: 0.9375e-6, // ~2024-11, on demand
  readUnit: 0.1875e-6, // ~2024-11, on demand
  queueCall: 0.4e-6, // ~2025-10
  logGb: 0.9, // 2025-04
  outGb: 0.15, // 2026-09, first 10 TB
  metric: 0.3, // 2025-04
  alarmMetric: 0.135, // 2025-04
  composite: 0.675, // 2025-04
  insightRule: 0.5, // ~2025-10
  key: 1, // ~2025-10; two rotations add 2 dollars from the third year on
  secret: 0.4, // ~2025-10
  firewall: 8, // ~2025-10: the list and three rules
  rowGb: 0.375, // ~2024-11
  recoveryGb: 0.3, // ~2025-10
  copyGb: 0.15, // ~2025-10, warm
  coldCopyGb: 0.045, // ~2025-10
  natHour: 0.093, // ~2025-10
  addressHour: 0.005, // ~2025-10
} as const;

/**
 * One call of a partner, with the work that it causes later. Seven of ten calls read, one makes a lead, one simulates
 * at six banks, one submits to two banks. The poller asks about each analysis 20 times. Recorded on 2026-11-28 on the
 * local run, with 5 ms for a call of the table, 1.5 s for the operator and 0.3 s for a receiver. `npm run
 * bench:functions` shows whether the processor time still holds.
 */
const A_CALL = {
  writes: 8.61,
  reads: 2.9,
  queueCalls: 0.6,
  runs: 1.2,
  gbSeconds: 0.164,
  logBytes: 2_940,
  outBytes: 20_800,
};
/** Consumption of a month without any call: the scheduled runs of pollers, sweepers and the probe. */
const IDLE = {
  writes: 219_000,
  reads: 11.3e6,
  queueCalls: 657_000,
  runs: 394_000,
  gbSeconds: 88_100,
  logBytes: 452e6,
  calls: 87_600,
};
/**
 * Bytes that an analysis leaves in the table, for good and for some months (measured by
 * test/operations/budgets.test.ts).
 */
export const ANALYSIS_BYTES = { lasting: 2_700, passing: 2_400 } as const;
const ANALYSES_A_CALL = 0.2;
/** Months for which a row of `passing` is kept, on average. */
const PASSING_MONTHS = 3;
/** Series of our own metrics that have a value in each hour, if there are no calls and if there are calls all day. */
const SERIES = { idle: 15, busy: 147 } as const;
/** Dollars a month at any volume: containers' reads of secrets, keys, secrets, and the firewall. */
const STANDING = 3.5 + 2 * PRICES.key + 5 * PRICES.secret + PRICES.firewall;

const SECONDS_A_MONTH = 2_628_000;
const GB = 1024 ** 3;
const VOLUMES = { idle: 0, '1/s': 1, '11.6/s': 11.574, '100/s': 100 } as const;
const MONTHS = [1, 12, 60] as const;

type Parts = Readonly<Record<string, number>>;
const sum = (parts: Parts | readonly number[]): number => Object.values(parts).reduce((total, part) => total + part, 0);

/** Metrics of the alarms that prod gets once its domain, its firewall and its probe's key are filled in. */
const ALARM_METRICS_TO_COME = 29;

/** CloudWatch bills each metric that an alarm reads, and each composite. */
function costOfAlarms(): number {
  const metricsIn = (metric: Series) => {
    if (metric.kind === 'every') return BANKS.length;
    return metric.kind === 'math' ? Object.keys(metric.of).length : 1;
  };
  const costOf = ({ when }: AlarmRow): number => {
    if ('alarms' in when) return PRICES.composite;
    if ('metric' in when) return metricsIn(when.metric) * PRICES.alarmMetric;
    const metrics = when.map(({ metric }) => metricsIn(metric) * PRICES.alarmMetric);
    return PRICES.composite + metrics.reduce((total, usd) => total + usd);
  };
  const rest = RULE_NAMES.length * PRICES.insightRule + ALARM_METRICS_TO_COME * PRICES.alarmMetric;
  return alarmsMade(prod).reduce((total, row) => total + costOf(row), rest);
}

function costOfWork(perSecond: number): Parts {
  const calls = perSecond * SECONDS_A_MONTH;
  const used = (what: keyof typeof A_CALL & keyof typeof IDLE) => IDLE[what] + calls * A_CALL[what];
  return {
    'gateway and firewall': (calls + IDLE.calls) * (PRICES.gatewayCall + PRICES.firewallCall),
    lambda: used('runs') * PRICES.run + used('gbSeconds') * PRICES.gbSecond,
    'table, work': used('writes') * PRICES.writeUnit + used('reads') * PRICES.readUnit,
    queue: used('queueCalls') * PRICES.queueCall,
    logs: (used('logBytes') / GB) * PRICES.logGb,
    transfer: ((calls * A_CALL.outBytes) / GB) * PRICES.outGb,
    'metrics, alarms': (calls > 0 ? SERIES.busy : SERIES.idle) * PRICES.metric + costOfAlarms(),
    'keys, secrets, firewall': STANDING,
  };
}

function costOfKeeping(perSecond: number, month: number): Parts {
  const analyses = perSecond * SECONDS_A_MONTH * ANALYSES_A_CALL;
  const sizeAfter = (months: number): number => {
    const passing = Math.min(months, PASSING_MONTHS) * ANALYSIS_BYTES.passing;
    return (analyses * (months * ANALYSIS_BYTES.lasting + passing)) / GB;
  };
  const { hereDays, nightly, monthly, yearly } = COPIES;
  const years = Math.floor(Math.min(month, yearly.keptDays / 30) / 12);
  const cold = Array.from({ length: Math.min(month, Math.floor(monthly.keptDays / 30)) }, (_, ago) => month - ago)
    .concat(Array.from({ length: years }, (_, ago) => month - 12 * ago))
    .map(sizeAfter);
  return {
    rows: sizeAfter(month) * PRICES.rowGb,
    'recovery to the second': sizeAfter(month) * PRICES.recoveryGb,
    'nightly copies': (hereDays + nightly.keptDays) * sizeAfter(month) * PRICES.copyGb,
    'monthly and yearly copies': sum(cold) * PRICES.coldCopyGb,
  };
}

/** Calls a second at which each limit is met, if the busiest second has five times the calls of the mean second. */
function limits(): ReadonlyMap<string, number> {
  const peak = 5;
  const analysesAMinute = 60 * ANALYSES_A_CALL;
  // An analysis is due for a question about 94 times until its bank decides, and one bank gets 35 % of the analyses.
  const askedOfOneBank = analysesAMinute * 94 * 0.35;
  // A poller's shard has 40 s of each minute. A round takes 0.3 s, for one batch or ten single calls. All analyses of a
  // bank may be young and so wait in the same lane, which makes one round at a time.
  const rounds = (shards: number) => (shards * 40) / 0.3;
  return new Map([
    ['the gateway of the stage (throttle in stages.ts)', prod.throttle.rate / peak],
    ['the account at the gateway: 10,000 calls a second, on request more', 10_000 / peak],
    [
      'functions at once (concurrency.accountLimit in stages.ts), on request more',
      prod.concurrency.accountLimit / 0.32 / peak,
    ],
    ['write units of the table: 40,000 a second, on request more', 40_000 / A_CALL.writes / peak],
    ['the poller, one question a call (pollShards)', (rounds(prod.pollShards) * 10) / askedOfOneBank],
    [`the poller, one question a call, ${MAX_POLL_SHARDS} shards`, (rounds(MAX_POLL_SHARDS) * 10) / askedOfOneBank],
    ['the poller, batches of 100 (pollShards)', (rounds(prod.pollShards) * 100) / askedOfOneBank],
    [
      'webhooks (webhookConcurrency), batches of 5, 0.3 s an attempt',
      (prod.webhookConcurrency * 5) / 0.3 / ANALYSES_A_CALL / peak,
    ],
  ]);
}

const title = (text: string) => text.padEnd(26);
const cell = (usd: number) => usd.toFixed(0).padStart(10);

function printVolume(name: string, perSecond: number): void {
  const work = costOfWork(perSecond);
  const keeping = MONTHS.map((month) => costOfKeeping(perSecond, month));
  console.log(`\n${title(`${name}, US dollars`)}${MONTHS.map((month) => `month ${month}`.padStart(10)).join('')}`);
  for (const [part, usd] of Object.entries(work)) console.log(title(part) + MONTHS.map(() => cell(usd)).join(''));
  for (const part of Object.keys(keeping[0] ?? {}))
    console.log(title(part) + keeping.map((parts) => cell(parts[part] ?? 0)).join(''));
  console.log(title('sum') + keeping.map((parts) => cell(sum(work) + sum(parts))).join(''));
}

if (import.meta.main) {
  console.log('A month of prod, without free tiers, support and taxes. 11.6 calls a second are a million a day.');
  for (const [name, perSecond] of Object.entries(VOLUMES)) printVolume(name, perSecond);
  const addresses = 2 * 730 * (PRICES.natHour + PRICES.addressHour);
  console.log(`\nWith fixed addresses: ${addresses.toFixed(0)} more, and ${PRICES.natHour} for each GB.`);
  console.log('\nCalls a second, as a mean of the day, at which growth meets a limit:');
  for (const [limit, rate] of [...limits()].sort(([, a], [, b]) => a - b)) console.log(cell(rate), '', limit);
}
