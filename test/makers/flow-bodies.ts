import { newAnalysis, newLead, newSimulation } from '../../shared/partner/openapi/example-bodies.ts';

/** The bodies of a walk through the flow, for clients in other languages: the document's examples, for the customer of a test CPF. */
export function flowBodies(cpf: string) {
  const { lead_id: _, ...simulation } = newSimulation;
  return {
    lead: { ...newLead, cpf },
    simulation,
    analysis: { ...newAnalysis, cpf, consentimento_timestamp: new Date().toISOString() },
  };
}
