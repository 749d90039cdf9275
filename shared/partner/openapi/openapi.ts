import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiMediaTypeObject,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiParameterObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { errorBody } from '#shared/contract/failures.ts';
import { ROUTES, type Route } from '#shared/contract/routes.ts';
import { IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';
import { days, hours } from '#shared/domain/values/time.ts';
import { BANKS_IN_WORDS, INTRODUCTION, SCOPE_WORDS, TAGS } from './documentation.ts';
import { webhooks } from './events.ts';
import { health } from './examples.ts';
import { isBodyRequired } from './failure-cases.ts';
import {
  ELSEWHERE_NAME,
  elsewhereResponse,
  failureResponsesOf,
  type Responses,
  responseRef,
} from './failure-responses.ts';
import { addFieldExamples } from './field-examples.ts';
import { HEADERS, headersOf } from './headers.ts';
import type { AnswerWords, Example, OperationWords } from './operation-words.ts';
import { OPERATIONS } from './operations.ts';

const SECURITY_SCHEMES = {
  chave: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A chave do parceiro: `pmc_sandbox_…` no sandbox, `pmc_…` em produção.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A mesma chave, em `Authorization: Bearer`. Envie só um dos dois cabeçalhos: duas chaves diferentes são 401.',
  },
} as const;

function idempotencyParameter(required: boolean): ZodOpenApiParameterObject {
  const lifetime = required
    ? `${IDEMPOTENCY_TTL.analyses / days(1)} dias`
    : `${IDEMPOTENCY_TTL.records / hours(1)} horas`;
  const rule = required
    ? 'Obrigatória: identifica o pedido, para que repeti-lo nunca consulte o crédito duas vezes.'
    : 'Opcional: identifica o pedido, para que repeti-lo não o refaça.';
  return {
    in: 'header',
    name: 'Idempotency-Key',
    required,
    description: `${rule} Gere uma por pedido (um UUID serve) e repita a mesma a cada nova tentativa. Vale por ${lifetime}, na unidade, no ambiente e na rota. Com o mesmo corpo, a resposta original volta com \`Idempotent-Replay: true\`; com outro, 422 \`idempotency_conflito\`; enquanto a primeira chamada corre, 409. Erros 4xx não ficam guardados: corrija o corpo e use a mesma chave.`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x2b\\x2d-\\x7e]+$' },
    example: '5f0c6c4e-6b1f-4f0e-9d4f-1a2b3c4d5e6f',
  };
}

function parametersOf({ idempotency, pathId }: Route, { id, answers }: OperationWords): ZodOpenApiParameterObject[] {
  const parameters: ZodOpenApiParameterObject[] = [];
  if (id) {
    const [description, example] = id;
    const number = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
    const schema = pathId === 'event' ? ({ type: 'string', pattern: '^evt_[a-z2-7]{32}$' } as const) : number;
    parameters.push({ in: 'path', name: 'id', required: true, description, schema, example });
  }
  if (idempotency !== 'none') parameters.push(idempotencyParameter(idempotency === 'required'));
  if (answers[304]) {
    const description = 'O ETag da cópia que se tem.';
    const schema = { type: 'string' } as const;
    parameters.push({ in: 'header', name: 'If-None-Match', description, schema, example: '"3f2a9c1d"' });
  }
  return parameters;
}

const exampleObjects = (examples: Readonly<Record<string, Example>>) =>
  Object.fromEntries(Object.entries(examples).map(([name, [summary, value]]) => [name, { summary, value }]));

function linksOf({ id, operations }: NonNullable<AnswerWords['leadsTo']>) {
  const parameters = { id: `$response.body#${id}` };
  return Object.fromEntries(
    operations.map((operationId) => [
      operationId,
      { operationId, description: OPERATIONS[operationId].summary, parameters },
    ]),
  );
}

