import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lossesBetween, type OpenapiDocument } from '#test/makers/openapi-growth.ts';

const FILE = new URL(import.meta.resolve('#shared/partner/openapi/openapi.json'));

/** Reads an OpenAPI document from a file, for example of a recorded release. */
const readDocument = (file: URL): OpenapiDocument => JSON.parse(readFileSync(file, 'utf8'));

/** Returns a small document, of which `change` has changed a part. */
function documentWith(change: (given: ReturnType<typeof parts>) => void = () => {}): OpenapiDocument {
  const given = parts();
  change(given);
  const { request, answer, event, responses, parameters, paths, security, scheme } = given;
  const content = (schema: object) => ({ content: { 'application/json': { schema } } });
  const operation = {
    parameters,
    security,
    requestBody: content({ $ref: '#/components/schemas/Request' }),
    responses: Object.fromEntries(responses.map((status) => [status, content(answer)])),
  };
  return {
    paths: Object.fromEntries(paths.map((path) => [path, { post: operation }])),
    webhooks: { result: { post: { requestBody: content(event) } } },
    components: { schemas: { Request: request }, securitySchemes: { chave: scheme } },
  };
}

function parts() {
  return {
    paths: ['/v1/leads', '/v1/simulacoes'],
    responses: ['200', '422'],
    parameters: [
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 100, default: 20 } as object },
    ],
    security: [{ chave: [] }, { bearer: [] }] as Record<string, string[]>[],
    scheme: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The key.' },
    request: {
      type: 'object',
      properties: {
        nome: { type: ['string', 'null'] },
        uf: { type: 'string', enum: ['SP', 'RJ'] },
        cidade: { type: 'string', minLength: 2, maxLength: 200 },
        telefone: { type: 'string', pattern: '^\\d{8,15}$' },
        nascimento: { type: 'string', format: 'date' },
        bancos: { type: 'array', minItems: 1, maxItems: 60, items: { type: 'string' } },
        renda: { type: 'number', minimum: 0 },
      } as Record<string, object>,
      required: ['nome'],
    },
    answer: {
      type: 'object',
      properties: {
        ok: { const: true },
        codigo: { enum: ['lead_apagado', 'campo_invalido'] },
        em: { type: 'string', format: 'date-time' },
      } as Record<string, object>,
      required: ['ok'],
    },
    event: {
      type: 'object',
      properties: { id: { type: 'string' }, tipo: { type: 'string', 'x-extensible-enum': ['a', 'b'] } } as Record<
        string,
        object
      >,
      required: ['id'],
    },
  };
}

