import { metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type AlarmRow, ticket } from './row.ts';

const DAY = 24 * 60;
/** Days in use after which offers say that their table is old. */
const MOST_DAYS = 90;

/** Whether simulations still rest on rates that banks publish. */
export function pricingTables(stage: Stage): AlarmRow[] {
  const { own } = metricsOf(stage);
  return [
    ticket(
      'pricing-tables-old',
      { board: 'product', section: 'pricing-tables' },
      'A bank’s pricing table has been in use for more than 90 days: families are told rates that the bank may have left.',
      // A whole day: nights without a simulation must not end it.
      { metric: own('TableAgeDays', {}, { statistic: 'Maximum', minutes: DAY }), above: MOST_DAYS },
    ),
  ];
}
