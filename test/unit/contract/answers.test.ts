import { expect, it } from 'vitest';
import { failureAnswer } from '#shared/contract/failures.ts';
import { Failure, type FailureCode } from '#shared/domain/values/failure.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };
import { matchesContract } from '#test/makers/answers.ts';

// The operations' tests and the document's own examples show that documented answers and events pass.
const { value } = document.paths['/v1/leads/{id}'].get.responses[200].content['application/json'].examples.lead;
const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Request-Id': 'UmP5IGkXmjQEaRw=',
  'RateLimit-Policy': '"padrao";q=120;w=60',
  RateLimit: '"padrao";r=119;t=30',
};
const error = (code: FailureCode) => failureAnswer(new Failure(code), HEADERS['X-Request-Id']).body;
const LEAD = 'GET /v1/leads/{id}';

it.each<[call: string, status: number, body: unknown, headers: object, why: string]>([
  [LEAD, 200, value, { RateLimit: undefined }, 'lacks the header RateLimit'],
  [LEAD, 200, value, { RateLimit: '119' }, 'wrong header RateLimit'],
  [LEAD, 200, value, { 'Content-Type': 'text/html' }, 'media type text/html'],
  [LEAD, 200, '', {}, 'has no body'],
  [LEAD, 200, { ok: true }, {}, 'GET /v1/leads/{id} -> 200: the answer has a body that breaks its schema: / must have'],
  [LEAD, 200, { ...value, lead: { ...value.lead, senha: 1 } }, {}, 'unevaluated'],
  [LEAD, 404, error('banco_invalido'), {}, '/codigo'],
  [LEAD, 404, { ...error('nao_encontrado'), request_id: 'x' }, {}, 'X-Request-Id'],
  [LEAD, 201, value, {}, 'status that is not documented'],
  ['PUT /v1/leads', 405, error('metodo_nao_permitido'), {}, 'lacks the header Allow'],
  ['GET /openapi.json', 304, { a: 1 }, { ETag: '"a"', 'Cache-Control': 'public' }, 'has a body'],
])('matchesContract refuses the answer of %s with status %i: %j, %j', (call, status, body, headers, why) => {
  const [method = '', path = ''] = call.split(' ');
  expect(() => matchesContract(method, path, status, { ...HEADERS, ...headers }, body)).toThrow(why);
});