describe('lossesBetween', () => {
  it('the partners’ document compared with itself has no loss', () => {
    expect(lossesBetween(readDocument(FILE), readDocument(FILE))).toEqual([]);
  });

  it('a document that only grows has no loss', () => {
    const grown = documentWith(({ paths, responses, parameters, request, answer, event, security, scheme }) => {
      paths.push('/v1/novo');
      responses.push('409');
      parameters.push({ name: 'offset', in: 'query', required: false, schema: { type: 'integer', default: 0 } });
      parameters[0]!.schema = { type: ['integer', 'string'], maximum: 200, default: 20, pattern: '^all$' };
      security.push({ oauth: ['read'] });
      scheme.description = 'The key of the partner.';
      request.properties['cep'] = { type: 'string' };
      request.properties['uf'] = { type: 'string', enum: ['SP', 'RJ', 'MG'] };
      request.properties['cidade'] = { type: 'string', maxLength: 300 };
      request.properties['telefone'] = { type: 'string', pattern: '^[+]?\\d{8,20}$' };
      request.properties['nascimento'] = { type: 'string' };
      request.properties['bancos'] = { type: 'array', maxItems: 90, items: { type: 'string' } };
      request.properties['renda'] = { type: ['number', 'string'], minimum: -1, maxLength: 20 };
      answer.properties['lead_id'] = { type: 'integer' };
      event.properties['tipo'] = { type: 'string', 'x-extensible-enum': ['a', 'b', 'c'] };
      event.required.push('tipo');
    });
    expect(lossesBetween(documentWith(), grown)).toEqual([]);
  });

  const NARROWER: Readonly<Record<string, readonly [object, string][]>> = {
    cidade: [
      [{ type: 'string', minLength: 3, maxLength: 200 }, 'minLength was 2, and is now 3'],
      [{ type: 'string', minLength: 2, maxLength: 100 }, 'maxLength was 200, and is now 100'],
      [{ type: 'string', pattern: '^[a-z]+$' }, 'only texts of a pattern are accepted now'],
      [{ type: 'string', format: 'date' }, 'only texts of a format are accepted now'],
    ],
    bancos: [
      [{ type: 'array', minItems: 2 }, 'minItems was 1, and is now 2'],
      [{ type: 'array', maxItems: 30 }, 'maxItems was 60, and is now 30'],
    ],
    renda: [
      [{ type: 'number', minimum: 1 }, 'minimum was 0, and is now 1'],
      [{ type: 'number', maximum: 9 }, 'maximum was not set, and is now 9'],
      [{ type: 'number', exclusiveMinimum: 0 }, 'exclusiveMinimum was not set, and is now 0'],
      [{ type: 'number', exclusiveMaximum: 9 }, 'exclusiveMaximum was not set, and is now 9'],
    ],
    nascimento: [[{ type: 'string', format: 'date-time' }, 'the format date is no longer accepted']],
  };
  const bad: [string, Parameters<typeof documentWith>[0], string][] = [
    ['a removed path', ({ paths }) => void paths.pop(), 'the path /v1/simulacoes was removed'],
    ['a removed status', ({ responses }) => void responses.pop(), 'POST /v1/leads: the answer 422 was removed'],
    [
      'a removed field of a request',
      ({ request }) => void delete request.properties['uf'],
      'POST /v1/leads, request: the field uf was removed',
    ],
    [
      'a removed field of an answer',
      ({ answer }) => void delete answer.properties['codigo'],
      'POST /v1/leads, answer 200: the field codigo was removed',
    ],
    [
      'a removed field of a webhook',
      ({ event }) => void delete event.properties['id'],
      'the webhook result, request: the field id was removed',
    ],
    [
      'a removed value',
      ({ request }) => {
        request.properties['uf'] = { type: 'string', enum: ['SP'] };
      },
      'POST /v1/leads, request: uf: the value "RJ" was removed',
    ],
    [
      'a removed code',
      ({ answer }) => {
        answer.properties['codigo'] = { enum: ['campo_invalido'] };
      },
      'POST /v1/leads, answer 422: codigo: the value "lead_apagado" was removed',
    ],
    [
      'a new value in a closed list of an answer',
      ({ answer }) => {
        answer.properties['codigo'] = { enum: ['campo_invalido', 'lead_apagado', 'outro'] };
      },
      'POST /v1/leads, answer 422: codigo: the value "outro" is new in a closed list',
    ],
    [
      'a removed value of a list that may grow',
      ({ event }) => {
        event.properties['tipo'] = { type: 'string', 'x-extensible-enum': ['b'] };
      },
      'the webhook result, request: tipo: the value "a" was removed',
    ],
    [
      'an optional field that became required',
      ({ request }) => void request.required.push('uf'),
      'POST /v1/leads, request: the field uf became required',
    ],
    [
      'a new required field of a request',
      ({ request }) => {
        request.properties['cep'] = { type: 'string' };
        request.required.push('cep');
      },
      'POST /v1/leads, request: the field cep is new and required',
    ],
    [
      'a parameter that became required',
      ({ parameters }) => {
        parameters[0]!.required = true;
      },
      'POST /v1/leads: the parameter query limit became required',
    ],
    [
      'a field of an answer that may be missing now',
      ({ answer }) => void answer.required.pop(),
      'POST /v1/leads, answer 200: the field ok may be missing now',
    ],
    [
      'a type that is no longer accepted',
      ({ request }) => {
        request.properties['nome'] = { type: 'string' };
      },
      'POST /v1/leads, request: nome: the type null is no longer accepted',
    ],
    ...Object.entries(NARROWER).flatMap(([name, changes]) =>
      changes.map(([schema, loss]): (typeof bad)[number] => [
        `${JSON.stringify(schema)} for the field ${name} of a request`,
        ({ request }) => {
          request.properties[name] = schema;
        },
        `POST /v1/leads, request: ${name}: ${loss}`,
      ]),
    ),
    [
      'another default of a parameter',
      ({ parameters }) => {
        parameters[0]!.schema = { type: 'integer', maximum: 100, default: 50 };
      },
      'POST /v1/leads: the parameter query limit: the default is no longer 20',
    ],
    [
      'another format of an answer',
      ({ answer }) => {
        answer.properties['em'] = { type: 'string', format: 'date' };
      },
      'POST /v1/leads, answer 200: em: the format date is new',
    ],
    [
      'a format of an answer that is gone',
      ({ answer }) => {
        answer.properties['em'] = { type: 'string' };
      },
      'POST /v1/leads, answer 200: em: the format date-time was removed',
    ],
    [
      'a way to sign in that is gone',
      ({ security }) => void security.pop(),
      'POST /v1/leads: the security {"bearer":[]} is no longer accepted',
    ],
    [
      'another header for the key',
      ({ scheme }) => {
        scheme.name = 'X-Key';
      },
      'the security scheme chave was removed or changed',
    ],
  ];
  it.each(bad)('%s is refused with a sentence that names it', (_, change, sentence) => {
    expect(lossesBetween(documentWith(), documentWith(change))).toContain(sentence);
  });

  it('a pattern of a request that takes fewer texts is refused with such a text', () => {
    const narrow = documentWith(({ request }) => {
      request.properties['telefone'] = { type: 'string', pattern: '^[1-9]\\d{7,14}$' };
    });
    expect(lossesBetween(documentWith(), narrow)).toContainEqual(
      expect.stringMatching(/^POST \/v1\/leads, request: telefone: the text "0\d{7,}" no longer fits the pattern$/),
    );
  });

  it('a key that an open operation comes to need is reported as a loss', () => {
    const open = documentWith(({ security }) => void security.splice(0));
    expect(lossesBetween(open, documentWith())).toContain('POST /v1/leads: the security {} is no longer accepted');
    expect(lossesBetween(documentWith(), open)).not.toContainEqual(expect.stringContaining('bearer'));
  });

  it('each field that disappears from the partners’ document is reported', () => {
    const text = readFileSync(FILE, 'utf8');
    const renamed: OpenapiDocument = JSON.parse(text.replaceAll('"reaproveitado"', '"reusado"'));
    const losses = lossesBetween(readDocument(FILE), renamed);
    expect(losses).toContain('POST /v1/leads, answer 200: the field reaproveitado was removed');
    expect(losses).toContain('POST /v1/leads, answer 201: the field reaproveitado was removed');
  });
});
