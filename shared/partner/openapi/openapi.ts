import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiParameterObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { errorBody, FAILURES, failureAnswer } from '../../contract/failures.ts';
import { ROUTES, type Route } from '../../contract/routes.ts';
import { Failure, type FailureCode } from '../../domain/values/failure.ts';
import { IDEMPOTENCY_TTL } from '../../domain/values/idempotency.ts';
import { EVENT_TYPES, type Message, TEST_EVENT } from '../../domain/webhooks/delivery.ts';
import {
  type AnswerWords,
  EVENTS,
  type Example,
  OPERATIONS,
  type OperationWords,
  SANDBOX_CPFS,
  SCOPE_WORDS,
  TAGS,
} from './documentation.ts';
import { REQUEST_ID } from './examples.ts';
import { ELSEWHERE, type FailureCase, failureCasesOf, requiresOf, summaryOf } from './failure-cases.ts';

/** The version that the interface declares. */
const VERSION = '1.0.0';

const INTRODUCTION = `Integra crédito imobiliário ao sistema do parceiro: cadastro de leads, simulação em seis bancos, análise de crédito com desfecho assíncrono, acompanhamento e auditoria do consentimento.

## Fluxo
1. **Lead**: \`POST /v1/leads\` cria o cliente ou reaproveita o que já existe com o mesmo CPF.
2. **Simulação**: \`POST /v1/simulacoes\` dá as condições de cada banco, na hora.
3. **Análise**: \`POST /v1/analises\` submete uma análise por banco, com o consentimento do titular.
4. **Desfecho**: por webhook assinado, ou por \`GET /v1/analises/{id}/status\` até \`pendente\` ser false.

## Chave e ambientes
Toda chamada a \`/v1\` leva a chave no cabeçalho \`X-API-Key\` ou em \`Authorization: Bearer\`. O gestor a cria e a troca; ela é um segredo e fica só no servidor do parceiro. A chave decide o ambiente: \`pmc_sandbox_…\` é o sandbox, \`pmc_…\` é a produção, no mesmo endereço. Nada atravessa de um ambiente, ou de uma unidade, para outro: um id alheio responde como um que não existe.

No sandbox nada vai a bancos, e o CPF do titular decide o desfecho, cerca de 10 segundos depois da submissão:

| CPF | Desfecho |
|---|---|
${SANDBOX_CPFS.map(([cpf, outcome]) => `| ${cpf} | ${outcome} |`).join('\n')}
| qualquer outro | aprovado |

## Formatos
Corpos são JSON em UTF-8, de até 64 KiB. Valores são números em reais, com no máximo 2 casas; taxas são percentuais. Datas são \`AAAA-MM-DD\`; momentos são ISO 8601 com fuso. Ids são inteiros positivos de até 53 bits. Textos são aparados e têm até 200 caracteres onde não se diz outro limite. Campos desconhecidos são ignorados, e respostas podem ganhar campos novos na v1: ignore os que não conhecer.

## Erros
Toda resposta que não é 2xx tem o corpo \`Erro\`. Decida por \`codigo\`, cuja lista é fechada na v1; \`erro\` e \`motivo\` são frases para pessoas e podem mudar. Informe \`request_id\` ao suporte. A primeira verificação que falha é a que responde, nesta ordem: chave e limite, escopo, formato do corpo, Idempotency-Key, campos (os que faltam antes dos inválidos), consentimento, bancos, repetição, lead, titular.

Repita a chamada, com a mesma Idempotency-Key, em 429, 500, 502, 503 e 504, e no 409 \`idempotencia_em_andamento\`, depois dos segundos de \`Retry-After\` quando ele vem. Os demais pedem correção antes.

## Limite de chamadas
120 por minuto por parceiro e ambiente, salvo outro acordo; \`RateLimit\` diz em cada resposta o que resta. O excesso é 429 com \`Retry-After\`.

## Versões
A v1 só ganha: campos, rotas e valores de listas abertas. O que quebraria vem em /v2, e o que for retirado avisa com \`Deprecation\` e \`Sunset\` ao menos 180 dias antes.`;

type Document = ReturnType<typeof createDocument>;
type Header = { readonly description: string; readonly required?: boolean; readonly schema: object };

