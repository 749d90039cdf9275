import * as z from 'zod/mini';
import { timestamp } from '../domain/values/clock.ts';
import { Failure, type FieldFault } from '../domain/values/failure.ts';
import type { AnalysisId } from '../domain/values/ids.ts';
import type { Seconds } from '../domain/values/time.ts';
import {
  ACCOUNT_EVENT,
  type Attempt,
  DELIVERIES_SEARCHED,
  DELIVERY_STATES,
  type Delivery,
  EVENT_TYPES,
  FAILURE_CLASSES,
} from '../domain/webhooks/delivery.ts';
import type { DeliveryPage, UnitDeliveryFilter } from '../domain/webhooks/ports.ts';
import { described } from './described.ts';
import { idField, momentField, okay } from './fields.ts';
import { firstNotices, type Notice, noticeList } from './notices.ts';
import { type Page, pageInput, pageView, parsePage } from './page.ts';

export const attemptView = z.object({
  numero: described(z.int(), 'A partir de 1; vai em X-Service-Attempt.'),
  em: momentField('Momento em que a tentativa terminou, UTC.'),
  status_http: described(z.nullable(z.int()), 'O status que o seu receptor respondeu; null quando não respondeu.'),
  falha: described(
    z.nullable(z.enum(FAILURE_CLASSES)),
    'Por que a tentativa falhou; null quando foi aceita. bloqueado: o endereço não é público, e nada foi enviado.',
  ),
  ms: described(z.int(), 'Quanto durou, em milissegundos.'),
});

const deliveryView = described(
  z.object({
    id: described(z.string(), 'O id do evento (evt_…), o mesmo que o corpo do evento traz: nunca muda.'),
    tipo: described(z.enum(EVENT_TYPES), 'O tipo do evento.'),
    analise_id: idField('A análise de que o evento fala.'),
    situacao: described(
      z.enum(DELIVERY_STATES),
      'pendente: a próxima tentativa virá. entregue: aceito com 2xx. esgotada: a última tentativa falhou. suspensa: guardado até o endereço ser reativado. sem_destino: não havia endereço.',
    ),
    tentativas: described(z.array(attemptView), 'As 12 últimas tentativas, da primeira à última.'),
    proxima_em: z.nullable(momentField('Quando a próxima tentativa vence, UTC; null quando nenhuma virá por si.')),
    criada_em: momentField('Momento em que o evento aconteceu, UTC.'),
    corpo: described(
      z.optional(z.string()),
      'Só na lista do sandbox: o corpo do evento, byte a byte como cada tentativa o envia e assina. Serve para testar um receptor que não tem endereço público.',
    ),
  }),
  { id: 'Entrega', description: 'Um evento, com as tentativas de entregá-lo.' },
);

export function attemptViewOf({ number, at, result }: Attempt): z.input<typeof attemptView> {
  return {
    numero: number,
    em: timestamp(at),
    status_http: result.status ?? null,
    falha: result.delivered ? null : result.failure,
    ms: Math.round(result.milliseconds),
  };
}

function deliveryViewOf(delivery: Delivery): z.input<typeof deliveryView> {
  const { type, analysisId } = delivery;
  // An event about the account has no analysis and is in no unit's list.
  if (type === ACCOUNT_EVENT || analysisId === undefined) {
    throw new TypeError(`event ${delivery.eventId} is about no analysis`);
  }
  return {
    id: delivery.eventId,
    tipo: type,
    analise_id: analysisId,
    situacao: delivery.state,
    tentativas: delivery.history.map(attemptViewOf),
    proxima_em: delivery.state === 'pendente' ? timestamp(delivery.dueAt) : null,
    criada_em: timestamp(delivery.createdAt),
  };
}

/** In the sandbox a delivery has the event's body, so that `webhook listen` of the npm package can forward it. */
function listedDeliveryOf(delivery: Delivery): z.input<typeof deliveryView> {
  const corpo = delivery.environment === 'sandbox' ? delivery.body : undefined;
  return { ...deliveryViewOf(delivery), corpo };
}

