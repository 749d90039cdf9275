import * as z from 'zod/mini';
import { NOTICE_DAYS, type RetentionTerms } from '../domain/leads/retention.ts';
import { type Caller, type PartnerLabels, SCOPES } from '../domain/partners/partner.ts';
import { STEPS, type Step, type StepsMade } from '../domain/partners/sandbox-checklist.ts';
import { timestamp } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';
import type { Seconds } from '../domain/values/time.ts';
import { described } from './described.ts';
import { idField, momentField, okay } from './fields.ts';
import { firstNotices, type Notice, noticeList } from './notices.ts';

/**
 * Wire name of each step in the sandbox, and the sentence that says what proves the step. GET /v1/me and the guide
 * share them.
 */
export const STEP_WORDS: Readonly<Record<Step, { readonly passo: string; readonly mostra: string }>> = {
  lead: { passo: 'lead', mostra: 'Um lead foi criado.' },
  reuse: { passo: 'reaproveitamento', mostra: 'O CPF de um lead foi enviado outra vez, e o lead reaproveitado.' },
  simulation: { passo: 'simulacao', mostra: 'Bancos foram simulados, e ao menos um ofereceu.' },
  analysis: { passo: 'analise', mostra: 'Uma análise foi submetida.' },
  replay: { passo: 'repeticao', mostra: 'A mesma submissão foi repetida com a mesma Idempotency-Key.' },
  aprovado: { passo: 'aprovado', mostra: 'Uma análise terminou aprovada.' },
  condicionado: { passo: 'condicionado', mostra: 'Uma análise terminou condicionada.' },
  recusado: { passo: 'recusado', mostra: 'Uma análise terminou recusada.' },
  cancelado: { passo: 'cancelado', mostra: 'Uma análise terminou cancelada.' },
  erro: { passo: 'erro', mostra: 'Uma análise terminou em erro.' },
  webhook: { passo: 'webhook', mostra: 'Um evento de análise foi aceito com 2xx.' },
  resend: {
    passo: 'reenvio',
    mostra:
      'Um evento de análise foi aceito em uma segunda tentativa ou depois: a do CPF que falha de propósito, por exemplo, ou um reenvio pedido pela API.',
  },
};

const validationView = z.object({
  pronta: described(z.boolean(), 'true quando todos os passos foram feitos: peça então a chave de produção.'),
  passos: described(
    z.array(
      z.object({
        passo: described(z.string(), {
          description: 'Qual passo é; a página Antes da produção diz o que o mostra.',
          'x-extensible-enum': STEPS.map((step) => STEP_WORDS[step].passo),
        }),
        feito: described(z.boolean(), 'true quando o que está guardado mostra o passo.'),
        em: z.nullable(
          momentField(
            'Momento do que mostra o passo, UTC: em um desfecho, o envio da análise; no webhook e no reenvio, a criação do evento. null enquanto falta.',
          ),
        ),
      }),
    ),
    'Os passos que a produção pede, na ordem do fluxo.',
  ),
});

export function validationViewOf(stepsMade: StepsMade): z.input<typeof validationView> {
  return {
    pronta: STEPS.every((step) => stepsMade[step] !== undefined),
    passos: STEPS.map((step) => {
      const at = stepsMade[step];
      return { passo: STEP_WORDS[step].passo, feito: at !== undefined, em: at === undefined ? null : timestamp(at) };
    }),
  };
}

const idAndName = (what: string) =>
  z.object({
    id: idField(`Identificador ${what}.`),
    nome: described(z.string(), `Nome ${what}, como está no cadastro.`),
  });

