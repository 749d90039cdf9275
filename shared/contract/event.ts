import * as z from 'zod/mini';
import type { Analysis } from '../domain/analyses/analysis.ts';
import type { SubmissionRefusal } from '../domain/analyses/ports.ts';
import { BANK_IDENTITIES } from '../domain/values/bank.ts';
import { timestamp } from '../domain/values/clock.ts';
import { type AnalysisId, drawId } from '../domain/values/ids.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';
import type { Instant } from '../domain/values/time.ts';
import {
  ACCOUNT_CHANGES,
  ACCOUNT_EVENT,
  type ChangedAccount,
  type Delivery,
  EVENT_TYPES,
  eventIdOf,
  type Message,
  partnerEventIdOf,
  TEST_EVENT,
} from '../domain/webhooks/delivery.ts';
import type { EndpointOwner } from '../domain/webhooks/endpoint.ts';
import { analysisView, analysisViewOf, failureReason } from './analysis.ts';
import { described } from './described.ts';
import { bankId, idField, momentField } from './fields.ts';

export const event = described(
  z.object({
    id: described(
      z.string(),
      'Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.',
    ),
    type: described(
      z.enum(EVENT_TYPES),
      'O que aconteceu. analise.resultado: a análise teve desfecho. analise.erro: a análise falhou.',
    ),
    timestamp: momentField('Momento em que a situação mudou, UTC; o de cada tentativa está em webhook-timestamp.'),
    ambiente: described(z.enum(ENVIRONMENTS), 'Ambiente da chave que submeteu a análise.'),
    sequencia: described(z.int(), 'Ordem deste evento entre os da mesma análise, a partir de 1.'),
    data: z.extend(analysisView, {
      lead_id: idField('Lead do titular da análise.'),
      banco_id: bankId(),
      motivo: described(z.optional(z.string()), 'O que falhou, em uma frase para pessoas; só em analise.erro.'),
    }),
  }),
  { id: 'Evento' },
);

/** `analysis` is the analysis after the write that makes it final. `refusal` is why its bank submission was refused. */
export function eventOf(analysis: Analysis, now: Instant, refusal?: SubmissionRefusal): Delivery {
  const type = analysis.situation === 'erro' ? 'analise.erro' : 'analise.resultado';
  const sequence = analysis.sequence;
  const id = eventIdOf(analysis, analysis.id, type, sequence);
  const body: z.input<typeof event> = {
    id,
    type,
    timestamp: timestamp(now),
    ambiente: analysis.environment,
    sequencia: sequence,
    data: {
      ...analysisViewOf(analysis),
      lead_id: analysis.leadId,
      banco_id: BANK_IDENTITIES[analysis.bank].id,
      motivo: type === 'analise.erro' ? failureReason(analysis, refusal) : undefined,
    },
  };
  return {
    eventId: id,
    unitId: analysis.unitId,
    environment: analysis.environment,
    partnerId: analysis.partnerId,
    analysisId: analysis.id,
    type,
    body: JSON.stringify(body),
    state: 'pendente',
    attempts: 0,
    dueAt: now,
    createdAt: now,
    history: [],
    failFirst: analysis.forced === 'webhook_falha' ? true : undefined,
    requestId: analysis.requestId,
  };
}

export const testEvent = described(
  z.object({
    id: event.shape.id,
    type: described(z.literal(TEST_EVENT), 'Sempre webhook.teste: não fala de nenhuma análise.'),
    timestamp: described(event.shape.timestamp, {
      ...z.globalRegistry.get(event.shape.timestamp),
      description: 'Momento em que o teste foi enviado, UTC.',
    }),
    ambiente: described(event.shape.ambiente, 'Ambiente do endereço testado.'),
    sequencia: described(z.literal(0), { description: 'Sempre 0 neste evento.', type: 'integer' }),
    data: described(
      z.object({ mensagem: described(z.string(), 'O que é este evento, em uma frase.') }),
      'Nada que o receptor precise guardar.',
    ),
  }),
  { id: 'EventoTeste', description: 'Corpo do evento webhook.teste.' },
);

/** `now` is in milliseconds. */
export function testEventOf({ partnerId, environment }: EndpointOwner, now: number): Message {
  const id = partnerEventIdOf(partnerId, environment, TEST_EVENT, now);
  const body: z.input<typeof testEvent> = {
    id,
    type: TEST_EVENT,
    timestamp: timestamp(now),
    ambiente: environment,
    sequencia: 0,
    data: { mensagem: 'Evento de teste, que pode ser descartado.' },
  };
  return { eventId: id, type: TEST_EVENT, body: JSON.stringify(body) };
}

/** The event says when and which kind of change happened, and shows no values. */
export const accountEvent = described(
  z.object({
    id: event.shape.id,
    type: described(z.literal(ACCOUNT_EVENT), 'Sempre conta.alterada: não fala de nenhuma análise.'),
    timestamp: momentField('Momento da mudança, UTC; GET /v1/me mostra em alterada_em o da última.'),
    ambiente: described(
      z.enum(ENVIRONMENTS),
      'O ambiente da chave, do endereço ou do segredo que mudou; producao em producao_liberada e unidade_textos.',
    ),
    sequencia: described(z.literal(0), { description: 'Sempre 0 neste evento.', type: 'integer' }),
    data: described(
      z.object({
        mudanca: described(z.string(), {
          description:
            'O que mudou. chave_criada, chave_revogada, chave_trocada: uma chave da API. webhook_endereco: o endereço do webhook. webhook_segredo: o segredo que assina. producao_liberada: o parceiro pode ter chaves de produção. unidade_textos: os textos com que os documentos apresentam uma unidade.',
          'x-extensible-enum': [...ACCOUNT_CHANGES],
        }),
      }),
      'Só o tipo da mudança: nem qual chave, nem qual endereço, nem qual texto.',
    ),
  }),
  { id: 'EventoConta', description: 'Corpo do evento conta.alterada.' },
);

/** `now` is in milliseconds. The id is a hash that includes `drawn`, so that each change gets its own event. */
export function accountEventOf(
  { partnerId, change, environment, unitId }: ChangedAccount,
  now: number,
  drawn: number = drawId<AnalysisId>(now),
): Delivery {
  const eventId = partnerEventIdOf(partnerId, environment, ACCOUNT_EVENT, drawn);
  const body: z.input<typeof accountEvent> = {
    id: eventId,
    type: ACCOUNT_EVENT,
    timestamp: timestamp(now),
    ambiente: environment,
    sequencia: 0,
    data: { mudanca: change },
  };
  return {
    eventId,
    unitId,
    environment,
    partnerId,
    type: ACCOUNT_EVENT,
    body: JSON.stringify(body),
    state: 'pendente',
    attempts: 0,
    dueAt: now,
    createdAt: now,
    history: [],
  };
}
