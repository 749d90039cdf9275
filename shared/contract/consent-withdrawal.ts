import * as z from 'zod/mini';
import type { AffectedAnalysis, RecordedWithdrawal, WithdrawalDraft } from '../domain/analyses/ports.ts';
import { days, type Instant } from '../domain/values/time.ts';
import { withdrawalView, withdrawalViewOf } from './consent.ts';
import { described } from './described.ts';
import { bankNickname, CHANNELS, channel, idField, isFutureMoment, type JsonObject, moment, okay } from './fields.ts';
import { firstNotices, type Notice, noticeList } from './notices.ts';
import { readFields, withoutNulls } from './read-fields.ts';

export const withdrawalInput = described(
  z.object({
    revogado_em: described(
      moment(),
      'Momento em que o titular revogou o consentimento, com fuso; vale para tudo o que ele consentiu até 5 minutos depois, a diferença tolerada entre relógios. Até 5 minutos à frente do relógio do serviço são tolerados, e valem a partir do recebimento.',
    ),
    canal: described(channel(), {
      description:
        'Por onde o titular revogou: web, app, whatsapp, presencial ou outro canal, nas palavras do parceiro; ao menos 2 letras, sem CPF, RG, telefone ou e-mail.',
      'x-extensible-enum': [...CHANNELS],
      minLength: 2,
    }),
  }),
  { id: 'RevogacaoNova' },
);

/** In days. A withdrawal of this age is likely to have a mistaken year. */
const OLD_DAYS = 180;
const OLD_NOTICE: Notice = {
  campo: 'revogado_em',
  motivo: `É de mais de ${OLD_DAYS} dias atrás; confira o ano. O que o titular consentiu depois continua a valer.`,
};

/**
 * Returns the withdrawal without `keyId`, the fields that the Idempotency-Key's fingerprint covers, and a notice about
 * a moment that looks like a mistake.
 */
export function parseWithdrawal(
  body: JsonObject,
  now: Instant,
): { draft: Omit<WithdrawalDraft, 'keyId'>; fields: object; notices: readonly Notice[] } {
  const fields = readFields(withdrawalInput, withoutNulls(body), {
    faults: ({ revogado_em }) => {
      if (revogado_em === undefined || !isFutureMoment(revogado_em, now)) return [];
      const reason = 'está no futuro; envie o momento em que o titular revogou o consentimento';
      return [{ field: 'revogado_em', reason }];
    },
  });
  const isOld = now - Date.parse(fields.revogado_em) > days(OLD_DAYS);
  return {
    draft: { withdrawnAt: fields.revogado_em, channel: fields.canal },
    fields,
    notices: isOld ? [OLD_NOTICE] : [],
  };
}

const affectedView = z.object({
  analise_id: idField('Análise que ainda espera o banco e se apoia em um consentimento revogado.'),
  banco: bankNickname(),
  enviada: described(
    z.boolean(),
    'true: o banco já tem a consulta, e a análise segue até o desfecho. false: ainda não se sabe se o banco a recebeu. Se a recebeu, ela segue; se não, termina em cancelado, com o seu evento, e não é mais enviada. Um envio em curso na hora da revogação ainda pode chegar ao banco, em cerca de um minuto: então ela segue, ou termina em erro se o envio é recusado.',
  ),
  motivo: described(z.string(), 'O que acontece com a análise, em uma frase para pessoas.'),
});

export const withdrawalRecorded = described(
  z.object({
    ok: okay(),
    revogacao: described(
      withdrawalView,
      'A revogação que vale. Se já havia uma do mesmo momento ou posterior, é ela, e o que este pedido disse não fica guardado.',
    ),
    analises: described(
      z.array(affectedView),
      'As análises em andamento que se apoiam em um consentimento revogado, da mais nova à mais antiga.',
    ),
    avisos: noticeList(),
  }),
  { id: 'RevogacaoRegistrada' },
);

const CONTINUES = 'A consulta ao banco já foi feita: a análise segue até o desfecho.';
const IN_DOUBT =
  'Ainda não se sabe se o banco recebeu a análise, ou o envio está em curso: se ele a recebe, ela segue; se não, ela não é mais enviada, e termina em cancelado, ou em erro se o envio em curso é recusado.';

const affectedViewOf = ({ id, bank, isSent }: AffectedAnalysis): z.input<typeof affectedView> => ({
  analise_id: id,
  banco: bank,
  enviada: isSent,
  motivo: isSent ? CONTINUES : IN_DOUBT,
});

export function withdrawalRecordedBody(
  { withdrawal, affected }: Pick<RecordedWithdrawal, 'withdrawal' | 'affected'>,
  notices: readonly Notice[] = [],
): z.input<typeof withdrawalRecorded> {
  return {
    ok: true,
    revogacao: withdrawalViewOf(withdrawal),
    analises: affected.map(affectedViewOf),
    avisos: firstNotices(notices),
  };
}
