import * as z from 'zod/mini';
import type { Consent, ConsentWithdrawal } from '../domain/analyses/analysis.ts';
import type { ConsentPage } from '../domain/analyses/ports.ts';
import { timestamp } from '../domain/values/clock.ts';
import { idTime } from '../domain/values/ids.ts';
import { described } from './described.ts';
import { CHANNELS, idField, momentField, okay } from './fields.ts';
import { type Page, pageView } from './page.ts';

export const consentView = described(
  z.object({
    id: idField('Identificador do registro de consentimento, que nunca muda nem é apagado antes de 5 anos.'),
    consentimento: described(z.literal(true), 'Só há registro de quem consentiu.'),
    timestamp: momentField('Momento em que o titular consentiu, como o parceiro o informou.'),
    ip: described(z.string(), 'IP do cliente final ao consentir.'),
    canal: described(z.string(), {
      description: 'Por onde o titular consentiu, como o parceiro o informou.',
      'x-extensible-enum': [...CHANNELS],
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

export const withdrawalView = z.object({
  id: idField('Identificador do registro da revogação, que nunca muda nem é apagado antes de 5 anos.'),
  revogado_em: momentField('Momento em que o titular revogou o consentimento, como foi informado.'),
  canal: described(z.string(), {
    description: 'Por onde o titular revogou, como foi informado.',
    'x-extensible-enum': [...CHANNELS],
  }),
  registrado_em: momentField('Momento em que o serviço guardou a revogação.'),
});

export const consentList = described(
  z.object({
    ok: okay(),
    ...pageView,
    consentimentos: described(z.array(consentView), 'Os registros desta página, do mais novo ao mais antigo.'),
    revogacoes: described(
      z.array(withdrawalView),
      'As revogações do titular, da mais nova à mais antiga, as mesmas em todas as páginas; até 100. Para novas análises só vale um consentimento dado mais de 5 minutos depois da última.',
    ),
  }),
  { id: 'Consentimentos' },
);

export function consentListBody({ items, more, withdrawals }: ConsentPage, page: Page): z.input<typeof consentList> {
  return {
    ok: true,
    ...page,
    tem_mais: more,
    consentimentos: items.map(consentViewOf),
    revogacoes: withdrawals.map(withdrawalViewOf),
  };
}

export function withdrawalViewOf({ id, withdrawnAt, channel }: ConsentWithdrawal): z.input<typeof withdrawalView> {
  return { id, revogado_em: withdrawnAt, canal: channel, registrado_em: timestamp(idTime(id)) };
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
