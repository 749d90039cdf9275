import { PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { days, hours, minutes } from '#shared/domain/values/time.ts';
import type { Formula } from '../formula.ts';
import { math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type AlarmRow, page, part, percentFailed, samplesOf, ticket, withSamples } from './row.ts';

/** Time that an analysis waits before a person must look at it. */
export const STUCK_AFTER = days(1);
const bankFailing = (bank: string) => `bank-failing-${bank}`;

/**
 * Returns the alarms about the way of an analysis in production: submission to the operator, polling, the banks'
 * answers.
 */
export const operator = (stage: Stage): AlarmRow[] => [submissions(stage), polling(stage), banks(stage)].flat();

function submissions(stage: Stage): AlarmRow[] {
  const { own, total } = metricsOf(stage);
  const inDoubt = total('SubmissionsInDoubt', { period: minutes(15) });
  return [
    page(
      'nothing-submitted',
      { board: 'product', about: 'bank', section: 'operator' },
      'Most analyses are accepted from partners but not confirmed by the operator: no bank has them yet.',
      { metric: percentFailed(inDoubt, samplesOf(inDoubt), 3, 'in doubt, percent of submissions'), above: 50 },
    ),
    page(
      'operator-unauthorized',
      { board: 'product', about: 'us', section: 'operator' },
      'The operator refuses our token: partners’ submissions are answered 503 and no outcome arrives.',
      { metric: own('OperatorUnauthorized', { environment: 'producao' }), atLeast: 1 },
    ),
    page(
      'all-banks-failing',
      { board: 'product', about: 'bank', section: 'operator' },
      'The operator gives no usable answer for any bank: submissions and outcomes of all of them wait.',
      { alarms: BANKS.map(bankFailing) },
    ),
  ];
}

function polling(stage: Stage): AlarmRow[] {
  const { own, total } = metricsOf(stage);
  return [
    page(
      'poller-silent',
      { board: 'platform', about: 'us', section: 'poller' },
      'Nobody asks the operator about some or all pending analyses: their outcomes do not arrive.',
      {
        // Every shard emits one value in each tick in which nothing of production failed.
        metric: total('Pending', { statistic: 'SampleCount', period: minutes(1) }),
        below: stage.pollShards,
        datapoints: 5,
        missingIsBad: true,
      },
    ),
    page(
      'poll-lag',
      { board: 'platform', about: 'us', section: 'poller' },
      'The poller is more than three minutes behind: partners and their clients get outcomes late.',
      {
        metric: withSamples(own('PollLag', {}, { statistic: 'p95' }), 20, 'p95, s', own('Polls', {})),
        above: 180,
        datapoints: 2,
      },
    ),
  ];
}

function banks(stage: Stage): AlarmRow[] {
  const { own, total } = metricsOf(stage);
  // The poller asks about older analyses once an hour. With a shorter period, the alarm would go on and off each hour.
  const lastTwoHours = { statistic: 'Maximum', period: hours(2) };
  const oldest = own('OldestPendingMinutes', { environment: 'producao' }, lastTwoHours);
  const unanswerable = total('AnalysesUnanswerable', lastTwoHours);
  const isOld: Formula = { if: { fill: 'oldest' }, atLeast: STUCK_AFTER / minutes(1) + 1, gives: 1, else: 0 };
  return [
    ticket(
      'analyses-stuck',
      { board: 'product', about: 'bank', section: 'bank-stuck' },
      `An analysis has waited for more than a day, or the operator cannot answer about it: the bank or this service may have lost it. At ${PENDING_LIMIT / days(1)} days it ends by itself.`,
      { metric: math({ oldest, unanswerable }, [isOld, '+', { fill: 'unanswerable' }], 'stuck'), atLeast: 1 },
    ),
    ticket(
      'bank-failing',
      { board: 'product', about: 'bank', section: 'bank-stuck' },
      'The operator gives no usable answer for some banks: their submissions and outcomes wait. Held back while all banks fail.',
      { alarms: BANKS.map(bankFailing), unless: 'all-banks-failing' },
    ),
    ...BANKS.map((bank) => {
      const values = { environment: 'producao', bank };
      return part(
        bankFailing(bank),
        { board: 'product', about: 'bank', section: 'bank-stuck' },
        `The operator gives no usable answer for ${bank}: its submissions and outcomes wait.`,
        {
          metric: percentFailed(
            own('OperatorErrors', values, { period: minutes(15) }),
            samplesOf(own('OperatorLatency', values, { period: minutes(15) })),
            10,
            'failed, percent',
          ),
          above: 20,
        },
      );
    }),
    ticket(
      'late-outcome',
      { board: 'product', about: 'bank', section: 'late-outcome' },
      'A bank contradicts the outcome of an ended analysis: the partner knows, and may rely on, the first outcome.',
      { metric: total('IgnoredTransition'), atLeast: 1 },
    ),
    ticket(
      'unknown-status',
      { board: 'product', about: 'bank', section: 'status-map' },
      'A bank sends a status text that no rule knows: its analyses stay pending although it may have decided.',
      { metric: total('UnknownStatus'), atLeast: 1 },
    ),
  ];
}