export const deliveryQuery = z.extend(pageInput, {
  situacao: described(z.optional(z.enum(DELIVERY_STATES)), 'Só as entregas nesta situação.'),
  analise_id: described(z.optional(z.int().check(z.minimum(1))), {
    description: 'Só as entregas desta análise.',
    format: 'int64',
  }),
});

const isAnalysisId = (value: number): value is AnalysisId => Number.isSafeInteger(value);

/** Undefined if the text cannot be an id. */
function analysisIdIn(text: string): AnalysisId | undefined {
  const value = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return isAnalysisId(value) ? value : undefined;
}

/** Throws `campo_invalido`, which names every wrong parameter. */
export function parseDeliveryQuery(query: Readonly<Record<string, string | undefined>>): {
  readonly page: Page;
  readonly filter: UnitDeliveryFilter;
} {
  const faults: FieldFault[] = [];
  const { situacao, analise_id } = query;
  const state = DELIVERY_STATES.find((known) => known === situacao);
  if (situacao !== undefined && !state)
    faults.push({ field: 'situacao', reason: `deve ser um destes: ${DELIVERY_STATES.join(', ')}` });
  const analysisId = analise_id === undefined ? undefined : analysisIdIn(analise_id);
  if (analise_id !== undefined && analysisId === undefined)
    faults.push({
      field: 'analise_id',
      reason: 'deve ser um número inteiro positivo, como o que a submissão devolveu',
    });
  let page: Page | undefined;
  try {
    page = parsePage(query, deliveryQuery);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    faults.unshift(...(failure.fields ?? []));
  }
  if (!page || faults.length > 0) throw new Failure('campo_invalido', { fields: faults });
  return { page, filter: { state, analysisId } };
}

export const deliveryList = described(
  z.object({
    ok: okay(),
    ...pageView,
    entregas: described(z.array(deliveryView), 'As entregas desta página, da mais nova à mais antiga.'),
  }),
  { id: 'Entregas' },
);

const CUT: Notice = {
  campo: 'offset',
  motivo: `A lista acaba aqui porque só se procuram os ${DELIVERIES_SEARCHED.toLocaleString('pt-BR')} eventos mais novos do parceiro, de todas as unidades e dos dois ambientes; pode haver mais antigos. Filtre por analise_id para achar o de uma análise.`,
};

/** If the list ended at the limit of the search, a notice says so. */
export function deliveryListBody({ items, more, isCut }: DeliveryPage, page: Page): z.input<typeof deliveryList> {
  const avisos = firstNotices(isCut ? [CUT] : [], page.avisos ?? []);
  return { ok: true, ...page, tem_mais: more, entregas: items.map(listedDeliveryOf), avisos };
}

export const resendInput = described(z.object({}), { id: 'ReenvioNovo' });

export const deliveryResent = described(z.object({ ok: okay(), entrega: deliveryView, avisos: noticeList() }), {
  id: 'Reenvio',
});

const DISABLED =
  'O endereço está desativado: o evento fica guardado e é enviado quando o gestor o reativar. Veja a causa em GET /v1/webhooks.';
const UNSET = 'Não há endereço configurado: sem ele a tentativa não tem destino. Peça ao gestor que o configure.';

export function deliveryResentBody(
  delivery: Delivery,
  endpoint: 'enabled' | 'disabled' | 'unset',
  unknown: readonly Notice[] = [],
): z.input<typeof deliveryResent> {
  const notices = endpoint === 'enabled' ? [] : [{ campo: 'id', motivo: endpoint === 'disabled' ? DISABLED : UNSET }];
  return { ok: true, entrega: deliveryViewOf(delivery), avisos: firstNotices(notices, unknown) };
}

/** `wait` is the time until the event may be sent again. */
export function resentLately(wait: Seconds): Failure {
  return new Failure('rate_limited', {
    retryAfter: wait,
    text: 'Este evento foi reenviado há menos de um minuto. Espere os segundos de Retry-After e repita.',
  });
}
