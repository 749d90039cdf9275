import { days, hours, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import type { Formula } from '../formula.ts';
import { CALLS_OF_PROBE, DELIVERY_WORKER, WORKER_TIMEOUT } from '../functions.ts';
import { math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { part, percentFailed, type Row, samplesOf, ticket } from './row.ts';

/**
 * Percentages of failed calls that use up a month's error budget (objective: 99.9 %) in two and in five days. They are
 * 14.4 and 6 times the allowed 0.1 % (Google's SRE Workbook, chapter 5).
 */
const FAST_BURN = 1.44;
const SLOW_BURN = 0.6;

/**
 * Number of 5xx answers of one writing operation in 15 minutes that wakes someone. If the service has fewer than 2.3
 * calls a second and the operation a tenth of them, three failures are above FAST_BURN.
 */
const FAILED_WRITES = 3;
/** Number of slow calls of one operation in ten minutes that is too high for chance. */
const SLOW_CALLS = 3;

export function serviceLevel(stage: Stage): Row[] {
  const { gateway, administration, rule } = metricsOf(stage);
  const failedShare = (period: Milliseconds, minimum: number) =>
    percentFailed(
      gateway('5XXError', { period }),
      gateway('Count', { period }),
      minimum,
      `5xx, percent in ${period / minutes(1)} min`,
      stage.probeHasKey ? (period / minutes(1)) * CALLS_OF_PROBE : 0,
    );
  return [
    part(
      'error-budget-fast',
      { board: 'platform', about: 'us' },
      'Partners get errors on more than one call in seventy: the month’s error budget is gone in two days.',
      [
        { metric: failedShare(hours(1), 50), above: FAST_BURN },
        // The long window holds enough calls. The short window only shows that calls still fail.
        { metric: failedShare(minutes(5), 1), above: FAST_BURN },
      ],
    ),
    part(
      'error-budget-slow',
      { board: 'platform', about: 'us' },
      'A few calls of partners fail all the time: the month’s error budget is gone in five days.',
      [
        { metric: failedShare(hours(6), 200), above: SLOW_BURN },
        { metric: failedShare(minutes(30), 1), above: SLOW_BURN },
      ],
    ),
    part(
      'most-calls-fail',
      { board: 'platform', about: 'us' },
      'More than half of the calls fail. This alarm also counts the few calls at night.',
      { metric: failedShare(minutes(15), 5), above: 50 },
    ),
    part(
      'writing-calls-fail',
      { board: 'platform', about: 'us' },
      'One call by which partners create or change leads, simulations or analyses fails again and again: brokers cannot go on, whatever the other calls do.',
      { metric: rule('failed-writes', minutes(15)), atLeast: FAILED_WRITES },
    ),
    // One alarm covers all operations: nobody waits for an operation at night, and each alarm costs money.
    ticket(
      'administration-fails',
      { board: 'platform', about: 'us' },
      'The service’s own people cannot work: they can neither issue nor revoke keys, erase people or resend webhooks.',
      { metric: administration('5XXError', { period: minutes(15) }), atLeast: 3 },
    ),
    waits(stage),
    ...business(stage),
  ];
}

/**
 * The alarm covers the webhook worker, too: nobody notices its slow runs until Lambda ends a run. Each rule counts only
 * the operation with the most slow calls.
 */
function waits(stage: Stage): Row {
  const { lambda, rule } = metricsOf(stage);
  const tenMinutes = minutes(10);
  return {
    ...part(
      'latency',
      { board: 'platform', about: 'us' },
      'Partners wait too long for an operation, so that brokers’ screens hang; or runs of the webhook worker come near their timeout.',
      [
        { metric: rule('slow-calls', tenMinutes), atLeast: SLOW_CALLS, datapoints: 2 },
        { metric: rule('slow-bank-calls', tenMinutes), atLeast: SLOW_CALLS, datapoints: 2 },
        { metric: lambda('Duration', DELIVERY_WORKER, { statistic: 'Maximum' }), atLeast: LONG_RUN, datapoints: 3 },
      ],
    ),
    any: true,
  };
}

/** Longest normal run of the webhook worker: four fifths of its timeout. Lambda may end a slower run in the middle. */
const LONG_RUN: Milliseconds = (4 * seconds(WORKER_TIMEOUT)) / 5;

/** Least submissions, or outcomes, of a busy week. With fewer, an hour of business without any is usual. */
const BUSY_WEEK = 100;

/**
 * Returns the alarms that compare with the last week: partners' submissions that are suddenly refused, and business
 * that stops.
 */
function business(stage: Stage): Row[] {
  const { own, total } = metricsOf(stage);
  const refusedShare = (period: Milliseconds, minimum: number) => {
    const refused = own('SubmissionsRefused', { environment: 'producao' }, { period });
    return percentFailed(refused, samplesOf(refused), minimum, 'refused, percent of calls');
  };
  const sums = (period: Milliseconds) => ({
    submitted: total('SubmissionsInDoubt', { period, statistic: 'SampleCount' }),
    outcomes: total('TimeToOutcome', { period, statistic: 'SampleCount' }),
  });
  const none = (of: Formula): Formula => ({ if: of, atLeast: 1, gives: 0, else: 1 });
  const stopped: Formula = {
    businessHours: 'clock',
    gives: [none({ fill: 'submitted' }), '+', none({ fill: 'outcomes' })],
  };
  const clock = total('Pending', { period: hours(1), statistic: 'SampleCount' });
  const busy = (of: Formula, then: Formula): Formula => ({ if: of, atLeast: BUSY_WEEK, gives: then, else: 0 });
  return [
    part(
      'submissions-refused',
      { board: 'product', about: 'partner' },
      'Most calls that submit analyses are refused, far more than in the last week: a release of ours or of a partner is wrong.',
      [
        { metric: refusedShare(hours(1), 10), above: 50 },
        { metric: refusedShare(days(7), 1), below: 25 },
      ],
    ),
    part(
      'business-stopped',
      { board: 'product', about: 'us' },
      'In business hours nobody submits any more, or no bank decides, although the last week was busy.',
      [
        { metric: math({ clock, ...sums(hours(1)) }, stopped, 'without any'), atLeast: 1, datapoints: 3 },
        { metric: math(sums(days(7)), busy({ fill: 'submitted' }, busy({ fill: 'outcomes' }, 1)), 'busy'), atLeast: 1 },
      ],
    ),
  ];
}

/**
 * Days before the certificate ends. ACM renews the certificate 60 days before, and writes to the account 45 days
 * before: below 30 days both have failed.
 */
export const CERTIFICATE_DAYS = 30;

/**
 * Returns no alarms before the outside probe has its key: the probe would emit nothing, and missing data wakes someone.
 */
export function outside(stage: Stage): Row[] {
  if (!stage.probeHasKey) return [];
  const { own } = metricsOf(stage);
  const silent = part(
    'outside-probe',
    { board: 'platform', about: 'us' },
    'The service does not answer from outside: partners cannot call it, whatever its own metrics say.',
    {
      metric: own('ProbeSuccess', {}, { statistic: 'Minimum', period: minutes(1) }),
      below: 1,
      datapoints: 2,
      outOf: 3,
      missingIsBad: true,
    },
  );
  const ending = part(
    'certificate-days',
    { board: 'platform', about: 'us' },
    `The certificate of the service’s name ends within ${CERTIFICATE_DAYS} days and was not renewed. After that, nobody can call.`,
    { metric: own('CertificateDays', {}, { statistic: 'Minimum', period: hours(1) }), below: CERTIFICATE_DAYS },
  );
  return stage.domain ? [silent, ending] : [silent];
}
