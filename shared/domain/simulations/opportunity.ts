import type { Agent, Partners } from '../partners/ports.ts';
import { BANK_IDENTITIES } from '../values/bank.ts';
import type { Unopened } from '../values/idempotency.ts';
import { type OpportunityId, type SimulationId, simulationIdOf } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Simulations } from './ports.ts';
import type { Offer, Opportunity } from './simulation.ts';

/** The id of an opportunity's offer. A bank's second one, under the other amortization system, has an id of its own. */
export function simulationIdFor(opportunity: Pick<Opportunity, 'id' | 'offers'>, offer: Offer): SimulationId {
  const first = opportunity.offers.find(({ bank }) => bank === offer.bank);
  const answer = first === undefined || first.system === offer.system ? 1 : 2;
  return simulationIdOf(opportunity.id, BANK_IDENTITIES[offer.bank].id, answer);
}

/**
 * Offers from the lowest cost to the highest: by the projected CET, never by CETs of different indexers; ties by the
 * official CET, then by the bank's id (shared/domain/simulations/pricing/README.md, rule 12).
 */
export function rankOffers(offers: readonly Offer[]): readonly Offer[] {
  return offers.toSorted(
    (a, b) =>
      a.projection.annualCost - b.projection.annualCost ||
      a.effectiveAnnualCost - b.effectiveAnnualCost ||
      BANK_IDENTITIES[a.bank].id - BANK_IDENTITIES[b.bank].id,
  );
}

/** The offer that an id means: its own, or the one of the lowest projected cost where it is the opportunity's. */
export function offerFor(opportunity: Opportunity, id: number): Offer | undefined {
  if (id === opportunity.id) return rankOffers(opportunity.offers)[0];
  return opportunity.offers.find((offer) => simulationIdFor(opportunity, offer) === id);
}

/** An opportunity with the unit that presents it to its client. */
export interface Presented {
  readonly opportunity: Opportunity;
  readonly agent: Agent | undefined;
}

/** Reads an opportunity and who presents it at the same time, and opens nothing; undefined where there is none. */
export async function findPresented(
  {
    simulations,
    partners,
  }: { readonly simulations: Pick<Simulations, 'find'>; readonly partners: Pick<Partners, 'agent'> },
  tenancy: Tenancy,
  id: OpportunityId,
): Promise<Unopened<Presented> | undefined> {
  const [found, agent] = await Promise.all([simulations.find(tenancy, id), partners.agent(tenancy.unitId)]);
  return found && { open: async () => ({ opportunity: await found.open(), agent }) };
}
