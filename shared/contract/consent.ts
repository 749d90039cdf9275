import * as z from 'zod';
import type { Consent } from '../domain/analyses/consent.ts';
import { okay } from './fields.ts';
import { type Page, pageOf, pageView } from './page.ts';

export const consentList = z
  .object({
    ok: okay(),
    ...pageView,
    consentimentos: z
      .array(
        z
          .object({
            id: z.int().meta({
              description: 'Identificador do registro de consentimento, que nunca muda nem é apagado antes de 5 anos.',
              format: 'int64',
              example: 115964343959629,
            }),
            consentimento: z.literal(true).meta({ description: 'Só há registro de quem consentiu.', example: true }),
            timestamp: z.string().meta({
              description: 'Momento em que o titular consentiu, como o parceiro o informou.',
              format: 'date-time',
              example: '2026-11-20T12:00:00-03:00',
            }),
            ip: z.string().meta({ description: 'IP do cliente final ao consentir.', example: '203.0.113.25' }),
            canal: z.string().meta({
              description: 'Por onde o titular consentiu, como o parceiro o informou.',
              'x-extensible-enum': ['web', 'app', 'whatsapp', 'presencial'],
              example: 'web',
            }),
            analise_ids: z
              .array(z.int().meta({ format: 'int64' }))
              .meta({ description: 'Análises que se apoiaram neste consentimento.', example: [115964343961425] }),
          })
          .meta({ id: 'Consentimento' }),
      )
      .meta({ description: 'Os registros desta página, do mais novo ao mais antigo.' }),
  })
  .meta({ id: 'Consentimentos' });

export function consentListBody(consents: readonly Consent[], page: Page): z.input<typeof consentList> {
  const { items, more } = pageOf(consents, page);
  return {
    ok: true,
    ...page,
    tem_mais: more,
    consentimentos: items.map((consent) => ({
      id: consent.id,
      consentimento: true,
      timestamp: consent.givenAt,
      ip: consent.ip,
      canal: consent.channel,
      analise_ids: [...consent.analysisIds],
    })),
  };
}
