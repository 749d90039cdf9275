import { hours } from '#shared/domain/values/time.ts';
import { percentOf } from '../formula.ts';
import { API_OPERATIONS, DELIVERY_WORKER } from '../functions.ts';
import { ENVIRONMENTS, math, metricsOf, named } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { FULL, graph, HALF, logQuery, NONE_IS_GOOD, part, type Widget } from './widget.ts';

export const PARTNERS_GUIDE = [
  '**Who calls, and what goes wrong for them?** A *codigo* that jumps right after a partner’s release is a bug on their',
  'side: tell them. Refusals by rate concern one partner at a time. If webhooks of one partner fail, its endpoint is at',
  'fault; if webhooks of all partners fail, we are. The query of the last row shows the unit behind a partner.',
].join(' ');

/** Figures of one partner come from the logs. */
export function partners(stage: Stage): Widget[][] {
  const { own, every } = metricsOf(stage);
  const live = { environment: 'producao' } as const;
  const hour = { period: hours(1) };
  const gauge = (name: 'EndpointsDisabled' | 'EndpointsFailing' | 'DeliveriesSuspended' | 'DeliveriesExhausted') =>
    named(ENVIRONMENTS, (environment) => own(name, { environment }, { statistic: 'Maximum' }));
  const attempts = own('WebhookDelay', live, { ...hour, statistic: 'SampleCount' });
  return [
    [
      graph(
        'Refused keys (per 5 min)',
        { 'refused keys': own('AuthenticationFailures', {}), 'looked up in the table': own('UnknownKeysAsked', {}) },
        { thresholds: { ticket: 100 }, width: FULL, empty: NONE_IS_GOOD },
      ),
    ],
    [
      graph('4xx by codigo (per 5 min)', every('ClientErrorsByCode'), { stacked: true, empty: NONE_IS_GOOD }),
      graph('Unknown fields by operation (per 5 min)', every('UnknownFields'), { stacked: true, empty: NONE_IS_GOOD }),
      graph('Repeated calls (per 5 min)', {
        'answered again': own('IdempotencyReplays', {}),
        'same key, other body': own('IdempotencyConflicts', {}),
        'first try still runs': own('IdempotencyInFlight', {}),
        'resumed after a crash': own('IdempotencyResumed', {}),
      }),
    ],
    [
      graph(
        'Webhook attempts that succeed (percent, per hour)',
        {
          'of all attempts': math(
            { delivered: own('WebhookDelivered', live, hour), attempts },
            percentOf('delivered', 'attempts'),
          ),
          'at the first try': math(
            { first: own('WebhookFirstTryDelivered', live, hour), attempts },
            percentOf('first', 'attempts'),
          ),
        },
        { max: 100, unit: 'percent', thresholds: { 'ticket below': 80 } },
      ),
      graph('Failed attempts by class (per 5 min)', every('WebhookFailures'), { stacked: true, empty: NONE_IS_GOOD }),
      graph('Webhook attempts of production and sandbox (per 5 min)', {
        ...named(ENVIRONMENTS, (environment) => own('WebhookDelay', { environment }, { statistic: 'SampleCount' })),
        'given up in production': own('WebhookExhausted', live),
      }),
    ],
    part('Events that have not arrived'),
    [
      graph('Receivers that have failed for over six hours', gauge('EndpointsFailing')),
      graph('Disabled webhook addresses', gauge('EndpointsDisabled')),
      graph('Partners without their events, by kind', every('PartnerUnreached', { statistic: 'Maximum' }), {
        empty: NONE_IS_GOOD,
      }),
    ],
    [
      graph('Events kept for disabled addresses', gauge('DeliveriesSuspended'), { width: HALF }),
      graph('Events given up and not sent again', gauge('DeliveriesExhausted'), {
        thresholds: { page: 50 },
        width: HALF,
      }),
    ],
    part('By partner, from the logs'),
    [
      logQuery('Partners with the most calls, and calls refused by rate', API_OPERATIONS, [
        "filter code = 'request_completed' and ispresent(partner)",
        'stats count(*) as calls, sum(status = 429) as refused by partner, environment',
        'sort calls desc',
        'limit 20',
      ]),
    ],
    [
      logQuery('Refused calls by operation', API_OPERATIONS, [
        "filter code = 'request_completed' and status >= 400 and status < 500",
        'stats count(*) as refused by operation, status, partner',
        'sort refused desc',
        'limit 20',
      ]),
    ],
    [
      logQuery(
        'Webhook attempts per unit, worst first',
        [DELIVERY_WORKER],
        [
          "filter code = 'delivery_attempted'",
          "stats count(*) as attempts, sum(strcontains(next, 'entregue')) as delivered by partner, unit",
          'fields 100 * delivered / attempts as percent',
          'display partner, unit, attempts, delivered, percent',
          'sort percent asc',
          'limit 50',
        ],
      ),
    ],
  ];
}
