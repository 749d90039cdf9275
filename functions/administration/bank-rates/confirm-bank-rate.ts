import { confirmBankRate, evidenceOf, rateChange } from '#shared/administration/bank-rates.ts';
import { orNotFound } from '#shared/administration/failures.ts';
import { confirmationFaults, confirmationOf } from '#shared/domain/simulations/pricing/tables/publication-faults.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { rateDays } from '#shared/runtime/env.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(confirmBankRate, wiring.noted, {
  rates: wiring.bankRates,
  rateDays,
}).handler(async ({ params: { bank }, body, dry }, { rates, rateDays: days, clock }) => {
  const evidence = evidenceOf(body);
  const today = dayInSaoPaulo(clock());
  const read = await rates.read();
  const found = confirmationOf(read.publications, { bank, segment: body.segment }, evidence, today);
  const proposed = { publication: orNotFound(found, `rate of ${bank} for ${body.segment} alone`), evidence };
  const faults = confirmationFaults(read.publications, proposed, today, days);
  return rateChange({ rates, read, proposed, faults, today, rateDays: days, dry });
});
