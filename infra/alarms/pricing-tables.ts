import { WARNING_DAYS } from '#shared/domain/simulations/pricing/notices.ts';
import { hours } from '#shared/domain/values/time.ts';
import type { Formula } from '../formula.ts';
import { math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type Row, ticket } from './row.ts';

export function pricingTables(stage: Stage): Row[] {
  const { own } = metricsOf(stage);
  const hourly = { period: hours(1), statistic: 'Maximum' };
  const days = own('RateDaysLeft', {}, hourly);
  const unknown = own('BankRatesUnknown', {}, hourly);
  const isSoon: Formula = { if: 'days', atLeast: WARNING_DAYS + 1, gives: 0, else: 1 };
  return [
    ticket(
      'pricing-tables-old',
      { board: 'product', about: 'bank' },
      `Production refuses a bank, or will do so within ${WARNING_DAYS} days, because its rates are too old; or other figures of the tables are old; or this release does not know a published rate. To see which, run: npm run manager -- bank-rates list --stage ${stage.name}.`,
      { metric: math({ days, unknown }, { if: 'unknown', atLeast: 1, gives: 1, else: isSoon }, 'rates'), atLeast: 1 },
    ),
  ];
}
