import * as z from 'zod';
import { EVENT_TYPES } from '../domain/webhooks/delivery.ts';
import type { WebhookEndpoint } from '../domain/webhooks/endpoint.ts';
import { okay } from './fields.ts';

const WHO_CHANGES =
  'O endereço e o segredo são configurados e trocados pelo gestor ou pelo suporte, a pedido do parceiro.';

export const webhookView = z
  .object({
    ok: okay(),
    webhook: z
      .object({
        configurado: z.boolean().describe('true quando há um endereço que recebe os eventos.'),
        url: z
          .string()
          .describe('Para onde os eventos vão, sem usuário, senha e query; vazio quando não está configurado.'),
        secret_configurado: z
          .boolean()
          .describe('true quando há um segredo que assina os eventos; o segredo nunca é devolvido.'),
        eventos: z.array(z.enum(EVENT_TYPES)).describe('Eventos que o endereço recebe.'),
        gestao: z
          .literal('somente_leitura')
          .describe('Sempre somente_leitura: a API mostra a configuração e não a altera.'),
        observacao: z.string().describe('A quem pedir que altere a configuração, em uma frase.'),
      })
      .describe('Para onde e como os eventos são enviados.'),
  })
  .meta({ id: 'Webhook' });

/** What GET /v1/webhooks shows of an endpoint; the URL without userinfo, query and fragment, which may carry secrets. */
export function webhookViewBody(endpoint: Pick<WebhookEndpoint, 'url'> | undefined): z.input<typeof webhookView> {
  let shown = '';
  if (endpoint) {
    const url = new URL(endpoint.url);
    shown = `${url.origin}${url.pathname}`;
  }
  return {
    ok: true,
    webhook: {
      configurado: endpoint !== undefined,
      url: shown,
      secret_configurado: endpoint !== undefined,
      eventos: [...EVENT_TYPES],
      gestao: 'somente_leitura',
      observacao: WHO_CHANGES,
    },
  };
}
