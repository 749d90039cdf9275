import type { PersonalData, SpouseForm } from '../domain/personal-data/ports.ts';
import { timestamp } from '../domain/values/clock.ts';
import { analysisViewOf } from './analysis.ts';
import { consentViewOf } from './consent.ts';
import { leadFoundBody } from './lead.ts';
import { simulationFoundBody } from './simulation.ts';

/**
 * What a person is given who asks for what is kept about them (LGPD, art. 18 II): the wire's own names and units, money in
 * reais, moments and days as ISO 8601 writes them.
 */
export function personalDataBody({ lead, opportunities, analyses, forms, consents }: PersonalData) {
  return {
    lead: lead ? leadFoundBody(lead).lead : null,
    simulacoes: opportunities.flatMap((opportunity) =>
      opportunity.offers.map((offer) => simulationFoundBody(opportunity, offer, undefined).simulacao),
    ),
    analises: analyses.map((analysis) => ({
      ...analysisViewOf(analysis),
      submetida_em: timestamp(analysis.createdAt),
    })),
    formularios: forms,
    consentimentos: consents.map((consent) => ({ ...consentViewOf(consent), bancos: consent.banks })),
  };
}

/** A spouse's data: what each form says of them, when and to which banks it went. */
export function spouseDataBody(kept: readonly SpouseForm[]) {
  return {
    formularios: kept.map(({ form, analyses }) => ({
      ...form,
      submetida_em: analyses[0] && timestamp(analyses[0].createdAt),
      bancos: analyses.map(({ bank }) => bank),
    })),
  };
}
