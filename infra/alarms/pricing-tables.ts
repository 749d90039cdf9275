import { WARNING_DAYS } from '#shared/domain/simulations/pricing/notices.ts';
import { hours } from '#shared/domain/values/time.ts';
import { metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { part, type Row, ticket } from './row.ts';

export function pricingTables(stage: Stage): Row[] {
  const { own } = metricsOf(stage);
  const where = { board: 'product', about: 'bank' } as const;
  return [
    ticket(
      'pricing-tables-old',
      where,
      `Production refuses a bank, or will do so within ${WARNING_DAYS} days, because its rates are too old; or other figures of the tables are old. To see which, run: npm run manager -- bank-rates list --stage ${stage.name}.`,
      { metric: own('RateDaysLeft', {}, { period: hours(1), statistic: 'Maximum' }), below: WARNING_DAYS + 1 },
    ),
    part(
      'rates-unknown',
      where,
      'A published rate is not used, because this release does not know its bank, its segment or its form: offers have an older rate.',
      { metric: own('BankRatesUnknown', {}), atLeast: 1 },
    ),
  ];
}
