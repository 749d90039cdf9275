import { BANKS } from '#shared/domain/values/bank.ts';
import { minutes } from '#shared/domain/values/time.ts';
import { type AlarmRow, added, CAUSES } from '../alarms/row.ts';
import { percentOf } from '../formula.ts';
import { type MathSeries, type MetricSeries, math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type Light, THIRD } from './widget.ts';

export const LIGHTS_GUIDE = [
  '**Is it us, the bank or the partner?** The first row is the same on every dashboard: it shows each alarm that is on,',
  'by where to begin. If *Us* and *The banks* are on together, begin with the banks, because some of our calls fail when',
  'theirs do. A light that lists no alarm is fine.',
].join(' ');

const WINDOW = { period: minutes(15) };

/** Every alarm is in exactly one light, by its own `about`. */
export function lights(stage: Stage, alarms: readonly AlarmRow[]): readonly Light[] {
  const figures = figuresOf(stage);
  return CAUSES.map((cause) => ({
    kind: 'light',
    ...figures[cause],
    unit: '%',
    width: THIRD,
    names: alarms.filter(({ about }) => about === cause).map(({ name }) => name),
  }));
}

function figuresOf(stage: Stage): Record<(typeof CAUSES)[number], Pick<Light, 'title' | 'figure' | 'series'>> {
  const { own, gateway } = metricsOf(stage);
  const live = { environment: 'producao' } as const;
  return {
    us: {
      title: 'Us',
      figure: 'Calls answered with 5xx in 15 min',
      series: math(
        { failed: gateway('5XXError', WINDOW), calls: gateway('Count', WINDOW) },
        percentOf('failed', 'calls'),
      ),
    },
    bank: {
      title: 'The banks',
      figure: 'Calls to the operator without a usable answer in 15 min',
      series: callsToBanks(stage),
    },
    partner: {
      title: 'Partners',
      figure: 'Webhook attempts that did not arrive in 15 min',
      series: math(
        {
          delivered: own('WebhookDelivered', live, WINDOW),
          attempts: own('WebhookDelay', live, { ...WINDOW, statistic: 'SampleCount' }),
        },
        [100, '-', percentOf('delivered', 'attempts')],
      ),
    },
  };
}

function callsToBanks(stage: Stage): MathSeries {
  const { own } = metricsOf(stage);
  const of: Record<string, MetricSeries> = {};
  for (const bank of BANKS) {
    const values = { environment: 'producao', bank };
    of[`failed_${bank}`] = own('OperatorErrors', values, WINDOW);
    of[`calls_${bank}`] = own('OperatorLatency', values, { ...WINDOW, statistic: 'SampleCount' });
  }
  // A bank without a failure has no value, which must count as 0.
  const failed = added(BANKS.map((bank) => ({ fill: `failed_${bank}` })));
  return math(of, [[100, '*', failed], '/', { sum: BANKS.map((bank) => `calls_${bank}`) }]);
}
