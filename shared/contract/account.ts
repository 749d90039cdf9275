import * as z from 'zod';
import { type Caller, type PartnerLabels, SCOPES } from '../domain/partners/partner.ts';
import { timestamp } from '../domain/values/clock.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';
import { idField, momentField, okay } from './fields.ts';
import { validationView, validationViewOf } from './validation.ts';

const named = (what: string) =>
  z.object({
    id: idField(`Identificador ${what}.`),
    nome: z.string().describe(`Nome ${what}, como está no cadastro.`),
  });

export const accountView = z
  .object({
    ok: okay(),
    parceiro: named('do parceiro').describe('De quem é a chave; o limite de chamadas é dele.'),
    unidade: named('da unidade').describe('A unidade da chave: só o que foi criado nela é visível.'),
    consultor: named('do consultor')
      .nullable()
      .describe('O consultor a quem a chave está ligada; null quando a chave é da unidade inteira.'),
    ambiente: z
      .enum(ENVIRONMENTS)
      .describe('Onde a chave atua. sandbox: nada vai a bancos. producao: as análises vão aos bancos.'),
    escopos: z.array(z.enum(SCOPES)).describe('O que a chave pode fazer; uma chave sem escopos definidos tem todos.'),
    limite_por_minuto: z
      .int()
      .describe('Chamadas por minuto que o parceiro pode fazer neste ambiente, por todas as suas chaves.'),
    chave: z
      .object({
        prefixo: z.string().describe('Começo da chave, que a reconhece sem revelá-la.'),
        criada_em: momentField('Momento em que o gestor criou a chave, UTC.'),
      })
      .describe('A chave desta chamada.'),
    validacao: validationView
      .optional()
      .describe('O que falta tentar no sandbox para pedir a produção; ausente com uma chave de produção.'),
  })
  .meta({ id: 'Conta' });

export function accountViewBody(caller: Caller, labels: PartnerLabels): z.input<typeof accountView> {
  return {
    ok: true,
    parceiro: { id: caller.partnerId, nome: labels.partnerName },
    unidade: { id: caller.unitId, nome: labels.unitName },
    consultor: labels.consultant ? { id: labels.consultant.id, nome: labels.consultant.name } : null,
    ambiente: caller.environment,
    escopos: [...caller.scopes],
    limite_por_minuto: caller.limit,
    chave: { prefixo: labels.keyPrefix, criada_em: timestamp(labels.keyCreatedAt) },
    ...(labels.stepsMade && { validacao: validationViewOf(labels.stepsMade) }),
  };
}
