import { UNKNOWN_KEYS_ASKED } from '#shared/domain/partners/api-key.ts';
import { days, hours, minutes } from '#shared/domain/values/time.ts';
import { FAILING_LONG } from '#shared/domain/webhooks/endpoint.ts';
import { percentOf } from '../formula.ts';
import { DELIVERY_WORKER } from '../functions.ts';
import { math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { page, part, type Row, samplesOf, ticket, withSamples } from './row.ts';

const PRODUCTION = { environment: 'producao' } as const;

/** The alarms of the queue and the sweeper cover both environments. The other alarms read production only. */
export const webhooks = (stage: Stage): Row[] => machinery(stage).concat(receivers(stage));

function machinery(stage: Stage): Row[] {
  const { lambda, own, queue } = metricsOf(stage);
  const where = { board: 'platform', about: 'us' } as const;
  const minute = { period: minutes(1) };
  const live = samplesOf(own('WebhookDelay', PRODUCTION, minute));
  const sandbox = samplesOf(own('WebhookDelay', { environment: 'sandbox' }, minute));
  const failed = lambda('Errors', DELIVERY_WORKER, minute);
  const visible = queue('ApproximateNumberOfMessagesVisible', 'deliveryQueue', minutes(1));
  return [
    part('webhook-delay', where, 'Webhooks leave more than two minutes late: every partner gets outcomes late.', {
      metric: withSamples(own('WebhookDelay', PRODUCTION, { statistic: 'p95' }), 10, 'p95, s'),
      above: 120,
      datapoints: 2,
    }),
    part('worker-silent', where, 'Webhooks wait in the queue and nobody sends them: partners get no outcomes.', {
      metric: math(
        { visible, failed, live, sandbox },
        {
          // Messages that a failed run took become visible again only after their visibility timeout, so failed runs
          // count too.
          if: ['visible', '+', { fill: 'failed' }],
          atLeast: 1,
          gives: { if: [{ fill: 'live' }, '+', { fill: 'sandbox' }], atLeast: 1, gives: 0, else: 1 },
          else: 0,
        },
        'waiting without an attempt',
      ),
      atLeast: 1,
      datapoints: 10,
      missingIsBad: true,
    }),
    part(
      'sweeper-silent',
      where,
      'Nobody sends retries that become due, or deliveries that the queue lost: partners miss events unnoticed.',
      {
        metric: own('SweeperRepairs', {}, { statistic: 'SampleCount', period: minutes(1) }),
        below: 1,
        datapoints: 5,
        missingIsBad: true,
      },
    ),
    part(
      'sweeper-repairs',
      where,
      'The queue keeps losing deliveries, the worker fails on one each time, or the sweeper is late: they arrive late or never.',
      // The sweeper repairs a failing delivery at most every ten minutes: three repairs take up to 35 minutes.
      { metric: own('SweeperRepairs', {}, minute), above: 0, datapoints: 3, outOf: 45 },
    ),
  ];
}

function receivers(stage: Stage): Row[] {
  const { own, every } = metricsOf(stage);
  const delays = own('WebhookDelay', PRODUCTION, { period: hours(1) });
  return [
    ticket(
      'webhook-first-try',
      { board: 'partners', about: 'partner' },
      'Fewer than four in five webhook attempts succeed at the first try: endpoints of partners or our sending has a fault.',
      {
        metric: math(
          { first: own('WebhookFirstTryDelivered', PRODUCTION, { period: hours(1) }), attempts: samplesOf(delays) },
          { if: 'attempts', atLeast: 20, gives: percentOf('first', 'attempts'), else: 100 },
          'delivered at the first try, percent of attempts',
        ),
        below: 80,
      },
    ),
    page(
      'dead-letters-many',
      { board: 'partners', about: 'partner' },
      'Many events were given up: sending is broken, or a large partner is unreachable.',
      { metric: own('DeliveriesExhausted', PRODUCTION, { statistic: 'Maximum' }), atLeast: 50 },
    ),
    ticket(
      'partner-unreached',
      { board: 'partners', about: 'partner' },
      `A partner does not get its outcomes: its address is disabled or has failed for over ${FAILING_LONG / hours(1)} hours, or events were given up. It perhaps does not know it.`,
      { metric: every('PartnerUnreached', { statistic: 'Maximum' }), atLeast: 1 },
    ),
  ];
}

export function callers(stage: Stage): Row[] {
  const { own, rule } = metricsOf(stage);
  const made = own('ProductionKeysMade', {}, { period: days(1) });
  return [
    part(
      'partner-rate',
      { board: 'partners', about: 'partner' },
      'A partner calls far above its rate and is refused: its integration is stuck in a loop, or it needs a higher limit.',
      { metric: rule('refused-by-rate', minutes(15)), above: 300 },
    ),
    {
      ...ticket(
        'authentication-failures',
        { board: 'partners', about: 'partner' },
        'Many calls have invalid keys, somebody forges keys of a partner, or more than three production keys were made in a day. Somebody may be trying keys or making their own; or partners are changing their keys.',
        [
          { metric: own('AuthenticationFailures', {}), above: 100 },
          // `fill` counts a day without a value as 0. Such days would otherwise keep the alarm on.
          { metric: math({ made }, { fill: 'made' }, 'keys made'), above: 3 },
          // After UNKNOWN_KEYS_ASKED unknown keys of one partner in a minute, a container reads the partner's item
          // before each further key. The metric counts all partners and containers.
          { metric: own('UnknownKeysAsked', {}, { period: minutes(1) }), atLeast: UNKNOWN_KEYS_ASKED },
        ],
      ),
      any: true,
    },
  ];
}
