import * as z from 'zod';
import type { Consent } from '../domain/analyses/consent.ts';
import { idField, momentField, okay } from './fields.ts';
import { type Page, pageView } from './page.ts';

export const consentView = z
  .object({
    id: idField('Identificador do registro de consentimento, que nunca muda nem é apagado antes de 5 anos.'),
    consentimento: z.literal(true).describe('Só há registro de quem consentiu.'),
    timestamp: momentField('Momento em que o titular consentiu, como o parceiro o informou.'),
    ip: z.string().describe('IP do cliente final ao consentir.'),
    canal: z.string().meta({
      description: 'Por onde o titular consentiu, como o parceiro o informou.',
      'x-extensible-enum': ['web', 'app', 'whatsapp', 'presencial'],
    }),
    analise_ids: z.array(z.int().meta({ format: 'int64' })).describe('Análises que se apoiaram neste consentimento.'),
  })
  .meta({ id: 'Consentimento' });

export const consentList = z
  .object({
    ok: okay(),
    ...pageView,
    consentimentos: z.array(consentView).describe('Os registros desta página, do mais novo ao mais antigo.'),
  })
  .meta({ id: 'Consentimentos' });

/** `items` are the consents of the page, `more` says whether there are others behind it. */
export function consentListBody(
  { items, more }: { readonly items: readonly Consent[]; readonly more: boolean },
  page: Page,
): z.input<typeof consentList> {
  return {
    ok: true,
    ...page,
    tem_mais: more,
    consentimentos: items.map(consentViewOf),
  };
}

export function consentViewOf(consent: Consent): z.input<typeof consentView> {
  return {
    id: consent.id,
    consentimento: true,
    timestamp: consent.givenAt,
    ip: consent.ip,
    canal: consent.channel,
    analise_ids: [...consent.analysisIds],
  };
}
