import type { Agent } from '../domain/partners/partner.ts';
import type { Instalment, Offer, Opportunity } from '../domain/simulations/simulation.ts';
import type { SimulationId } from '../domain/values/ids.ts';

/** A simulation as its document shows it. */
export interface SimulationRecord {
  readonly id: SimulationId;
  readonly opportunity: Opportunity;
  readonly offer: Offer;
  /** All instalments of the offer, first to last. */
  readonly schedule: readonly Instalment[];
  /** Whose unit made it; left out where the document names nobody. */
  readonly agent?: Agent | undefined;
}
