import { days, hours, minutes } from '#shared/domain/values/time.ts';
import { type Formula, percentOf } from '../formula.ts';
import { DELIVERY_WORKER, POLLERS, PROBE } from '../functions.ts';
import { type MetricSeries, math, metricsOf } from '../metrics.ts';
import { COPIED_WITHIN, prefixOf, type Stage } from '../stages.ts';
import { part, type Row, THREE_OF_FIVE, ticket } from './row.ts';

const TABLE_CALLS = ['UpdateItem', 'TransactWriteItems'] as const;

const FUNCTIONS_WITHOUT_CALLERS = [POLLERS.outcomes, POLLERS.sweeper, POLLERS.erasures, PROBE, DELIVERY_WORKER];

const numbered = (series: readonly MetricSeries[]): Record<string, MetricSeries> =>
  Object.fromEntries(series.map((metric, index) => [`m${index + 1}`, metric]));

const sumOf = (series: readonly MetricSeries[], label: string) =>
  math(numbered(series), { sum: 'FILL(METRICS(), 0)' }, label);

export const capacity = (stage: Stage): Row[] =>
  [lambda(stage), table(stage), secrets(stage), stage.firewall ? firewall(stage) : []].flat();

function lambda(stage: Stage): Row[] {
  const { account, lambda, own } = metricsOf(stage);
  return [
    part(
      'runs-failing',
      { board: 'platform', about: 'us' },
      'Background runs keep failing: polls, sweeps, erasures or webhooks have stopped.',
      {
        metric: sumOf(
          FUNCTIONS_WITHOUT_CALLERS.map((operation) => lambda('Errors', operation)),
          'failed runs',
        ),
        atLeast: 1,
        ...THREE_OF_FIVE,
      },
    ),
    // One alarm covers all functions, because the cure is the same. A bad container may miss a minute, so any three of
    // five minutes count.
    part(
      'clock-wrong',
      { board: 'platform', about: 'us' },
      'Background runs do nothing and calls are refused, because the clocks of their containers are wrong: polls, sweeps, erasures or webhooks wait.',
      { metric: own('RunsWithWrongClock', {}, { period: minutes(1) }), atLeast: 1, ...THREE_OF_FIVE },
    ),
    part(
      'lambda-concurrency',
      { board: 'platform', about: 'us' },
      'The account has used more than 80 % of its Lambda concurrency: the next peak is refused.',
      {
        // Service Quotas has the quota for `ConcurrentExecutions`. `ClaimedAccountConcurrency`, which also counts
        // reservations, has no quota.
        metric: math(
          {
            claimed: account('ClaimedAccountConcurrency', { statistic: 'Maximum' }),
            running: account('ConcurrentExecutions', { statistic: 'Maximum' }),
          },
          percentOf('claimed', { quota: 'running' }),
          'percent of the concurrency',
        ),
        above: 80,
        ...THREE_OF_FIVE,
      },
    ),
  ];
}

function refusedShare(refused: readonly MetricSeries[], answered: readonly MetricSeries[], label: string) {
  const all = numbered(refused.concat(answered));
  const bad = Object.keys(all).slice(0, refused.length);
  const percent: Formula = [[100, '*', { sum: bad }], '/', { sum: Object.keys(all) }];
  return math(all, { if: { sum: bad }, atLeast: 10, gives: percent, else: 0 }, label);
}

function table(stage: Stage): Row[] {
  const metrics = metricsOf(stage);
  const throttled = [{}, { GlobalSecondaryIndexName: 'byList' }, { GlobalSecondaryIndexName: 'byDue' }].flatMap(
    (index) => [metrics.table('ReadThrottleEvents', index), metrics.table('WriteThrottleEvents', index)],
  );
  // TABLE_CALLS are enough for a share: every call of a partner makes an UpdateItem, every change a transaction.
  const answered = TABLE_CALLS.map((Operation) =>
    metrics.table('SuccessfulRequestLatency', { Operation }, { statistic: 'SampleCount' }),
  );
  const failed = TABLE_CALLS.map((Operation) => metrics.table('SystemErrors', { Operation }));
  const where = { board: 'platform', about: 'us' } as const;
  return [
    part('table-refuses', where, 'DynamoDB refuses calls or fails: partners get 503 and analyses wait.', {
      metric: refusedShare(throttled.concat(failed), answered, 'refused or failed, percent of calls'),
      above: 1,
      ...THREE_OF_FIVE,
    }),
  ];
}

