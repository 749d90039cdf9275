import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAILURES, failureAnswer } from '#shared/contract/failures.ts';
import { phone } from '#shared/contract/fields.ts';
import { ROUTES } from '#shared/contract/routes.ts';
import { TEST_CPFS } from '#shared/domain/values/cpf.ts';
import { FAILURE_CODES, Failure, type FailureCode } from '#shared/domain/values/failure.ts';
import { BOOKED_TYPES, TEST_EVENT } from '#shared/domain/webhooks/delivery.ts';
import { forcedOutcome } from '#shared/operator/sandbox-operator.ts';
import { SCOPE_WORDS } from '#shared/partner/openapi/documentation.ts';
import * as bodies from '#shared/partner/openapi/example-bodies.ts';
import * as examples from '#shared/partner/openapi/examples.ts';
import { generalCase } from '#shared/partner/openapi/failure-cases.ts';
import { openapiDocument } from '#shared/partner/openapi/openapi.ts';
import { OPERATIONS } from '#shared/partner/openapi/operations.ts';
import { sign } from '#shared/webhook/sign.ts';
import { eventMatchesContract } from '#test/makers/answers.ts';

type Json = Record<string, unknown>;
type Content = Record<string, { schema: Json; examples?: Record<string, { value: Json }> }>;
interface Response {
  links?: Record<string, { operationId: string; parameters: { id: string } }>;
  $ref?: string;
  headers?: Record<string, Json>;
  content?: Content;
}
interface Operation {
  operationId: string;
  description: string;
  security: Json[];
  parameters?: { name: string; required?: boolean; description: string }[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
}
interface Document {
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Json>; responses: Record<string, Response> };
}

const TEXT = JSON.stringify(openapiDocument(), null, 2);
const DOCUMENT = JSON.parse(TEXT) as Document;
const ALL_OPERATIONS = Object.values(DOCUMENT.paths).flatMap((operations) => Object.values(operations));
const operationAt = (method: string, path: string) => DOCUMENT.paths[path]?.[method.toLowerCase()] as Operation;
const responseOf = (response: Response): Response =>
  response.$ref ? DOCUMENT.components.responses[response.$ref.split('/').at(-1)!]! : response;

/** Returns every error example of an operation: status, codigo, body. */
function errorsOf(operation: Operation) {
  return Object.entries(operation.responses).flatMap(([status, reference]) => {
    if (!/^[45]/.test(status) && status !== 'default') return [];
    const shown = responseOf(reference).content?.['application/json']?.examples ?? {};
    return Object.values(shown).map(({ value }) => ({ status, codigo: value['codigo'] as FailureCode, body: value }));
  });
}

