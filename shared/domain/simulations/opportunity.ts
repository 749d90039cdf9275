import type { Agent, Partners } from '../partners/ports.ts';
import { BANK_IDENTITIES } from '../values/bank.ts';
import type { Unopened } from '../values/idempotency.ts';
import { type OpportunityId, type SimulationId, simulationIdOf } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { compareOffers } from './comparison.ts';
import type { Simulations } from './ports.ts';
import type { Offer, Opportunity } from './simulation.ts';

/** If a bank has two offers, one for each amortization system, each has an id of its own. */
export function simulationIdFor(opportunity: Pick<Opportunity, 'id' | 'offers'>, offer: Offer): SimulationId {
  const first = opportunity.offers.find(({ bank }) => bank === offer.bank);
  const answer = first === undefined || first.system === offer.system ? 1 : 2;
  return simulationIdOf(opportunity.id, BANK_IDENTITIES[offer.bank].id, answer);
}

/** The opportunity's own id means the first offer of the comparison. Undefined if there is no such offer. */
export function offerFor(opportunity: Opportunity, id: number): Offer | undefined {
  if (id === opportunity.id) return compareOffers(opportunity.offers).ranked[0];
  return opportunity.offers.find((offer) => simulationIdFor(opportunity, offer) === id);
}

/** `agent` is undefined if the unit has not entered its data. */
export interface Presented {
  readonly opportunity: Opportunity;
  readonly agent: Agent | undefined;
}

/** Decrypts nothing before `open`. Returns undefined if there is no such opportunity. */
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
