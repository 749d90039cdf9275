import { listBankRates, rateList } from '#shared/administration/bank-rates.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import { rateDays } from '#shared/runtime/env.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listBankRates, {
  rates: wiring.bankRates,
  clock: wiring.clock,
  rateDays,
}).handler(async (_, { rates, clock, rateDays: days }) => rateList(await rates.read(), dayInSaoPaulo(clock()), days));
