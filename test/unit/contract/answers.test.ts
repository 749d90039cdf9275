import { describe, expect, it } from 'vitest';
import { failureAnswer } from '../../../shared/contract/failures.ts';
import { Failure, type FailureCode } from '../../../shared/domain/values/failure.ts';
import document from '../../../shared/partner/openapi/openapi.json' with { type: 'json' };
import { eventMatchesContract, matchesContract } from '../../makers/answers.ts';

const { paths, webhooks } = document;
const { lead: leadExample } = paths['/v1/leads/{id}'].get.responses[200].content['application/json'].examples;
const REQUEST_ID = 'UmP5IGkXmjQEaRw=';
const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Request-Id': REQUEST_ID,
  'RateLimit-Policy': '"padrao";q=120;w=60',
  RateLimit: '"padrao";r=119;t=30',
};
const error = (code: FailureCode) => failureAnswer(new Failure(code), REQUEST_ID).body;
type Answered = readonly [status: number, body: unknown, headers?: Record<string, string | undefined> | Headers];
/** The check of an answer to a call, written "GET /v1/leads/{id}". */
const answered = (call: string, ...[status, body, headers = HEADERS]: Answered) => {
  const [method = '', path = ''] = call.split(' ');
  return () => matchesContract(method, path, status, headers, body);
};
const LEAD = 'GET /v1/leads/{id}';

describe('an answer as documented', () => {
  const { value: up } = paths['/health'].get.responses[200].content['application/json'].examples.de_pe;
  const lowerCase = Object.fromEntries(Object.entries(HEADERS).map(([name, text]) => [name.toLowerCase(), text]));

  it.each<[string, string, Answered]>([
    ['as JSON', LEAD, [200, leadExample.value]],
    ['as text', LEAD, [200, JSON.stringify(leadExample.value), new Headers(HEADERS)]],
    ['with headers in lower case', LEAD, [200, leadExample.value, lowerCase]],
    ['as a failure that the operation can answer', LEAD, [404, error('nao_encontrado')]],
    ['without a rate where there is no key', 'GET /health', [200, up]],
    ['where no operation is', 'GET /v1/nada', [404, error('rota_nao_encontrada')]],
    ['as 405', 'PUT /v1/leads', [405, error('metodo_nao_permitido'), { ...HEADERS, Allow: 'POST' }]],
  ])('passes %s', (_, call, answer) => {
    expect(answered(call, ...answer)).not.toThrow();
  });
});

describe('an answer that is not as documented', () => {
  const { lead } = leadExample.value;
  const found = (changes: object, headers = {}): Answered => [
    200,
    { ...leadExample.value, ...changes },
    { ...HEADERS, ...headers },
  ];
  const lacking = (code: FailureCode, changes = {}): Answered => [404, { ...error(code), ...changes }];
  const inFlight = error('idempotencia_em_andamento');
  const held = { ...HEADERS, ETag: '"a"', 'Cache-Control': 'public' };

  it.each<[string, string, Answered, string]>([
    ['a header is missing', LEAD, found({}, { RateLimit: undefined }), 'lacks the header RateLimit'],
    ['the request id is missing', LEAD, found({}, { 'X-Request-Id': undefined }), 'lacks the header X-Request-Id'],
    ['a header is malformed', LEAD, found({}, { RateLimit: '119' }), 'wrong header RateLimit'],
    ['another media type', LEAD, found({}, { 'Content-Type': 'text/html' }), 'media type text/html'],
    ['no body', LEAD, [200, ''], 'has no body'],
    ['a missing field', LEAD, [200, { ok: true }], "must have required property 'lead'"],
    ['a wrong type', LEAD, found({ lead: { ...lead, renda: '1' } }), '/lead/renda'],
    ['a malformed date', LEAD, found({ lead: { ...lead, data_nascimento: '14/03/1988' } }), 'format'],
    ['a field that is not documented', LEAD, found({ senha: 1 }), 'unevaluated'],
    ['one deeper down', LEAD, found({ lead: { ...lead, senha: 1 } }), 'unevaluated'],
    ['a failure of other operations', LEAD, lacking('banco_invalido'), '/codigo'],
    ['a failure of another status', LEAD, lacking('nao_encontrado', { codigo: 'campo_invalido' }), '/codigo'],
    ['another request id', LEAD, lacking('nao_encontrado', { request_id: 'x' }), 'X-Request-Id'],
    ['a status that is not documented', LEAD, [201, leadExample.value], 'status that is not documented'],
    ['no Retry-After on 409', 'POST /v1/leads', [409, inFlight], 'lacks the header Retry-After'],
    [
      'a Retry-After that is no number',
      'POST /v1/leads',
      [409, inFlight, { ...HEADERS, 'Retry-After': 'logo' }],
      'wrong header Retry-After',
    ],
    ['success where no operation is', 'GET /v1/nada', [200, { ok: true }], 'breaks its schema'],
    ['a 405 without Allow', 'PUT /v1/leads', [405, error('metodo_nao_permitido')], 'lacks the header Allow'],
    ['a body on 304', 'GET /openapi.json', [304, { a: 1 }, held], 'has a body'],
  ])('fails: %s', (_, call, answer, why) => {
    expect(answered(call, ...answer)).toThrow(why);
  });

  it('is told with the call that it answered', () => {
    expect(answered(LEAD, 200, { ok: true })).toThrow('GET /v1/leads/{id} -> 200: the answer has a body');
  });
});

describe('an event that is not as documented', () => {
  const body = webhooks['analise.resultado'].post.requestBody.content['application/json'].examples.aprovado.value;
  const headers = {
    'X-Service-Event': body.type,
    'X-Service-Attempt': '1',
    'X-Service-Signature': `sha256=${'0'.repeat(64)}`,
    'webhook-id': body.id,
    'webhook-timestamp': '1763640000',
    'webhook-signature': 'v1,1Hz+JptKZkxc8qG8CFlv1P+F4jTy01qUTSM/VSJo3p4=',
  };
  const arrived =
    (changed: object, others: object = {}) =>
    () =>
      eventMatchesContract({ ...headers, ...others }, JSON.stringify({ ...body, ...changed }));

  it('is told apart from one that is', () => {
    expect(arrived({})).not.toThrow();
  });

  const ANOTHER = { type: 'analise.erro' };
  it.each<[string, object, object, string]>([
    ['an unknown type', { type: 'lead.criado' }, {}, 'not documented'],
    ['the type of another event', ANOTHER, { 'X-Service-Event': 'analise.erro' }, 'breaks its schema'],
    ['a situation that is no outcome', { data: { ...body.data, situacao: 'em_analise' } }, {}, '/data/situacao'],
    ['personal data', { data: { ...body.data, cpf: '900.000.001-75' } }, {}, 'unevaluated'],
    ['an upper-case signature', {}, { 'X-Service-Signature': `sha256=${'A'.repeat(64)}` }, 'X-Service-Signature'],
    ['another id in the header', {}, { 'webhook-id': 'evt_x' }, 'webhook-id'],
    ['another type in the header', {}, { 'X-Service-Event': 'analise.erro' }, 'X-Service-Event'],
  ])('fails: %s', (_, changed, others, why) => {
    expect(arrived(changed, others)).toThrow(why);
  });
});
