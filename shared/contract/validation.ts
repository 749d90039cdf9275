import * as z from 'zod/mini';
import { STEPS, type Step, type StepsMade } from '../domain/partners/sandbox-checklist.ts';
import { timestamp } from '../domain/values/clock.ts';
import { described } from './described.ts';
import { momentField } from './fields.ts';

/** What each step is called on the wire, and what shows that it was made: GET /v1/me and the guide say the same. */
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
  webhook: { passo: 'webhook', mostra: 'Um evento foi aceito com 2xx.' },
  resend: {
    passo: 'reenvio',
    mostra:
      'Um evento foi aceito em uma segunda tentativa: a do CPF que falha de propósito, ou um reenvio pedido pela API.',
  },
};

export const validationView = z.object({
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

/** `validacao` of GET /v1/me: every step, made or not. */
export function validationViewOf(made: StepsMade): z.input<typeof validationView> {
  return {
    pronta: STEPS.every((step) => made[step] !== undefined),
    passos: STEPS.map((step) => {
      const at = made[step];
      return { passo: STEP_WORDS[step].passo, feito: at !== undefined, em: at === undefined ? null : timestamp(at) };
    }),
  };
}
