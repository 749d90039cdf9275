import type * as z from 'zod/mini';
import type { AnalysisForm } from '../domain/analyses/analysis.ts';
import type { PersonalData, SpouseForm } from '../domain/personal-data/ports.ts';
import { timestamp } from '../domain/values/clock.ts';
import { type analysisView, analysisViewOf } from './analysis.ts';
import { type consentView, consentViewOf } from './consent.ts';
import { type leadFound, leadFoundBody } from './lead.ts';
import { type simulationFound, simulationFoundBody } from './simulation.ts';

/** What a person is given who asks for what is kept about them (LGPD, art. 18 II): the wire's own names and units. */
export interface PersonalDataBody {
  readonly lead: z.input<typeof leadFound>['lead'] | null;
  readonly simulacoes: readonly z.input<typeof simulationFound>['simulacao'][];
  readonly analises: readonly (z.input<typeof analysisView> & { readonly submetida_em: string })[];
  readonly formularios: readonly AnalysisForm[];
  readonly consentimentos: readonly (z.input<typeof consentView> & { readonly bancos: readonly string[] })[];
}

/** A person's data in Portuguese names, money in reais, moments and days as ISO 8601 writes them. */
export function personalDataBody({ lead, opportunities, analyses, forms, consents }: PersonalData): PersonalDataBody {
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
