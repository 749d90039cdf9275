import { ROUTES } from '#shared/contract/routes.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { METRICS, type MetricName, type MetricRow } from '#shared/runtime/metrics.ts';
import { ASSUMED } from './cost.ts';

/** Emitted by every tick, whoever calls; the others only in hours in which partners do. */
const BY_TICKS: readonly MetricName[] = ['PollLag', 'Polls', 'SweeperRepairs', 'DeliveriesDue', 'ErasuresFailed'];
/** Gauges of production that every sweep or every tick emits. */
const GAUGES: readonly MetricName[] = [
  'EndpointsDisabled',
  'DeliveriesSuspended',
  'DeliveriesExhausted',
  'OldestPendingMinutes',
];
/** Totals of production that every tick emits. */
const TOTALS: readonly MetricName[] = ['Pending'];
/**
 * Emitted for a bank while some of its analyses wait. Each is asked about at least once an hour, and where partners submit
 * at all, one that waits for weeks is always there: these have a value in every hour of a month, nights included.
 */
const WHILE_WAITING: readonly MetricName[] = ['Pending', 'OperatorLatency'];
/** Emitted in production alone, although they name their environment. */
const PRODUCTION_ALONE: readonly string[] = ['Outcome'] satisfies readonly MetricName[];
/** Emitted by each look from outside, where the probe has its key. */
const BY_PROBE: readonly MetricName[] = ['ProbeSuccess', 'ProbeLatency', 'CertificateDays'];
/** Emitted when something goes wrong: not in an ordinary hour. */
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
  'SealingKeyUse',
  'IdempotencyConflicts',
  'IdempotencyInFlight',
  'IdempotencyResumed',
];

/** Series that have a value in every hour of a stage that nobody calls. */
export const IDLE_SERIES = BY_TICKS.length + GAUGES.length + TOTALS.length;

/** Series that the probe adds where it has its key: its own, and the latency of the operation that it calls. */
export const PROBE_SERIES = BY_PROBE.length + 1;

/**
 * Series of a month, each counted by the share of its hours in which it has a value: the ticks' always, a bank's while some
 * of its analyses wait always where partners call at all, those of partners' calls in production and in the sandbox by
 * `hours` (0 to 1), of what goes wrong and of the probe none.
 */
export function seriesMonths(hours: { readonly producao: number; readonly sandbox: number }): number {
  const values: Readonly<Record<string, number>> = {
    // Public routes are measured by the gateway alone.
    operation: ROUTES.filter(({ scope }) => scope !== 'public').length,
    bank: BANKS.length,
    situacao: ASSUMED.outcomesInUse,
    codigo: ASSUMED.codigosInUse,
    // Somebody's receiver fails in one way or another.
    class: 1,
  };
  // Only what has a body can have a field that we do not know; a partner that misnames one does so in every call.
  const withBody = ROUTES.filter(({ method }) => method === 'POST' || method === 'PATCH').length;
  const valuesOf = (name: string, dimension: string) => {
    const count = name === 'UnknownFields' && dimension === 'operation' ? withBody : values[dimension];
    if (count === undefined) throw new Error(`nobody says how many values the dimension ${dimension} of ${name} has`);
    return count;
  };
  const apart: readonly string[] = [BY_TICKS, WHEN_WRONG, GAUGES, BY_PROBE, WHILE_WAITING].flat();
  const metrics: Readonly<Record<MetricName, MetricRow>> = METRICS;
  const ordinary = Object.entries(metrics).filter(([name]) => !apart.includes(name));
  const called = ordinary.reduce((total, [name, { by = [] }]) => {
    const others = by.filter((dimension) => dimension !== 'environment');
    const series = others.reduce((product, dimension) => product * valuesOf(name, dimension), 1);
    const inSandbox = by.length > others.length && !PRODUCTION_ALONE.includes(name);
    return total + series * (hours.producao + (inSandbox ? hours.sandbox : 0));
  }, 0);
  // The sandbox's waiting ones are one sum.
  const waiting = (hours.producao > 0 ? WHILE_WAITING.length * BANKS.length : 0) + (hours.sandbox > 0 ? 1 : 0);
  // Totals over all banks: of the submissions, and of production's outcomes.
  return IDLE_SERIES + waiting + called + 2 * hours.producao + hours.sandbox;
}