function secrets(stage: Stage): Row[] {
  const { own } = metricsOf(stage);
  return [
    part(
      'secrets-away',
      { board: 'platform', about: 'us' },
      'Functions cannot read their secrets again: those that run use the keys that they hold for at most 12 hours, and those that start answer 503.',
      // A container repeats a failed read every 30 seconds, so an outage of ten minutes has a value in each period.
      { metric: own('SecretRefreshesFailed', {}), atLeast: 1, datapoints: 2 },
    ),
  ];
}

function firewall(stage: Stage): Row[] {
  const { firewall } = metricsOf(stage);
  const quarter = { period: minutes(15) };
  const [blocked, allowed] = [firewall('BlockedRequests', 'ALL', quarter), firewall('AllowedRequests', 'ALL', quarter)];
  const all: Formula = [{ fill: 'blocked' }, '+', { fill: 'allowed' }];
  return [
    part(
      'firewall-blocks',
      { board: 'platform', about: 'us' },
      'The web firewall blocks one call in five: an attack, or a rule that mistakes a partner’s calls for an attack.',
      {
        metric: math(
          { blocked, allowed },
          {
            if: all,
            atLeast: 100,
            gives: [[100, '*', { fill: 'blocked' }], '/', { sum: ['blocked', 'allowed'] }],
            else: 0,
          },
          'blocked, percent of calls',
        ),
        above: 20,
      },
    ),
  ];
}

/**
 * Percentage of a sealing key's allowed encryptions at which the key must be rotated. At 300 encryptions a second, 25 %
 * last for a month and a half.
 */
const ROTATE_AT = 25;

export function personalData(stage: Stage): Row[] {
  const { own } = metricsOf(stage);
  const use = own('SealingKeyUse', {}, { statistic: 'Maximum', period: days(1) });
  return [
    ticket(
      'erasures-failing',
      { board: 'platform', about: 'us' },
      'The erasure of a person keeps failing, or no run looks for erasures: data is not erased as promised.',
      { metric: own('ErasuresFailed', {}), atLeast: 1, datapoints: 3, missingIsBad: true },
    ),
    ticket(
      'cpf-mismatch',
      { board: 'platform', about: 'us' },
      'A CPF leads to the lead of another person: calls with it get 500. Somebody changed its row outside of the service.',
      { metric: own('CpfMismatches', {}), atLeast: 1 },
    ),
    part(
      'sealing-key-used',
      { board: 'platform', about: 'us' },
      'The sealing key has made a quarter of its allowed encryptions: rotate it in time.',
      { metric: math({ use }, { fill: 'use' }, 'use'), atLeast: ROTATE_AT },
    ),
  ];
}

export function copies(stage: Stage): Row[] {
  if (!stage.evidence) return [];
  const { backup } = metricsOf(stage);
  const { copyVaultArn } = stage.evidence;
  const hourly = { period: hours(1) };
  // The copy into the other account is the last step of the night, so its metric is enough.
  const completed =
    copyVaultArn === undefined
      ? backup('NumberOfBackupJobsCompleted', prefixOf(stage), hourly)
      : backup('NumberOfCopyJobsCompleted', copyVaultArn.slice(copyVaultArn.lastIndexOf(':') + 1), hourly);
  return [
    part(
      'copies-missing',
      { board: 'platform', about: 'us' },
      `No copy of the tables was completed for ${COPIED_WITHIN / hours(1)} hours: if the account is lost, everything since the last copy is lost.`,
      // AWS Backup reports only numbers above 0, so an hour without a completed job has no value.
      { metric: completed, below: 1, datapoints: COPIED_WITHIN / hours(1), missingIsBad: true },
    ),
  ];
}