function examplesOf(cases: ReadonlyMap<FailureCode, readonly FailureCase[]>): Record<string, Example> {
  const examples: Record<string, Example> = {};
  for (const [code, shown] of cases) {
    shown.forEach(({ summary, failure }, index) => {
      const name = index === 0 ? code : `${code}_${index + 1}`;
      examples[name] = { summary, value: failureAnswer(failure, REQUEST_ID).body };
    });
  }
  return examples;
}

const pascal = (code: string) => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const responseRef = (name: string) => ({ $ref: `#/components/responses/${name}` });

function errorContent(codes: readonly FailureCode[], examples: Record<string, Example>) {
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Erro' },
      { type: 'object' as const, properties: { codigo: { enum: [...codes] } } },
    ],
  };
  return { 'application/json': { schema, examples } };
}

const describeCodes = (codes: readonly FailureCode[]) =>
  codes.map((code) => `\`${code}\`: ${FAILURES[code].erro}`).join('\n\n');

function failureResponse(
  status: number,
  cases: ReadonlyMap<FailureCode, readonly FailureCase[]>,
  keyed: boolean,
): ZodOpenApiResponseObject {
  const codes = [...cases.keys()];
  return {
    description: describeCodes(codes),
    headers: headersOf(status, { keyed }),
    content: errorContent(codes, examplesOf(cases)),
  };
}

// ----------------------------------------------------------------------------------------------------------- headers

const HEADERS = {
  'X-Request-Id': {
    description: 'Identifica a chamada para o suporte; nos erros, igual a `request_id`. Opaco.',
    required: true,
    schema: { type: 'string', examples: [REQUEST_ID] },
  },
  'RateLimit-Policy': {
    description: 'O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos.',
    required: true,
    schema: { type: 'string', pattern: '^"padrao";q=\\d+;w=60$', examples: ['"padrao";q=120;w=60'] },
  },
  RateLimit: {
    description: 'O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos.',
    required: true,
    schema: { type: 'string', pattern: '^"padrao";r=\\d+;t=\\d+$', examples: ['"padrao";r=117;t=42'] },
  },
  'Retry-After': {
    description: 'Depois de quantos segundos vale repetir a chamada.',
    required: true,
    schema: { type: 'integer', minimum: 1, examples: [2] },
  },
  'Idempotent-Replay': {
    description:
      'Presente, com `true`, quando esta é a resposta original de uma chamada anterior com a mesma Idempotency-Key: nada foi feito de novo.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    description:
      'Como se apresentar. O gateway da AWS entrega este cabeçalho com o nome `x-amzn-Remapped-WWW-Authenticate`.',
    schema: { type: 'string', examples: ['Bearer'] },
  },
  Allow: {
    description: 'Os métodos que o caminho aceita; vem com `metodo_nao_permitido`.',
    schema: { type: 'string', examples: ['GET, PATCH'] },
  },
  ETag: {
    description: 'Identifica este conteúdo; envie-o em `If-None-Match` para receber 304 enquanto nada muda.',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$', examples: ['"3f2a9c1d"'] },
  },
  'Cache-Control': {
    description: 'Por quanto tempo uma cópia serve sem perguntar de novo.',
    required: true,
    schema: { type: 'string', examples: ['public, max-age=300'] },
  },
} as const satisfies Readonly<Record<string, Header>>;
type HeaderName = keyof typeof HEADERS;

// The gateway can answer these by itself, without the headers that admission knows.
const MAY_LACK_RATE: readonly number[] = [400, 403, 413, 429, 500, 502, 503, 504];
const RETRY_AFTER: readonly number[] = [409, 429, 502, 503, 504];

function header(name: HeaderName, always = true): Header | { $ref: string } {
  return always ? { $ref: `#/components/headers/${name}` } : { ...HEADERS[name], required: false };
}

/** The headers of an answer, by its status and what the route is. */
function headersOf(
  status: number,
  { keyed, replays = false, cacheable = false }: { keyed: boolean; replays?: boolean; cacheable?: boolean },
) {
  const headers: Partial<Record<HeaderName, Header | { $ref: string }>> = { 'X-Request-Id': header('X-Request-Id') };
  if (keyed && status !== 401) {
    const always = !MAY_LACK_RATE.includes(status);
    headers['RateLimit-Policy'] = header('RateLimit-Policy', always);
    headers.RateLimit = header('RateLimit', always);
  }
  if (status === 401) headers['WWW-Authenticate'] = header('WWW-Authenticate');
  if (RETRY_AFTER.includes(status)) headers['Retry-After'] = header('Retry-After');
  if (replays) headers['Idempotent-Replay'] = header('Idempotent-Replay');
  if (cacheable) {
    headers.ETag = header('ETag');
    headers['Cache-Control'] = header('Cache-Control');
  }
  return headers as NonNullable<ZodOpenApiResponseObject['headers']>;
}

