import { evidenceOf, publishBankRate, rateChange } from '#shared/administration/bank-rates.ts';
import { newPublication, publicationFaults } from '#shared/domain/simulations/pricing/tables/publication-faults.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { rateDays } from '#shared/runtime/env.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(publishBankRate, wiring.noted, {
  rates: wiring.bankRates,
  rateDays,
}).handler(async ({ params: { bank }, body, dry }, { rates, rateDays: days, clock }) => {
  const { segment, from, value, source, confirmed, date = body.seen } = body;
  const evidence = evidenceOf(body);
  const today = dayInSaoPaulo(clock());
  const read = await rates.read();
  const sent = { bank, segment, from, rate: { value, date, source } };
  const proposed = { publication: newPublication(read.publications, sent, today), evidence, confirmed };
  const faults = publicationFaults(read.publications, proposed, today);
  return rateChange({ rates, read, proposed, faults, today, rateDays: days, dry });
});