it('the document passes every recommended rule of a public linter, and each example matches its schema', async () => {
  const rules = { 'no-invalid-schema-examples': 'error', 'no-invalid-parameter-examples': 'error' } as const;
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source: TEXT, config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

it.each(ROUTES)('$operation asks for a key unless it is public, and names its scope', ({ method, path, scope }) => {
  const { security, description } = operationAt(method, path);
  expect(security).toEqual(scope === 'public' ? [] : [{ chave: [] }, { bearer: [] }]);
  expect(description).toContain(SCOPE_WORDS[scope]);
});

it.each(ROUTES)('$operation has the parameters of its path and of its idempotency', (route) => {
  const parameters = operationAt(route.method, route.path).parameters ?? [];
  const named = (name: string) => parameters.find((parameter) => parameter.name === name);
  expect(named('id')?.required).toBe(route.path.includes('{id}') ? true : undefined);
  const required = { none: undefined, optional: false, required: true }[route.idempotency];
  expect(named('Idempotency-Key')?.required).toBe(required);
  const kept = { none: '', optional: '24 horas', required: '30 dias' }[route.idempotency];
  expect(named('Idempotency-Key')?.description ?? '').toContain(kept);
});

it.each(ROUTES)('$operation documents X-Request-Id, the headers of the rate and Idempotent-Replay', (route) => {
  for (const [status, reference] of Object.entries(operationAt(route.method, route.path).responses)) {
    const { headers = {} } = responseOf(reference);
    expect(headers['X-Request-Id']).toEqual({ $ref: '#/components/headers/X-Request-Id' });
    const rated = route.scope !== 'public' && status !== 'default' && status !== '401';
    if (rated) expect(Object.keys(headers)).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
    const replayed = route.idempotency !== 'none' && status.startsWith('2');
    if (replayed) expect(headers).toHaveProperty('Idempotent-Replay');
  }
});

it('each id in an answer has links to the operations that take it', () => {
  const linked = new Set<string>();
  for (const operation of ALL_OPERATIONS)
    for (const response of Object.values(operation.responses).map(responseOf)) {
      const [example] = Object.values(response.content?.['application/json']?.examples ?? {});
      for (const { operationId, parameters } of Object.values(response.links ?? {})) {
        const path = parameters.id.replace('$response.body#/', '').split('/');
        const id = path.reduce<unknown>((value, step) => (value as Json | undefined)?.[step], example!.value);
        const { pathId } = ROUTES.find(({ operation }) => operation === operationId)!;
        expect(typeof id, operationId).toBe(pathId === 'event' ? 'string' : 'number');
        linked.add(operationId);
      }
    }
  const taking = ROUTES.filter(({ path }) => path.includes('{id}')).map(({ operation }) => operation);
  expect(Array.from(linked).sort()).toEqual(taking.sort());
});

describe('failures in the document', () => {
  const OURS = ['erro_interno', 'servico_indisponivel', 'tempo_esgotado'];
  const PUBLIC = ['campo_invalido', 'rate_limited', 'sem_permissao', ...OURS];
  const ALWAYS = ['auth_invalid', ...PUBLIC];
  const BODY = [...ALWAYS, 'corpo_muito_grande', 'json_invalido', 'tipo_nao_suportado'];
  const ONCE = ['idempotencia_em_andamento', 'idempotency_conflito'];
  const ANYWHERE = ['metodo_nao_permitido', 'rota_nao_encontrada'];

  it.each([
    ['GET', '/v1/leads/{id}', [...ALWAYS, 'nao_encontrado']],
    ['PATCH', '/v1/leads/{id}', [...BODY, 'campo_nao_alteravel', 'nao_encontrado']],
    ['POST', '/v1/simulacoes', [...BODY, ...ONCE, 'banco_invalido', 'campo_obrigatorio', 'lead_nao_encontrado']],
    ['POST', '/v1/webhooks/entregas/{id}/reenvio', [...BODY, 'nao_encontrado']],
    ['GET', '/v1/me', ALWAYS],
    ['GET', '/health', PUBLIC],
  ])('the document lists the failures of %s %s: %j', (method, path, codes) => {
    const found = new Set(errorsOf(operationAt(method, path)).map(({ codigo }) => codigo));
    expect([...found].sort()).toEqual([...codes, ...ANYWHERE].sort());
  });

  it('each codigo but operador_falhou is in an example, with its status, and in the schema of the answer', () => {
    const seen = new Set<string>();
    for (const operation of ALL_OPERATIONS)
      for (const { status, codigo } of errorsOf(operation)) {
        seen.add(codigo);
        if (status !== 'default') expect(status, codigo).toBe(String(FAILURES[codigo].status));
        const { schema } = responseOf(operation.responses[status]!).content!['application/json']!;
        expect(JSON.stringify(schema['allOf'])).toContain(`"${codigo}"`);
      }
    expect([...seen, 'operador_falhou'].sort()).toEqual([...FAILURE_CODES].sort());
  });

  it('the examples of failures have the texts that the service writes', () => {
    const general = FAILURE_CODES.map((code) => generalCase(code).failure.text);
    const ownTexts = Object.values(OPERATIONS)
      .flatMap(({ failures = [] }) => failures.map(([, { text }]) => text))
      .concat(general);
    for (const { codigo, body } of ALL_OPERATIONS.flatMap(errorsOf)) {
      const text = ownTexts.find((own) => own === body['erro']);
      const campos = body['campos'] as { campo: string; motivo: string }[] | undefined;
      const fields = campos?.map(({ campo, motivo }) => ({ field: campo, reason: motivo }));
      const failure = new Failure(codigo, { ...(fields && { fields }), ...(text && { text }) });
      expect(body).toEqual(failureAnswer(failure, examples.REQUEST_ID).body);
    }
  });
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
ajv.addSchema(DOCUMENT, 'contract');

it('the patterns use only syntax that every language has', () => expect(TEXT).not.toMatch(/\\\\p\{/i));

it('the pattern of telefone refuses no phone that the service accepts', () => {
  const validate = ajv.compile({ $ref: 'contract#/components/schemas/LeadNovo/properties/telefone' });
  const digit = fc.constantFrom(...'0123456789');
  const mark = fc.constantFrom('', ...'–_[]·‑ ()+./-\u00a0|^');
  const gap = fc.oneof({ weight: 30, arbitrary: mark }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) });
  const written = fc.tuple(gap, fc.array(fc.tuple(digit, gap), { minLength: 7, maxLength: 16 }));
  let taken = 0;
  fc.assert(
    fc.property(written, (parts) => {
      const text = parts.flat(2).join('');
      if (!phone().safeParse(text).success) return;
      taken += 1;
      // White space of any kind around a text is trimmed.
      expect(validate(text.trim())).toBe(true);
    }),
    { numRuns: 500, examples: [[['\t', Array(8).fill(['0', ''])]]] },
  );
  expect(taken).toBeGreaterThan(20);
});

it.each<[what: string, where: string, taken: unknown, refused: unknown]>([
  ['control characters in a line', 'LeadNovo/properties/nome', 'Ana Lima', 'Ana\u0085Lima'],
  ['control characters in a note', 'LeadNovo/properties/observacao', 'Liga\n\tà tarde', 'Liga\u000bà tarde'],
  ['control characters in a phone', 'LeadNovo/properties/telefone', '11 90000-0001', '11\u001b90000-0001'],
  ['a number above 2^53', 'SimulacaoNova/properties/lead_id', 2 ** 53 - 1, 2 ** 53],
  [
    'both ways to name systems',
    'SimulacaoNova',
    { ...bodies.newSimulation, sistemas: [] },
    { ...bodies.newSimulation, sistemas: ['SAC'] },
  ],
])('the document refuses %s, as the service does', (_, where, taken, refused) => {
  const validate = ajv.compile({ $ref: `contract#/components/schemas/${where}` });
  expect([taken, refused].map((value) => validate(value))).toEqual([true, false]);
});

describe('examples in the document', () => {
  it('every body has an example', () => {
    for (const { method, path, operation, tag } of ROUTES) {
      const { requestBody, responses } = operationAt(method, path);
      // These bodies have no fields.
      const asks = method !== 'GET' && !['resend-delivery', 'reset-sandbox', 'test-webhook'].includes(operation);
      expect(requestBody !== undefined, operation).toBe(asks);
      const answers = tag === 'docs' ? [] : Object.values(responses).map(responseOf);
      // A document of bytes has no example.
      for (const content of [requestBody?.content, ...answers.map((answer) => answer.content ?? {})])
        if (content && !content['application/pdf'])
          expect(Object.keys(content['application/json']?.examples ?? {}), operation).not.toEqual([]);
    }
  });

  it('the moments in examples have passed, so that the service accepts a copied body', () => {
    const moments = TEXT.match(/"\d{4}-\d{2}-\d{2}T[^"\\]*"/g)!.map((text) => Date.parse(JSON.parse(text)));
    expect(moments.length).toBeGreaterThan(20);
    expect(moments.filter((moment) => !(moment < Date.now()))).toEqual([]);
  });

  it.each(Object.entries(OPERATIONS).filter(([, { body }]) => body))(
    'the service accepts the example bodies of %s',
    (_, { body }) => {
      for (const [, value] of Object.values(body!.examples)) expect(() => body!.read(value as Json)).not.toThrow();
    },
  );

  const properties = Object.entries(DOCUMENT.components.schemas).flatMap(([name, schema]) =>
    propertiesIn(schema).map(([field, property]) => ({ place: `${name}.${field}`, field, property })),
  );
  function propertiesIn(schema: unknown): [string, Json][] {
    if (typeof schema !== 'object' || schema === null) return [];
    const { properties, items } = schema as { properties?: Record<string, Json>; items?: Json };
    const own = Object.entries(properties ?? {});
    return [...own, ...own.flatMap(([, property]) => propertiesIn(property)), ...propertiesIn(items)];
  }

  it('every property that holds a value has an example', () => {
    const bare = properties.filter(({ property }) => {
      const says = 'examples' in property || 'const' in property || '$ref' in property;
      return !says && !['object', 'array'].includes(String([property['type']].flat()[0]));
    });
    expect(bare.map(({ place }) => place)).toEqual([]);
  });

  it('every field has a description that says more than its name', () => {
    const letters = (text: string) => text.normalize('NFD').replace(/[^a-z]/gi, '');
    const poor = properties.filter(({ field, property }) => {
      const description = String(property['description'] ?? '');
      return !('$ref' in property) && (description.length <= 12 || letters(description) === letters(field));
    });
    expect(poor.map(({ place }) => place)).toEqual([]);
  });

  it('the examples tell one story with one lead, one simulation and one submission', () => {
    const answers = [examples.leadAnswer, examples.leadChanged, examples.simulation.simulacao];
    for (const body of [...answers, bodies.newSimulation, bodies.newAnalysis, examples.resultEvent.data])
      expect(body.lead_id).toBe(examples.lead.lead.lead_id);
    const submitted = examples.analysesAnswer.analises.map(({ analise_id }) => analise_id);
    const listed = examples.leadAnalyses.analises.map(({ analise_id }) => analise_id);
    expect(listed.toSorted()).toEqual(submitted.toSorted());
    expect(examples.leadConsents.consentimentos[0]?.analise_ids).toEqual(submitted);
    expect(examples.resultEvent.data).toMatchObject(examples.analysisApproved.analise);
    expect(submitted).not.toContain(examples.errorEvent.data.analise_id);
  });

  it('the test CPFs force the outcomes that the introduction names', () => {
    const rows = [...DOCUMENT.info.description.matchAll(/^\| (9[\d.-]+) \| (\S+)/gm)];
    const said = 'aprovado condicionado recusado cancelado erro continua aprovado a aprovado; continua'.split(' ');
    expect(rows.map(([, , word]) => word)).toEqual(said);
    expect(rows.map(([, cpf]) => forcedOutcome(cpf!))).toEqual(Object.values(TEST_CPFS));
  });
});

it('the schemas of answers allow fields that later versions add', () => {
  expect(TEXT.includes('additionalProperties')).toBe(false);
});

it('the schema of a submission requires the consent, and the spouse of a couple', () => {
  const { required, ...schema } = DOCUMENT.components.schemas['AnaliseNova'] as { required: string[] };
  const consent = ['consentimento', 'consentimento_timestamp', 'consentimento_ip', 'consentimento_canal'];
  expect(required).toEqual(expect.arrayContaining([...consent, 'bancos']));
  expect(required).not.toContain('telefone');
  const validate = ajv.compile({ $ref: 'contract#/components/schemas/AnaliseNova' });
  const { newAnalysis, newAnalysisOfCouple } = bodies;
  const { conjuge_cpf: _, ...lacking } = newAnalysisOfCouple;
  expect([newAnalysis, newAnalysisOfCouple, lacking].map((body) => validate(body))).toEqual([true, true, false]);
  // Generators make types of their own from alternatives next to properties.
  expect(Object.keys(schema)).not.toEqual(expect.arrayContaining([expect.stringMatching(/Of$/)]));
});

it('the document has the webhooks of all events, and of the manager’s test', () => {
  expect(Object.keys(DOCUMENT.webhooks).sort()).toEqual([...BOOKED_TYPES, TEST_EVENT].sort());
});

it.each([
  ['analise.resultado', examples.resultEvent],
  ['analise.erro', examples.errorEvent],
  ['conta.alterada', examples.accountEvent],
  ['webhook.teste', examples.pingEvent],
] as const)('the webhook %s has the headers that the service sends', (type, body) => {
  const text = JSON.stringify(body);
  const bytes = Buffer.from(text);
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const secrets = { secret, previousSecret: secret, previousUntil: examples.STORY_NOW + 1 };
  const eventId = body.id as Parameters<typeof sign>[1]['eventId'];
  const headers = sign(secrets, { eventId, type, body: bytes, attempt: 1 }, examples.STORY_NOW);
  eventMatchesContract(headers, text);

  const documented = DOCUMENT.webhooks[type]!.post.parameters!.map(({ name }) => name);
  expect(documented.sort()).toEqual(Object.keys(headers).sort());
  const { 'webhook-id': _id, ...lacking } = headers;
  expect(() => eventMatchesContract(lacking, text)).toThrow('lacks the header webhook-id');
});