// -------------------------------------------------------------------------------------------------------- operations

const DAY = 86_400_000;

function idempotencyParameter({ idempotency }: Route): ZodOpenApiParameterObject {
  const kept =
    idempotency === 'required'
      ? `${IDEMPOTENCY_TTL.analyses / DAY} dias`
      : `${IDEMPOTENCY_TTL.records / 3_600_000} horas`;
  const rule =
    idempotency === 'required'
      ? 'Obrigatória: identifica o pedido, para que repeti-lo nunca consulte o crédito duas vezes.'
      : 'Opcional: identifica o pedido, para que repeti-lo não o refaça.';
  return {
    in: 'header',
    name: 'Idempotency-Key',
    required: idempotency === 'required',
    description: `${rule} Gere uma por pedido (um UUID serve) e repita a mesma a cada nova tentativa. Vale por ${kept}, na unidade, no ambiente e na rota. Com o mesmo corpo, a resposta original volta com \`Idempotent-Replay: true\`; com outro, 422 \`idempotency_conflito\`; enquanto a primeira chamada corre, 409. Erros 4xx não ficam guardados: corrija o corpo e use a mesma chave.`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    example: '5f0c6c4e-6b1f-4f0e-9d4f-1a2b3c4d5e6f',
  };
}

function pathIdParameter(description: string): ZodOpenApiParameterObject {
  return {
    in: 'path',
    name: 'id',
    required: true,
    description,
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    example: 115963306246123,
  };
}

function ifNoneMatchParameter(): ZodOpenApiParameterObject {
  return {
    in: 'header',
    name: 'If-None-Match',
    description: 'O ETag da cópia que se tem.',
    schema: { type: 'string' },
    example: '"3f2a9c1d"',
  };
}

function parametersOf(route: Route, words: OperationWords): ZodOpenApiParameterObject[] {
  return [
    ...(words.id ? [pathIdParameter(words.id)] : []),
    ...(route.idempotency === 'none' ? [] : [idempotencyParameter(route)]),
    ...(words.answers[304] ? [ifNoneMatchParameter()] : []),
  ];
}

/** What an id in an answer is good for: by it a tool can walk the flow. */
function linksOf({ id, operations }: NonNullable<AnswerWords['leadsTo']>) {
  const parameters = { id: `$response.body#${id}` };
  return Object.fromEntries(
    operations.map((operationId) => [
      operationId,
      { operationId, description: OPERATIONS[operationId].summary, parameters },
    ]),
  );
}

function answersOf(route: Route, words: OperationWords): ZodOpenApiResponsesObject {
  const cacheable = words.answers[304] !== undefined;
  return Object.fromEntries(
    Object.entries(words.answers).map(([status, answer]) => {
      const { description, schema, examples, mediaType = 'application/json', leadsTo } = answer;
      const headers = headersOf(Number(status), {
        keyed: route.scope !== 'public',
        replays: route.idempotency !== 'none',
        cacheable,
      });
      const content = schema && { [mediaType]: { schema, ...(examples && { examples }) } };
      const links = leadsTo && linksOf(leadsTo);
      return [status, { description, headers, ...(content && { content }), ...(links && { links }) }];
    }),
  ) as ZodOpenApiResponsesObject;
}

type Components = Record<string, ZodOpenApiResponseObject>;

/** A route's failures by status; what is the same everywhere is put into `shared` and referred to. */
function failuresOf(route: Route, words: OperationWords, shared: Components): ZodOpenApiResponsesObject {
  const keyed = route.scope !== 'public';
  const byStatus = new Map<number, Map<FailureCode, readonly FailureCase[]>>();
  for (const [code, cases] of failureCasesOf(route, words)) {
    const { status } = FAILURES[code];
    byStatus.set(status, (byStatus.get(status) ?? new Map()).set(code, cases));
  }
  const responses: Record<string, ZodOpenApiResponseObject | { $ref: string }> = {};
  for (const [status, cases] of byStatus) {
    const response = failureResponse(status, cases, keyed);
    const [only, ...others] = [...cases].flatMap(([code, shown]) => shown.map((one) => ({ code, ...one })));
    if (!only || only.own || others.length > 0) {
      responses[status] = response;
      continue;
    }
    const name = `${pascal(only.code)}${keyed ? '' : 'Publico'}`;
    shared[name] = response;
    responses[status] = responseRef(name);
  }
  return responses as ZodOpenApiResponsesObject;
}

