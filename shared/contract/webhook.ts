import * as z from 'zod/mini';
import { timestamp } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import type { EventId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../domain/values/tenancy.ts';
import type { Seconds } from '../domain/values/time.ts';
import { type Attempt, EVENT_TYPES } from '../domain/webhooks/delivery.ts';
import type { DisabledBecause, EndpointView } from '../domain/webhooks/endpoint.ts';
import { attemptView, attemptViewOf } from './delivery.ts';
import { described } from './described.ts';
import { momentField, okay } from './fields.ts';
import { firstNotices, type Notice, noticeList } from './notices.ts';

const WHO_CHANGES = 'O endereço e o segredo são configurados e trocados pelo gestor, a pedido do parceiro.';

export const webhookView = described(
  z.object({
    ok: okay(),
    webhook: described(
      z.object({
        ambiente: described(
          z.enum(ENVIRONMENTS),
          'Ambiente da chave, cujos eventos vão a este endereço. O outro ambiente tem um endereço e um segredo seus.',
        ),
        configurado: described(z.boolean(), 'true quando há um endereço que recebe os eventos.'),
        url: described(
          z.string(),
          'Para onde os eventos vão, sem usuário, senha e query; vazio quando não está configurado.',
        ),
        secret_configurado: described(
          z.boolean(),
          'true quando há um segredo que assina os eventos; o segredo nunca é devolvido.',
        ),
        ativo: described(
          z.boolean(),
          'true quando os eventos são enviados; false quando o endereço falta ou está desativado.',
        ),
        desativado_em: z.nullable(
          momentField('Momento em que o endereço foi desativado, UTC; null quando está ativo ou falta.'),
        ),
        causa: described(
          z.nullable(z.string()),
          'Por que o endereço está desativado e o que fazer; null quando não está.',
        ),
        entregas_suspensas: described(
          z.int(),
          'Quantos eventos da unidade estão guardados até o endereço ser reativado; saem então por si. Contados até 1000.',
        ),
        eventos: described(
          z.array(z.enum(EVENT_TYPES)),
          'Eventos de análises que o endereço recebe. Os da conta (conta.alterada) chegam sempre.',
        ),
        gestao: described(
          z.literal('somente_leitura'),
          'Sempre somente_leitura: a API mostra a configuração e não a altera.',
        ),
        observacao: described(z.string(), 'A quem pedir que altere a configuração, em uma frase.'),
      }),
      'Para onde e como os eventos são enviados.',
    ),
  }),
  { id: 'Webhook' },
);

const CURE = 'Corrija o receptor e peça ao gestor que o reative; os eventos guardados saem então por si.';
const CAUSES: Readonly<Record<DisabledBecause, string>> = {
  gone: `O endereço respondeu 410, que diz que ele não existe mais. ${CURE}`,
  failing: `O endereço falhou por 5 dias sem aceitar nenhum evento. ${CURE}`,
  manager: 'O gestor desativou o endereço. Peça a ele que o reative; os eventos guardados saem então por si.',
};

type Shown = Pick<EndpointView, 'url' | 'enabled' | 'disabledBecause' | 'disabledAt'>;

/**
 * User name, password, query and fragment are left out of the URL: they may carry secrets. `suspended` is how many
 * deliveries of the unit wait until the endpoint is enabled.
 */
export function webhookViewBody(
  environment: Environment,
  endpoint: Shown | undefined,
  suspended = 0,
): z.input<typeof webhookView> {
  const url = endpoint && new URL(endpoint.url);
  const disabled = endpoint && !endpoint.enabled;
  return {
    ok: true,
    webhook: {
      ambiente: environment,
      configurado: endpoint !== undefined,
      url: url ? `${url.origin}${url.pathname}` : '',
      secret_configurado: endpoint !== undefined,
      ativo: endpoint?.enabled ?? false,
      desativado_em: disabled && endpoint.disabledAt !== undefined ? timestamp(endpoint.disabledAt) : null,
      causa: disabled ? CAUSES[endpoint.disabledBecause ?? 'manager'] : null,
      entregas_suspensas: suspended,
      eventos: [...EVENT_TYPES],
      gestao: 'somente_leitura',
      observacao: WHO_CHANGES,
    },
  };
}

export const webhookTestInput = described(z.object({}), { id: 'TesteNovo' });

export const webhookTested = described(
  z.object({
    ok: okay(),
    teste: described(
      z.extend(attemptView, {
        id: described(z.string(), 'O id do evento (evt_…), que o seu receptor recebeu no corpo e em webhook-id.'),
      }),
      'A única tentativa, e o que o seu receptor respondeu: status_http 2xx e falha null dizem que ele aceitou.',
    ),
    avisos: noticeList(),
  }),
  { id: 'TesteEnviado' },
);

const STILL_DISABLED: Notice = {
  campo: 'teste',
  motivo: 'O endereço está desativado: só o teste foi enviado. Peça ao gestor que o reative.',
};

/** A disabled endpoint gets the test, too, and a notice says so. */
export function webhookTestedBody(
  id: EventId,
  attempt: Attempt,
  { enabled }: Pick<EndpointView, 'enabled'>,
  unknown: readonly Notice[] = [],
): z.input<typeof webhookTested> {
  const avisos = firstNotices(enabled ? [] : [STILL_DISABLED], unknown);
  return { ok: true, teste: { id, ...attemptViewOf(attempt) }, avisos };
}

export const noAddress = (): Failure =>
  new Failure('nao_encontrado', {
    text: 'Não há endereço configurado neste ambiente. Peça ao gestor que o configure.',
  });

export const testedLately = (wait: Seconds): Failure =>
  new Failure('rate_limited', {
    retryAfter: wait,
    text: 'Um teste foi enviado a este endereço há poucos segundos. Espere os segundos de Retry-After e repita.',
  });
