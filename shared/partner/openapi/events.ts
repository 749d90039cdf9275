import * as z from 'zod/mini';
import type { ZodOpenApiOperationObject, ZodOpenApiParameterObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { described } from '#shared/contract/described.ts';
import { accountEvent, event, testEvent } from '#shared/contract/event.ts';
import { SITUATIONS } from '#shared/domain/analyses/analysis.ts';
import { hours, seconds } from '#shared/domain/values/time.ts';
import {
  ACCOUNT_EVENT,
  ANSWER_WITHIN,
  BOOKED_TYPES,
  type Message,
  RETRY_WAITS,
  retrySpan,
  TEST_EVENT,
} from '#shared/domain/webhooks/delivery.ts';
import { TAGS } from './documentation.ts';
import * as story from './examples.ts';

const { data } = event.shape;

const resultEvent = described(
  z.extend(event, {
    type: described(z.literal('analise.resultado'), { ...z.globalRegistry.get(event.shape.type) }),
    data: described(
      z.extend(z.omit(data, { motivo: true }), {
        situacao: described(
          z.enum(SITUATIONS.filter((situation) => situation !== 'em_analise' && situation !== 'erro')),
          'O desfecho, definitivo; a lista é estável na v1.',
        ),
        pendente: described(z.literal(false), 'Sempre false: o desfecho é definitivo.'),
      }),
      'A análise, como em GET /v1/analises/{id}/status, mais lead_id e banco_id.',
    ),
  }),
  { id: 'EventoResultado', description: 'Corpo do evento analise.resultado, até 4 KB.' },
);

const errorEvent = described(
  z.extend(event, {
    type: described(z.literal('analise.erro'), { ...z.globalRegistry.get(event.shape.type) }),
    data: described(
      z.extend(z.required(data, { motivo: true }), {
        situacao: described(z.literal('erro'), 'Sempre erro neste evento.'),
        pendente: described(z.literal(false), 'Sempre false: a análise terminou.'),
      }),
      'A análise, como em GET /v1/analises/{id}/status, mais lead_id, banco_id e motivo.',
    ),
  }),
  { id: 'EventoErro', description: 'Corpo do evento analise.erro, até 4 KB.' },
);

const DELIVERY_WORDS = `Enviado por POST ao endereço configurado do parceiro. Responda 2xx em até ${ANSWER_WITHIN / seconds(1)} segundos, antes de processar; descarte repetidos por \`id\`, pois um evento pode chegar mais de uma vez e fora de ordem. Em produção são até ${RETRY_WAITS.producao.length} tentativas em ${Math.floor(retrySpan('producao') / hours(1))} horas (0, 5 s, 5 min, 30 min, 2 h, 5 h e 6 de 10 h); no sandbox, ${RETRY_WAITS.sandbox.length} (0, 5 s, 30 s, 2 min).`;

const EVENTS = {
  'analise.resultado': {
    summary: 'A análise teve desfecho',
    description: `Enviado uma vez, quando a análise passa a aprovado, condicionado, recusado ou cancelado. Não traz dados pessoais: identifique o cliente por \`lead_id\`.\n\n${DELIVERY_WORDS}`,
    schema: resultEvent,
    example: ['aprovado', ['Crédito aprovado', story.resultEvent]],
  },
  'analise.erro': {
    summary: 'A análise falhou',
    description: `Enviado uma vez, quando não se conseguiu submeter a análise ou obter o desfecho. Uma nova tentativa é uma submissão nova, com Idempotency-Key nova.\n\n${DELIVERY_WORDS}`,
    schema: errorEvent,
    example: ['erro', ['O banco não recebeu a proposta', story.errorEvent]],
  },
  [ACCOUNT_EVENT]: {
    summary: 'A conta foi alterada',
    description: `Enviado uma vez, até dois minutos depois que o gestor ou o suporte cria, troca ou revoga uma chave, muda o endereço do webhook, troca o segredo ou libera a produção. Vai ao endereço que o ambiente da mudança tinha antes dela, mesmo desativado; se não tinha nenhum, não é enviado. Se você não pediu a mudança, fale com o suporte por outro meio. Não está em \`eventos\` de GET /v1/webhooks nem em GET /v1/webhooks/entregas.\n\n${DELIVERY_WORDS}`,
    schema: accountEvent,
    example: ['chave', ['Uma chave foi criada', story.accountEvent]],
  },
  [TEST_EVENT]: {
    summary: 'O endereço foi testado',
    description:
      'Enviado só quando você (`POST /v1/webhooks/teste`), o gestor ou o suporte testa o endereço, assinado como os demais, uma única vez e sem nova tentativa. Não está em `eventos` de GET /v1/webhooks: confira as assinaturas, responda 2xx e descarte-o, como todo tipo que o seu sistema não conheça.',
    schema: testEvent,
    example: ['teste', ['Teste', story.pingEvent]],
  },
} as const;

/** The signature of the specification's test vector. */
const SIGNATURE = 'sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e';
const SHA256 = { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' } as const;

/** All headers are always sent, except the signature of the previous secret. */
function headersOf(type: Message['type'], id: string): ZodOpenApiParameterObject[] {
  const header = (name: string, description: string, schema: object, example?: unknown) => ({
    in: 'header' as const,
    name,
    required: name.endsWith('-Anterior') ? undefined : true,
    description,
    schema,
    example,
  });
  return [
    header(
      'X-Service-Signature',
      'HMAC-SHA256 dos bytes do corpo, em hexadecimal minúsculo, com o segredo inteiro (`whsec_…`, em UTF-8) como chave. Verifique antes de confiar no corpo, comparando em tempo constante.',
      SHA256,
      SIGNATURE,
    ),
    header(
      'X-Service-Signature-Anterior',
      'A mesma assinatura com o segredo anterior, durante as 24 horas que se seguem a uma troca de segredo.',
      SHA256,
      SIGNATURE,
    ),
    header('X-Service-Event', 'O tipo do evento, igual a `type` no corpo.', { type: 'string', const: type }),
    header('X-Service-Attempt', 'Qual tentativa de entrega é esta, a partir de 1.', { type: 'integer', minimum: 1 }, 1),
    header(
      'webhook-id',
      'O id do evento, igual a `id` no corpo e em toda tentativa (Standard Webhooks).',
      { type: 'string' },
      id,
    ),
    header(
      'webhook-timestamp',
      'O momento desta tentativa, em segundos desde 1970 (Standard Webhooks).',
      { type: 'integer' },
      1763640000,
    ),
    header(
      'webhook-signature',
      'Assinaturas de `{webhook-id}.{webhook-timestamp}.{corpo}`, HMAC-SHA256 em base64, com os bytes que a parte depois de `whsec_` codifica em base64; uma por segredo em vigor, separadas por espaço (Standard Webhooks).',
      { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
      'v1,1Hz+JptKZkxc8qG8CFlv1P+F4jTy01qUTSM/VSJo3p4=',
    ),
  ];
}

const RESPONSES = {
  '2XX': { description: 'Recebido: não é enviado de novo. O corpo da resposta não é lido.' },
  '3XX': { description: 'Conta como falha: redirecionamentos não são seguidos. É tentado de novo.' },
  '410': { description: 'O endereço não existe mais: o envio é desativado na hora, e os eventos ficam guardados.' },
  '429': { description: 'É tentado de novo, respeitando `Retry-After` dentro dos limites das tentativas.' },
  '4XX': { description: 'Conta como falha. É tentado de novo.' },
  '5XX': { description: 'Conta como falha. É tentado de novo; no 503, respeitando `Retry-After`.' },
};

const TEST_RESPONSES = {
  '2XX': { description: 'Recebido: quem testou vê que o endereço responde. O corpo da resposta não é lido.' },
  '4XX': { description: 'Quem testou vê o status. Não é tentado de novo e não desativa o endereço, nem com 410.' },
  default: { description: 'Quem testou vê o status. Redirecionamentos não são seguidos, e nada é tentado de novo.' },
};

export function webhooks(): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const type of [...BOOKED_TYPES, TEST_EVENT] as const) {
    const { summary, description, schema, example } = EVENTS[type];
    const [name, [shown, value]] = example;
    const operation: ZodOpenApiOperationObject = {
      operationId: type,
      summary,
      description,
      tags: [TAGS.webhooks.name],
      security: [],
      parameters: headersOf(type, value.id),
      requestBody: {
        required: true,
        content: { 'application/json': { schema, examples: { [name]: { summary: shown, value } } } },
      },
      responses: type === TEST_EVENT ? TEST_RESPONSES : RESPONSES,
    };
    paths[type] = { post: operation };
  }
  return paths;
}
