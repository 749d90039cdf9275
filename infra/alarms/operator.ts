import { PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { days, hours, type Milliseconds, minutes } from '#shared/domain/values/time.ts';
import { math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { added, part, percentFailed, type Row, samplesOf, ticket, withSamples } from './row.ts';

export const operator = (stage: Stage): Row[] => [submissions(stage), polling(stage), banks(stage)].flat();

function submissions(stage: Stage): Row[] {
  const { own, total, perBank } = metricsOf(stage);
  const doubted = (period: Milliseconds) => {
    const inDoubt = total('SubmissionsInDoubt', { period });
    return { metric: percentFailed(inDoubt, samplesOf(inDoubt), 3, 'in doubt, percent of submissions'), above: 50 };
  };
  const failures = perBank('OperatorErrors', { statistic: 'Average', period: minutes(15) });
  const failingBanks = added(
    Object.keys(failures).map((bank) => ({ if: { fill: bank }, atLeast: FAILING, gives: 1, else: 0 })),
  );
  return [
    {
      ...part(
        'nothing-submitted',
        { board: 'product', about: 'bank' },
        'Most analyses are accepted from partners but not confirmed by the operator: no bank has them yet.',
        // The short window rings within five minutes. The long window also counts the few submissions of a night.
        [doubted(minutes(5)), doubted(minutes(15))],
      ),
      any: true,
    },
    part(
      'operator-unauthorized',
      { board: 'product', about: 'us' },
      'The operator refuses our token: partners’ submissions are answered 503 and no outcome arrives.',
      { metric: own('OperatorUnauthorized', { environment: 'producao' }), atLeast: 1 },
    ),
    part(
      'all-banks-failing',
      { board: 'product', about: 'bank' },
      'The operator gives no usable answer for any bank: submissions and outcomes of all of them wait.',
      // MIN leaves out banks without calls. A single failing bank has the alarm `bank-failing`.
      {
        metric: math(
          failures,
          { if: failingBanks, atLeast: 2, gives: { min: 'METRICS()' }, else: 0 },
          'least share of failed calls',
        ),
        above: FAILING,
      },
    ),
  ];
}

function polling(stage: Stage): Row[] {
  const { own, total } = metricsOf(stage);
  return [
    part(
      'poller-silent',
      { board: 'platform', about: 'us' },
      'Nobody asks the operator about some or all pending analyses: their outcomes do not arrive.',
      {
        // A poller's shard emits one value in each run, unless a read or a write of production failed.
        metric: total('Pending', { statistic: 'SampleCount', period: minutes(1) }),
        below: stage.pollShards,
        datapoints: 5,
        missingIsBad: true,
      },
    ),
    part(
      'poll-lag',
      { board: 'platform', about: 'us' },
      'The poller is more than three minutes behind: partners and their clients get outcomes late.',
      {
        metric: withSamples(own('PollLag', {}, { statistic: 'p95' }), 20, 'p95, s', own('Polls', {})),
        above: 180,
        datapoints: 2,
      },
    ),
  ];
}

/** Share of failed calls above which a bank counts as failing. */
const FAILING = 0.2;

function banks(stage: Stage): Row[] {
  const { every } = metricsOf(stage);
  return [
    ticket(
      'bank-failing',
      { board: 'product', about: 'bank' },
      'The operator gives no usable answer for a bank: its submissions and outcomes wait.',
      // The poller asks about an analysis older than two hours every ten minutes, so every other period may have no
      // call.
      { metric: every('OperatorErrors', { statistic: 'Average' }), above: FAILING, datapoints: 3, outOf: 8 },
    ),
    ticket(
      'bank-trouble',
      { board: 'product', about: 'bank' },
      `A bank's analyses need a person: they have waited for more than a day (at ${PENDING_LIMIT / days(1)} days they end), get no usable answer, have a text that no rule reads, or a second outcome that contradicts the first.`,
      // The poller asks about analyses older than a day only once an hour. If the alarm looked at less than two hours,
      // it would go on and off each hour.
      {
        metric: every('BankTrouble', { statistic: 'Maximum' }),
        atLeast: 1,
        datapoints: 1,
        outOf: hours(2) / minutes(5),
      },
    ),
  ];
}