const ADDRESS = 'Endereco';

/** What an address answers that is no route, or that knows the method not. */
function elsewhere(): ZodOpenApiResponseObject {
  const cases = new Map(
    ELSEWHERE.map((code) => [code, [{ summary: summaryOf(code), failure: new Failure(code), own: false }]] as const),
  );
  return {
    description: `O endereço, antes de qualquer operação: um caminho que não existe é 404 e um método que o caminho não aceita é 405.\n\n${describeCodes(ELSEWHERE)}`,
    headers: { ...headersOf(404, { keyed: false }), Allow: header('Allow') } as NonNullable<
      ZodOpenApiResponseObject['headers']
    >,
    content: errorContent(ELSEWHERE, examplesOf(cases)),
  };
}

function operationOf(route: (typeof ROUTES)[number], shared: Components): ZodOpenApiOperationObject {
  const words = OPERATIONS[route.operation];
  const { body } = words;
  return {
    operationId: route.operation,
    summary: words.summary,
    description: `${words.description}\n\n${SCOPE_WORDS[route.scope]}`,
    tags: [TAGS[route.tag].name],
    security: route.scope === 'public' ? [] : Object.keys(SECURITY).map((scheme) => ({ [scheme]: [] })),
    parameters: parametersOf(route, words),
    ...(words.query && { requestParams: { query: words.query } }),
    ...(body && {
      requestBody: {
        required: requiresOf(body.schema),
        content: { 'application/json': { schema: body.schema, examples: body.examples } },
      },
    }),
    responses: { ...answersOf(route, words), ...failuresOf(route, words, shared), default: responseRef(ADDRESS) },
  };
}

const SECURITY = {
  chave: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A chave do parceiro: `pmc_sandbox_…` no sandbox, `pmc_…` em produção.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A mesma chave, em `Authorization: Bearer`. Se os dois cabeçalhos vêm, vale `X-API-Key`.',
  },
} as const;

// ---------------------------------------------------------------------------------------------------------- webhooks