function answersOf(route: Route, words: OperationWords): Readonly<Record<string, ZodOpenApiResponseObject>> {
  const cacheable = words.answers[304] !== undefined;
  const responses: Record<string, ZodOpenApiResponseObject> = {};
  for (const [status, answer] of Object.entries(words.answers)) {
    const { description, schema, examples, mediaType = 'application/json', leadsTo } = answer;
    const headers = headersOf(Number(status), {
      keyed: route.scope !== 'public',
      replays: route.idempotency !== 'none',
      cacheable,
    });
    const response: ZodOpenApiResponseObject = { description, headers };
    if (schema) {
      const media: ZodOpenApiMediaTypeObject = { schema };
      if (examples) media.examples = exampleObjects(examples);
      response.content = { [mediaType]: media };
    }
    if (leadsTo) response.links = linksOf(leadsTo);
    responses[status] = response;
  }
  return responses;
}

function operationOf(route: (typeof ROUTES)[number], shared: Responses): ZodOpenApiOperationObject {
  const words = OPERATIONS[route.operation];
  const { body, query } = words;
  return {
    operationId: route.operation,
    summary: words.summary,
    description: `${words.description}\n\n${SCOPE_WORDS[route.scope]}`,
    tags: [TAGS[route.tag].name],
    security: route.scope === 'public' ? [] : Object.keys(SECURITY_SCHEMES).map((scheme) => ({ [scheme]: [] })),
    parameters: parametersOf(route, words),
    requestParams: query && { query },
    requestBody: body && {
      required: isBodyRequired(body.schema),
      content: { 'application/json': { schema: body.schema, examples: exampleObjects(body.examples) } },
    },
    responses: {
      ...answersOf(route, words),
      ...failureResponsesOf(route, words, shared),
      default: responseRef(ELSEWHERE_NAME),
    },
  };
}

/**
 * Writes a nullable type on one line, drops bounds that only say "a safe integer", and makes a default its own example.
 */
const easierToRead: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema }) => {
  const schema: Record<string, unknown> = jsonSchema;
  const [first, second, ...more] = jsonSchema.anyOf ?? [];
  if (first && second?.type === 'null' && more.length === 0 && typeof first.type === 'string') {
    delete schema['anyOf'];
    Object.assign(schema, { ...first, ...schema, type: [first.type, 'null'] });
    if (Array.isArray(first.enum)) schema['enum'] = first.enum.concat(null);
  }
  // An integer of a request keeps its maximum, since the service refuses a greater number.
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) {
    delete schema['minimum'];
    delete schema['maximum'];
  }
  if (schema['type'] === 'integer' && schema['exclusiveMinimum'] === 0) {
    delete schema['exclusiveMinimum'];
    schema['minimum'] = 1;
  }
  // A discriminator may only name a text field, and these alternatives differ by a boolean.
  delete schema['discriminator'];
  // Answers may gain fields in v1, and a generated client must not refuse them.
  delete schema['additionalProperties'];
  if ('default' in schema) schema['examples'] = [schema['default']];
};

const METHODS = { GET: 'get', POST: 'post', PATCH: 'patch' } as const;

const SERVER = {
  url: 'https://api.exemplo.com.br',
  description:
    'Exemplo: use o endereço que você recebeu com a chave, sem barra no fim. A chave decide o ambiente, sandbox ou produção.',
};

/** Returns the same value in every call of one version. */
export function openapiDocument(): ReturnType<typeof createDocument> {
  const responses: Responses = {};
  const paths: ZodOpenApiPathsObject = {};
  for (const route of ROUTES) {
    const item = paths[route.path] ?? {};
    item[METHODS[route.method]] = operationOf(route, responses);
    paths[route.path] = item;
  }
  const parts: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Crédito imobiliário para parceiros',
      version: health.version,
      summary: `Leads, simulações e análises de crédito imobiliário em ${BANKS_IN_WORDS}.`,
      description: INTRODUCTION,
      contact: { name: 'Suporte ao parceiro' },
      license: { name: 'Uso restrito aos parceiros', identifier: 'LicenseRef-Parceiros' },
    },
    servers: [SERVER],
    tags: Array.from(new Set(ROUTES.map(({ tag }) => TAGS[tag]))),
    paths,
    webhooks: webhooks(),
    components: {
      schemas: { Erro: errorBody },
      responses: { ...responses, [ELSEWHERE_NAME]: elsewhereResponse() },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  const document = createDocument(parts, { override: easierToRead });
  addFieldExamples(document);
  return document;
}
