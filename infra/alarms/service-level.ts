import { ROUTES } from '../../shared/contract/routes.ts';
import { metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type AlarmRow, page, percentFailed, ticket, withSamples } from './row.ts';

/**
 * Percent of failed calls at which the objective of 99.9 % in 30 days is lost early: 14.4 and 6 times the 0.1 % that
 * may fail, by which the month's budget is gone in two and in five days (Google's SRE workbook, chapter 5).
 */
const FAST_BURN = 1.44;
const SLOW_BURN = 0.6;

/** Milliseconds that p99 may take of the operations that people wait for; the two that ask all banks may take longer. */
const LATENCY: Readonly<Record<string, number>> = {
  'create-lead': 3_000,
  'get-analysis-status': 3_000,
  'create-simulation': 15_000,
  'submit-analyses': 15_000,
};

/** What callers of the API meet: errors and waits. */
export function serviceLevel(stage: Stage): AlarmRow[] {
  const { gateway, administration, lambda } = metricsOf(stage);
  const failedShare = (minutes: number, least: number) =>
    percentFailed(
      gateway('5XXError', { minutes }),
      gateway('Count', { minutes }),
      least,
      `5xx, percent in ${minutes} min`,
    );
  return [
    page(
      'error-budget-fast',
      { board: 'platform', section: 'api-5xx' },
      'Partners get errors on more than one call in seventy: the month’s error budget is gone in two days.',
      [
        { metric: failedShare(60, 50), above: FAST_BURN },
        // The long window carries the sample; the short one only says that it still goes on.
        { metric: failedShare(5, 1), above: FAST_BURN },
      ],
    ),
    ticket(
      'error-budget-slow',
      { board: 'platform', section: 'api-5xx' },
      'Some calls of partners fail, a few all the time: the month’s error budget is gone in five days.',
      [
        { metric: failedShare(360, 200), above: SLOW_BURN },
        { metric: failedShare(30, 1), above: SLOW_BURN },
      ],
    ),
    page(
      'most-calls-fail',
      { board: 'platform', section: 'api-5xx' },
      'More than half of the calls fail: whoever calls now gets an error, at night with few calls too.',
      { metric: failedShare(15, 5), above: 50 },
    ),
    // One for all operations: nobody waits for one of them at night, and each alarm costs.
    ticket(
      'administration-fails',
      { board: 'platform', section: 'administration' },
      'The service’s own people cannot work: no key is issued or revoked, nobody is erased, nothing is sent again.',
      { metric: administration('5XXError', { minutes: 15 }), atLeast: 3 },
    ),
    ...ROUTES.filter(({ operation }) => LATENCY[operation] !== undefined).map(({ operation, method, path }) =>
      ticket(
        `latency-${operation}`,
        { board: 'platform', section: 'latency' },
        `Partners wait too long for ${method} ${path}: screens of brokers hang or give up.`,
        {
          metric: withSamples(lambda('Duration', operation, { statistic: 'p99' }), 20, 'p99, ms'),
          above: LATENCY[operation]!,
          datapoints: 3,
        },
      ),
    ),
  ];
}

/** ACM renews 60 days before the end and writes to the account 45 days before it: then somebody has missed both. */
export const CERTIFICATE_DAYS = 30;

/** What the probe sees over the public name, as partners do. None before it has its key: without one it is silent, and silence pages. */
export function outside(stage: Stage): AlarmRow[] {
  if (!stage.probeHasKey) return [];
  const { own } = metricsOf(stage);
  const silent = page(
    'outside-probe',
    { board: 'platform', section: 'probe' },
    'The service does not answer from outside: partners cannot call it, whatever its own metrics say.',
    {
      metric: own('ProbeSuccess', {}, { statistic: 'Minimum', minutes: 1 }),
      below: 1,
      datapoints: 2,
      outOf: 3,
      missingIsBad: true,
    },
  );
  const ending = ticket(
    'certificate-days',
    { board: 'platform', section: 'domain-certificate' },
    `The certificate of the service’s name ends within ${CERTIFICATE_DAYS} days and was not renewed: then nobody can call.`,
    { metric: own('CertificateDays', {}, { statistic: 'Minimum', minutes: 60 }), below: CERTIFICATE_DAYS },
  );
  return stage.domain ? [silent, ending] : [silent];
}
