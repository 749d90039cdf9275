import { ROUTES } from '#shared/contract/routes.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { METRICS, type MetricName, type MetricRow } from '#shared/runtime/metrics.ts';
import { ASSUMED } from './cost.ts';

/** Emitted by every tick, whether partners call or not. */
const BY_TICKS: readonly MetricName[] = ['PollLag', 'Polls', 'SweeperRepairs', 'DeliveriesDue', 'ErasuresFailed'];
/** Gauges of production that every tick of a poller or sweeper emits. */
const GAUGES: readonly MetricName[] = [
  'EndpointsDisabled',
  'EndpointsFailing',
  'DeliveriesSuspended',
  'DeliveriesExhausted',
  'OldestPendingMinutes',
];
/** Totals of production that every tick emits. */
const TOTALS: readonly MetricName[] = ['Pending'];
/**
 * Emitted for a bank while some of its analyses wait. The poller asks about each at least once an hour. If partners
 * submit at all, some analysis always waits for weeks, so that these metrics have a value in every hour of a month.
 */
const WHILE_WAITING: readonly MetricName[] = ['Pending', 'OperatorLatency'];
/** Emitted only in production, although the environment is among the dimensions. */
const PRODUCTION_ALONE: readonly string[] = ['Outcome'] satisfies readonly MetricName[];
/** Emitted each minute by the outside probe, if it has its key. */
const BY_PROBE: readonly MetricName[] = ['ProbeSuccess', 'ProbeLatency', 'CertificateDays'];
/** Emitted if something goes wrong. An ordinary hour has no value. */
const WHEN_WRONG: readonly MetricName[] = [
  'ServerErrors',
  'OperatorErrors',
  'SubmissionsInDoubt',
  'AnalysesUnanswerable',
  'OperatorUnauthorized',
  'UnknownStatus',
  'IgnoredTransition',
  'WebhookExhausted',
  'AuthenticationFailures',
  'UnknownKeysAsked',
  'ProductionKeysMade',
  'CpfMismatches',
  'RunsWithWrongClock',
  'SealingKeyUse',
  'SecretRefreshesFailed',
  'IdempotencyConflicts',
  'IdempotencyInFlight',
  'IdempotencyResumed',
];

/** Number of series that have a value in every hour of a stage without calls. */
export const IDLE_SERIES = BY_TICKS.length + GAUGES.length + TOTALS.length;

/** Number of series that the probe adds if it has its key: its own, and the latency of the operation that it calls. */
export const PROBE_SERIES = BY_PROBE.length + 1;

/**
 * Returns the number of series that CloudWatch bills in a month. A series counts with the share of hours in which it
 * has a value.
 * - Metrics of ticks: every hour. Metrics of a bank with waiting analyses: every hour, if partners call at all.
 * - Metrics of partners' calls: the share `hours` (0 to 1) of production and of the sandbox.
 * - Metrics of failures: no hour. `PROBE_SERIES` counts the probe's.
 */
export function seriesMonths(hours: { readonly producao: number; readonly sandbox: number }): number {
  const values: Readonly<Record<string, number>> = {
    // Only the gateway measures public routes.
    operation: ROUTES.filter(({ scope }) => scope !== 'public').length,
    bank: BANKS.length,
    situacao: ASSUMED.outcomesInUse,
    codigo: ASSUMED.codigosInUse,
    // Assumes that failing receivers fail in one way.
    class: 1,
  };
  // Only a body can have an unknown field. A partner that misnames a field does so in every call.
  const withBody = ROUTES.filter(({ method }) => method === 'POST' || method === 'PATCH').length;
  const valuesOf = (name: string, dimension: string) => {
    const count = name === 'UnknownFields' && dimension === 'operation' ? withBody : values[dimension];
    if (count === undefined)
      throw new Error(`the number of values of the dimension ${dimension} of ${name} is not known`);
    return count;
  };
  const countedApart: readonly string[] = [BY_TICKS, WHEN_WRONG, GAUGES, BY_PROBE, WHILE_WAITING].flat();
  const metrics: Readonly<Record<MetricName, MetricRow>> = METRICS;
  const ordinary = Object.entries(metrics).filter(([name]) => !countedApart.includes(name));
  const calledSeries = ordinary.reduce((total, [name, { by = [] }]) => {
    const others = by.filter((dimension) => dimension !== 'environment');
    const series = others.reduce((product, dimension) => product * valuesOf(name, dimension), 1);
    const inSandbox = by.length > others.length && !PRODUCTION_ALONE.includes(name);
    return total + series * (hours.producao + (inSandbox ? hours.sandbox : 0));
  }, 0);
  // The sandbox emits one series: the sum of waiting analyses over all banks.
  const waiting = (hours.producao > 0 ? WHILE_WAITING.length * BANKS.length : 0) + (hours.sandbox > 0 ? 1 : 0);
  // Totals over all banks: of submissions, and of production's outcomes.
  return IDLE_SERIES + waiting + calledSeries + 2 * hours.producao + hours.sandbox;
}
