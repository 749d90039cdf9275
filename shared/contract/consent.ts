import * as z from 'zod/mini';
import type { Consent } from '../domain/analyses/analysis.ts';
import { described } from './described.ts';
import { idField, momentField, okay } from './fields.ts';
import { type Page, pageView } from './page.ts';

export const consentView = described(
  z.object({
    id: idField('Identificador do registro de consentimento, que nunca muda nem é apagado antes de 5 anos.'),
    consentimento: described(z.literal(true), 'Só há registro de quem consentiu.'),
    timestamp: momentField('Momento em que o titular consentiu, como o parceiro o informou.'),
    ip: described(z.string(), 'IP do cliente final ao consentir.'),
    canal: described(z.string(), {
      description: 'Por onde o titular consentiu, como o parceiro o informou.',
      'x-extensible-enum': ['web', 'app', 'whatsapp', 'presencial'],
    }),
    versao: described(
      z.optional(z.string()),
      'Versão do texto que o titular aceitou, como o parceiro a informou; ausente onde não a informou.',
    ),
    analise_ids: described(
      z.array(described(z.int(), { format: 'int64' })),
      'Análises que se apoiaram neste consentimento.',
    ),
  }),
  { id: 'Consentimento' },
);

export const consentList = described(
  z.object({
    ok: okay(),
    ...pageView,
    consentimentos: described(z.array(consentView), 'Os registros desta página, do mais novo ao mais antigo.'),
  }),
  { id: 'Consentimentos' },
);

/** Returns the answer with a page of consents. `more` says whether further consents follow after the page. */
export function consentListBody(
  { items, more }: { readonly items: readonly Consent[]; readonly more: boolean },
  page: Page,
): z.input<typeof consentList> {
  return { ok: true, ...page, tem_mais: more, consentimentos: items.map(consentViewOf) };
}

export function consentViewOf(consent: Consent): z.input<typeof consentView> {
  return {
    id: consent.id,
    consentimento: true,
    timestamp: consent.givenAt,
    ip: consent.ip,
    canal: consent.channel,
    versao: consent.textVersion,
    analise_ids: [...consent.analysisIds],
  };
}
