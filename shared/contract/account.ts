import * as z from 'zod';
import { type Caller, type PartnerLabels, SCOPES } from '../domain/partners/partner.ts';
import { timestamp } from '../domain/values/clock.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';
import { okay } from './fields.ts';

const named = (what: string, id: number, nome: string) =>
  z.object({
    id: z.int().meta({ description: `Identificador ${what}.`, format: 'int64', example: id }),
    nome: z.string().meta({ description: `Nome ${what}, como está no cadastro.`, example: nome }),
  });

export const accountView = z
  .object({
    ok: okay(),
    parceiro: named('do parceiro', 108485836800401, 'Imobiliária Exemplo').meta({
      description: 'De quem é a chave; o limite de chamadas é dele.',
    }),
    unidade: named('da unidade', 108486328321402, 'Unidade Centro').meta({
      description: 'A unidade da chave: só o que foi criado nela é visível.',
    }),
    consultor: named('do consultor', 108487065603003, 'Paula Ribeiro')
      .nullable()
      .meta({ description: 'O consultor a quem a chave está ligada; null quando a chave é da unidade inteira.' }),
    ambiente: z.enum(ENVIRONMENTS).meta({
      description: 'Onde a chave atua. sandbox: nada vai a bancos. producao: as análises vão aos bancos.',
      example: 'sandbox',
    }),
    escopos: z.array(z.enum(SCOPES)).meta({
      description: 'O que a chave pode fazer; uma chave sem escopos definidos tem todos.',
      example: ['leads', 'simulacoes', 'analises', 'acompanhamento'],
    }),
    limite_por_minuto: z.int().meta({
      description: 'Chamadas por minuto que o parceiro pode fazer neste ambiente, por todas as suas chaves.',
      example: 120,
    }),
    chave: z
      .object({
        prefixo: z
          .string()
          .meta({ description: 'Começo da chave, que a reconhece sem revelá-la.', example: 'pmc_sandbox_9f3K' }),
        criada_em: z.string().meta({
          description: 'Momento em que o gestor criou a chave, UTC.',
          format: 'date-time',
          example: '2026-11-03T13:20:00.000Z',
        }),
      })
      .meta({ description: 'A chave desta chamada.' }),
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
  };
}