export const accountView = described(
  z.object({
    ok: okay(),
    parceiro: described(idAndName('do parceiro'), 'De quem é a chave; o limite de chamadas é dele.'),
    unidade: described(idAndName('da unidade'), 'A unidade da chave: só o que foi criado nela é visível.'),
    consultor: described(
      z.nullable(idAndName('do consultor')),
      'O consultor a quem a chave está ligada; null quando a chave é da unidade inteira.',
    ),
    ambiente: described(
      z.enum(ENVIRONMENTS),
      'Onde a chave atua. sandbox: nada vai a bancos. producao: as análises vão aos bancos.',
    ),
    escopos: described(z.array(z.enum(SCOPES)), 'O que a chave pode fazer; uma chave sem escopos definidos tem todos.'),
    limite_por_minuto: described(
      z.int(),
      'Chamadas por minuto que o parceiro pode fazer neste ambiente, por todas as suas chaves.',
    ),
    chave: described(
      z.object({
        prefixo: described(z.string(), 'Começo da chave, que a reconhece sem revelá-la.'),
        criada_em: momentField('Momento em que o gestor criou a chave, UTC.'),
      }),
      'A chave desta chamada.',
    ),
    alterada_em: z.nullable(
      momentField(
        'Momento da última mudança da conta do parceiro, UTC: chaves, endereço ou segredo do webhook, produção liberada, textos de uma unidade. null quando não houve. O webhook do ambiente, se já havia, recebe de cada uma o evento conta.alterada.',
      ),
    ),
    retencao: described(
      z.optional(
        z.object({
          sandbox_dias: described(z.int(), 'No sandbox: dias sem uso até a eliminação do lead.'),
          sem_analise_meses: described(z.int(), 'Em produção: meses sem uso até a eliminação do lead.'),
          apos_analise_anos: described(z.int(), 'Em produção: anos, no mínimo, depois do fim da última análise.'),
          aviso_dias: described(z.int(), 'Dias antes, nos quais GET /v1/leads/{id} mostra expira_em.'),
        }),
      ),
      'Depois de quanto tempo sem uso um lead é eliminado com as suas simulações; ausente onde nenhum é.',
    ),
    validacao: described(
      z.optional(validationView),
      'O que falta tentar no sandbox para pedir a produção; ausente com uma chave de produção.',
    ),
  }),
  { id: 'Conta' },
);

export function accountViewBody(
  caller: Caller,
  labels: PartnerLabels,
  retention: RetentionTerms | undefined,
): z.input<typeof accountView> {
  return {
    ok: true,
    parceiro: { id: caller.partnerId, nome: labels.partnerName },
    unidade: { id: caller.unitId, nome: labels.unitName },
    consultor: labels.consultant ? { id: labels.consultant.id, nome: labels.consultant.name } : null,
    ambiente: caller.environment,
    escopos: [...caller.scopes],
    limite_por_minuto: caller.limit,
    chave: { prefixo: labels.keyPrefix, criada_em: timestamp(labels.keyCreatedAt) },
    alterada_em: labels.accountChangedAt === undefined ? null : timestamp(labels.accountChangedAt),
    retencao: retention && {
      sandbox_dias: retention.sandboxDays,
      sem_analise_meses: retention.monthsWithoutAnalysis,
      apos_analise_anos: retention.yearsAfterAnalysis,
      aviso_dias: NOTICE_DAYS,
    },
    validacao: labels.stepsMade && validationViewOf(labels.stepsMade),
  };
}

export const resetInput = described(z.object({}), { id: 'ReinicioNovo' });

export const sandboxReset = described(
  z.object({
    ok: okay(),
    leads: described(z.int(), 'Quantos leads da unidade foram retirados, com as suas simulações e análises.'),
    restam: described(z.boolean(), 'true: havia mais leads do que uma chamada retira. Repita daqui a um minuto.'),
    avisos: noticeList(),
  }),
  { id: 'Reinicio' },
);

export function sandboxResetBody(
  { leads, more }: { readonly leads: number; readonly more: boolean },
  unknown: readonly Notice[],
): z.input<typeof sandboxReset> {
  return { ok: true, leads, restam: more, avisos: firstNotices(unknown) };
}

export function resetInProduction(): Failure {
  return new Failure('sem_permissao', {
    text: 'Esta chave é de produção, e só o sandbox recomeça. Use uma chave do sandbox.',
  });
}

/** `wait` is the time until the next reset. */
export function resetLately(wait: Seconds): Failure {
  return new Failure('rate_limited', {
    retryAfter: wait,
    text: 'O sandbox desta unidade recomeçou há menos de um minuto. Espere os segundos de Retry-After e repita.',
  });
}