const SIGNATURE = 'sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e';
const SHA256 = { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' } as const;

/** The headers of an event's delivery. */
const webhookHeaders = (type: Message['type']): ZodOpenApiParameterObject[] =>
  [
    {
      name: 'X-Service-Signature',
      required: true,
      description:
        'HMAC-SHA256 dos bytes do corpo, em hexadecimal minúsculo, com o segredo inteiro (`whsec_…`, em UTF-8) como chave. Verifique antes de confiar no corpo, comparando em tempo constante.',
      schema: SHA256,
      example: SIGNATURE,
    },
    {
      name: 'X-Service-Signature-Anterior',
      description:
        'A mesma assinatura com o segredo anterior, durante as 24 horas que se seguem a uma troca de segredo.',
      schema: SHA256,
      example: SIGNATURE,
    },
    {
      name: 'X-Service-Event',
      required: true,
      description: 'O tipo do evento, igual a `type` no corpo.',
      schema: { type: 'string', const: type },
    },
    {
      name: 'X-Service-Attempt',
      required: true,
      description: 'Qual tentativa de entrega é esta, a partir de 1.',
      schema: { type: 'integer', minimum: 1 },
      example: 1,
    },
    {
      name: 'webhook-id',
      required: true,
      description: 'O id do evento, igual a `id` no corpo e em toda tentativa (Standard Webhooks).',
      schema: { type: 'string' },
      example: 'evt_mzxw6ytboi4dsmrqgaydcmjsgm2dkmru',
    },
    {
      name: 'webhook-timestamp',
      required: true,
      description: 'O momento desta tentativa, em segundos desde 1970 (Standard Webhooks).',
      schema: { type: 'integer' },
      example: 1763640000,
    },
    {
      name: 'webhook-signature',
      required: true,
      description:
        'Assinaturas de `{webhook-id}.{webhook-timestamp}.{corpo}`, HMAC-SHA256 em base64, com os bytes que a parte depois de `whsec_` codifica em base64; uma por segredo em vigor, separadas por espaço (Standard Webhooks).',
      schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
      example: 'v1,1Hz+JptKZkxc8qG8CFlv1P+F4jTy01qUTSM/VSJo3p4=',
    },
  ].map((parameter) => ({ in: 'header', ...parameter }) as ZodOpenApiParameterObject);

const DELIVERY_WORDS =
  'Enviado por POST ao endereço configurado do parceiro. Responda 2xx em até 15 segundos, antes de processar; descarte repetidos por `id`, pois um evento pode chegar mais de uma vez e fora de ordem. Em produção são até 12 tentativas em 67 horas (0, 5 s, 5 min, 30 min, 2 h, 5 h e 6 de 10 h); no sandbox, 4 (0, 5 s, 30 s, 2 min).';

function webhooks(): ZodOpenApiPathsObject {
  return Object.fromEntries(
    ([...EVENT_TYPES, TEST_EVENT] as const).map((type) => {
      const { summary, description, schema, examples } = EVENTS[type];
      const operation: ZodOpenApiOperationObject = {
        operationId: type,
        summary,
        description: type === TEST_EVENT ? description : `${description}\n\n${DELIVERY_WORDS}`,
        tags: [TAGS.webhooks.name],
        security: [],
        parameters: webhookHeaders(type),
        requestBody: { required: true, content: { 'application/json': { schema, examples } } },
        responses: {
          '2XX': { description: 'Recebido: não é enviado de novo. O corpo da resposta não é lido.' },
          '3XX': { description: 'Conta como falha: redirecionamentos não são seguidos. É tentado de novo.' },
          '410': {
            description: 'O endereço não existe mais: o envio é desativado na hora, e os eventos ficam guardados.',
          },
          '429': { description: 'É tentado de novo, respeitando `Retry-After` dentro dos limites das tentativas.' },
          '4XX': { description: 'Conta como falha. É tentado de novo.' },
          '5XX': { description: 'Conta como falha. É tentado de novo; no 503, respeitando `Retry-After`.' },
        },
      };
      return [type, { post: operation }];
    }),
  );
}

// ---------------------------------------------------------------------------------------------------------- document

/** JSON Schema as it is read best: nullable types in one line, no bounds that only say "a safe integer", examples as a list. */
const tidy: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema }) => {
  const schema = jsonSchema as Record<string, unknown>;
  const [first, second, ...more] = (schema['anyOf'] as Record<string, unknown>[] | undefined) ?? [];
  if (first && second?.['type'] === 'null' && more.length === 0 && typeof first['type'] === 'string') {
    delete schema['anyOf'];
    Object.assign(schema, { ...first, ...schema, type: [first['type'], 'null'] });
    if (Array.isArray(first['enum'])) schema['enum'] = [...first['enum'], null];
  }
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['type'] === 'integer' && schema['exclusiveMinimum'] === 0) {
    delete schema['exclusiveMinimum'];
    schema['minimum'] = 1;
  }
  // Answers may gain fields in v1: a generated client must not refuse them.
  delete schema['additionalProperties'];
  if ('example' in schema) {
    schema['examples'] = [schema['example']];
    delete schema['example'];
  }
};

/**
 * The interface's description, OpenAPI 3.1: derived from the routes, their schemas and the table of failures, with the
 * words of documentation.ts. The same value for every call of one version.
 */
export function openapiDocument(): Document {
  const responses: Components = {};
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of ROUTES) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, responses) };
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Crédito imobiliário para parceiros',
      version: VERSION,
      summary: 'Leads, simulações e análises de crédito imobiliário em seis bancos.',
      description: INTRODUCTION,
      contact: { name: 'Suporte ao parceiro' },
      license: { name: 'Uso restrito aos parceiros', identifier: 'LicenseRef-Parceiros' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'Sandbox e produção: a chave decide o ambiente.',
        variables: {
          base_url: {
            default: '.',
            description:
              'O endereço que o parceiro recebe com a chave, sem barra no fim. Sem outro valor, o que serve este documento.',
          },
        },
      },
    ],
    tags: [...new Set(ROUTES.map(({ tag }) => TAGS[tag]))],
    paths: paths as ZodOpenApiPathsObject,
    webhooks: webhooks(),
    components: {
      schemas: { Erro: errorBody },
      responses: { ...responses, [ADDRESS]: elsewhere() },
      headers: HEADERS as unknown as NonNullable<NonNullable<ZodOpenApiObject['components']>['headers']>,
      securitySchemes: SECURITY,
    },
  };
  return createDocument(document, { override: tidy });
}
