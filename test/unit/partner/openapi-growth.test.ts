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
  const { request, answer, event, responses, parameters, paths } = given;
  const content = (schema: object) => ({ content: { 'application/json': { schema } } });
  const operation = {
    parameters,
    requestBody: content({ $ref: '#/components/schemas/Request' }),
    responses: Object.fromEntries(responses.map((status) => [status, content(answer)])),
  };
  return {
    paths: Object.fromEntries(paths.map((path) => [path, { post: operation }])),
    webhooks: { result: { post: { requestBody: content(event) } } },
    components: { schemas: { Request: request } },
  };
}

function parts() {
  return {
    paths: ['/v1/leads', '/v1/simulacoes'],
    responses: ['200', '422'],
    parameters: [{ name: 'limit', in: 'query', required: false }],
    request: {
      type: 'object',
      properties: {
        nome: { type: ['string', 'null'] },
        uf: { type: 'string', enum: ['SP', 'RJ'] },
      } as Record<string, object>,
      required: ['nome'],
    },
    answer: {
      type: 'object',
      properties: { ok: { const: true }, codigo: { enum: ['lead_apagado', 'campo_invalido'] } } as Record<
        string,
        object
      >,
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
    const grown = documentWith(({ paths, responses, parameters, request, answer, event }) => {
      paths.push('/v1/novo');
      responses.push('409');
      parameters.push({ name: 'offset', in: 'query', required: false });
      request.properties['cep'] = { type: 'string' };
      request.properties['uf'] = { type: 'string', enum: ['SP', 'RJ', 'MG'] };
      answer.properties['lead_id'] = { type: 'integer' };
      event.properties['tipo'] = { type: 'string', 'x-extensible-enum': ['a', 'b', 'c'] };
      event.required.push('tipo');
    });
    expect(lossesBetween(documentWith(), grown)).toEqual([]);
  });

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
  ];
  it.each(bad)('%s is refused with a sentence that names it', (_, change, sentence) => {
    expect(lossesBetween(documentWith(), documentWith(change))).toContain(sentence);
  });

  it('each field that disappears from the partners’ document is reported', () => {
    const text = readFileSync(FILE, 'utf8');
    const renamed: OpenapiDocument = JSON.parse(text.replaceAll('"reaproveitado"', '"reusado"'));
    const losses = lossesBetween(readDocument(FILE), renamed);
    expect(losses).toContain('POST /v1/leads, answer 200: the field reaproveitado was removed');
    expect(losses).toContain('POST /v1/leads, answer 201: the field reaproveitado was removed');
  });
});
