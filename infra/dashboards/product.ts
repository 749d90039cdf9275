import { STUCK_AFTER } from '#shared/domain/analyses/analysis.ts';
import { WARNING_DAYS } from '#shared/domain/simulations/pricing/notices.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { hours, minutes } from '#shared/domain/values/time.ts';
import { ENVIRONMENTS, math, metricsOf, named, OUTCOMES } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { graph, HALF, NONE_IS_GOOD, part, type Widget } from './widget.ts';

export const PRODUCT_GUIDE = [
  '**Is the product doing its work?** Read the funnel from left to right: people are lost at a step that falls while the',
  'step before it does not. If all outcomes of one bank suddenly become *recusado* or *erro*, our mapping or the bank is',
  'at fault, not its clients. Pending counts the analyses that the poller had to ask about in that minute: all that are',
  'younger than a quarter of an hour, and the others every 2, 10 or 60 minutes. It should rise and fall with submissions.',
  'The oldest pending analysis should be hours old, not days.',
].join(' ');

const rowsOfThree = (widgets: readonly Widget[]): Widget[][] =>
  Array.from({ length: Math.ceil(widgets.length / 3) }, (_, row) => widgets.slice(3 * row, 3 * row + 3));

const COUNT = { statistic: 'SampleCount' };

export function product(stage: Stage): Widget[][] {
  const { own, every, perBank, total } = metricsOf(stage);
  const live = { environment: 'producao' } as const;
  const overBanks = (series: ReturnType<typeof perBank>) => {
    const ids = Object.fromEntries(
      Object.values(series).map((metric, index) => [
        `${metric.name.toLowerCase()}_${metric.dimensions['environment']}_${index}`,
        metric,
      ]),
    );
    return math(ids, { sum: Object.keys(ids) });
  };
  const funnelOf = (environment: Environment, title: string) =>
    graph(
      `${title}: lead, simulation, analysis, outcome (per 5 min)`,
      {
        'leads created': own('LeadsCreated', { environment }),
        'leads reused': own('LeadsReused', { environment }),
        'leads with notice': own('LeadsNoticed', { environment }),
        'leads ended': own('LeadsEnded', { environment }),
        'simulated offers': overBanks(perBank('Simulations', {}, environment)),
        'analyses submitted': overBanks(perBank('AnalysesSubmitted', {}, environment)),
        'analyses concluded': overBanks(perBank('TimeToOutcome', COUNT, environment)),
      },
      { width: HALF },
    );
  const outcomesOf = (bank: Bank) =>
    graph(
      `Outcomes of ${bank} (per hour)`,
      named(OUTCOMES, (situacao) => own('Outcome', { ...live, bank, situacao }, { period: hours(1) })),
      { stacked: true },
    );
  const hourly = (statistic: string) => ({ statistic, period: hours(1) });
  return [
    [funnelOf('producao', 'Production'), funnelOf('sandbox', 'Sandbox')],
    [
      graph('Operator errors per bank (per 5 min)', perBank('OperatorErrors'), { empty: NONE_IS_GOOD }),
      graph('Operator latency, p95', perBank('OperatorLatency', { statistic: 'p95' }), { unit: 'ms' }),
      graph('Submissions in doubt, and refused tokens (per 5 min)', {
        ...perBank('SubmissionsInDoubt'),
        'all banks': total('SubmissionsInDoubt'),
        'token refused': own('OperatorUnauthorized', live),
      }),
    ],
    part('What each bank gets and decides'),
    [
      graph('Simulated offers per bank (per 5 min)', perBank('Simulations')),
      graph('Analyses submitted per bank (per 5 min)', perBank('AnalysesSubmitted')),
      graph('Analyses concluded per bank (per 5 min)', perBank('TimeToOutcome', COUNT)),
    ],
    ...rowsOfThree(BANKS.map(outcomesOf)),
    ['p50', 'p90', 'p99'].map((statistic) =>
      graph(`Time to outcome, ${statistic} (per hour)`, perBank('TimeToOutcome', hourly(statistic)), {
        unit: 'seconds',
      }),
    ),
    part('What waits, and what the mapping does not know'),
    [
      graph('Pending analyses that were due (per minute)', perBank('Pending', { period: minutes(1) }), {
        stacked: true,
      }),
      graph(
        'Oldest pending of all banks (per hour)',
        { oldest: own('OldestPendingMinutes', live, hourly('Maximum')) },
        { unit: 'minutes', thresholds: { ticket: STUCK_AFTER / minutes(1) } },
      ),
      graph(
        'Pending of production and sandbox (per minute)',
        named(ENVIRONMENTS, (environment) => total('Pending', { period: minutes(1) }, environment)),
      ),
    ],
    [
      graph('Analyses that need a person, by bank and kind (per hour)', every('BankTrouble', hourly('Maximum')), {
        width: HALF,
        empty: NONE_IS_GOOD,
      }),
      graph(
        'Days until production refuses a bank; 0 to 60 while other figures are old (per hour)',
        { days: own('RateDaysLeft', {}, hourly('Minimum')) },
        { unit: 'days', thresholds: { ticket: WARNING_DAYS }, width: HALF },
      ),
    ],
  ];
}
