import { quote, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import type { Instalment, Offer, Opportunity, QuoteRequest } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId, OpportunityId } from '#shared/domain/values/ids.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from './frozen-tables.ts';

/**
 * Returns a bank's offer for R$ 350,000.00 of R$ 500,000.00 over 420 months by the frozen tables, with its schedule. Throws an Error if the
 * bank refuses.
 */
export function makeOffer(
  bank: Bank = 'itau',
  overrides: Partial<QuoteRequest> = {},
): { offer: Offer; schedule: readonly Instalment[] } {
  const request: QuoteRequest = {
    propertyValue: centavos(50_000_000),
    financedValue: centavos(35_000_000),
    term: 420,
    financeExpenses: false,
    birthDate: '1990-06-15' as Day,
    contractDay: '2026-11-21' as Day,
    ...overrides,
  };
  const quoted = quote(bank, request, FROZEN_TABLES);
  if ('refusal' in quoted) throw new Error(`${bank} refuses: ${JSON.stringify(quoted.refusal.reason)}`);
  return { offer: quoted.offer, schedule: scheduleOf(quoted.offer) };
}

/** Returns an opportunity with one offer, made at noon in São Paulo on the day of the offer's contract. */
export function makeOpportunity(offer: Offer, name = 'Maria Aparecida da Conceição Gonçalves'): Opportunity {
  return {
    id: 17_915_904_000_576 as OpportunityId,
    leadId: 17_915_900_000_001 as LeadId,
    createdAt: Date.parse(`${offer.contractDay}T15:00:00Z`),
    customer: { name, cpf: '52998224725' as Cpf, birthDate: offer.birthDate },
    offers: [offer],
  };
}
