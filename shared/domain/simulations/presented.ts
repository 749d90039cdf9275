import type { Agent, Partners } from '../partners/ports.ts';
import type { OpportunityId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Unopened } from '../values/unopened.ts';
import type { Simulations } from './ports.ts';
import type { Opportunity } from './simulation.ts';

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
