import type { PersonalData, SpouseForm } from '../domain/personal-data/ports.ts';
import type { Opportunity } from '../domain/simulations/simulation.ts';
import { timestamp } from '../domain/values/clock.ts';
import { analysisViewOf } from './analysis.ts';
import { consentViewOf, withdrawalViewOf } from './consent.ts';
import { leadFoundBody } from './lead.ts';
import { simulatedCustomer, simulationFoundBody } from './simulation.ts';

/** The answer to a person who asks which data we keep (LGPD, art. 18 II), with the wire's names and units. */
export function personalDataBody({
  lead,
  opportunities,
  analyses,
  forms,
  consents,
  withdrawals,
  consentCutoff,
}: PersonalData) {
  return {
    lead: lead ? leadFoundBody(lead).lead : null,
    simulacoes: opportunities.flatMap((opportunity) =>
      opportunity.offers.map((offer) => simulationFoundBody(opportunity, offer, undefined).simulacao),
    ),
    simulacoes_recusadas: opportunities.flatMap(refusedSimulations),
    analises: analyses.map((analysis) => ({
      ...analysisViewOf(analysis),
      submetida_em: timestamp(analysis.createdAt),
    })),
    formularios: forms,
    consentimentos: consents.map((consent) => ({ ...consentViewOf(consent), bancos: consent.banks })),
    revogacoes: withdrawals.map(withdrawalViewOf),
    consentimentos_nao_valem_ate: consentCutoff === undefined ? null : timestamp(consentCutoff),
  };
}

/** Returns the banks that made no offer in an opportunity, each with its reasons, in the words of that day's answer. */
function refusedSimulations(opportunity: Opportunity) {
  const { id, createdAt, refusals = [] } = opportunity;
  return refusals.map(({ bank, system, reasons }) => ({
    id_oportunidade: id,
    data: timestamp(createdAt),
    banco: bank,
    sistema_amortizacao: system,
    motivos: reasons,
    cliente: simulatedCustomer(opportunity),
  }));
}

export function spouseDataBody(kept: readonly SpouseForm[]) {
  return {
    formularios: kept.map(({ form, analyses }) => ({
      ...form,
      submetida_em: analyses[0] && timestamp(analyses[0].createdAt),
      bancos: analyses.map(({ bank }) => bank),
    })),
  };
}
