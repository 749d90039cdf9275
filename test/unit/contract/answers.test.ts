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
const leadFound = (headers: Record<string, string> | Headers, body: unknown) => () =>
  matchesContract('GET', '/v1/leads/{id}', 200, headers, body);
const leadLacking = (body: unknown) => () => matchesContract('GET', '/v1/leads/{id}', 404, HEADERS, body);

describe('an answer as documented', () => {
  it('passes, as text and as JSON, with headers in any case', () => {
    const lowerCase = Object.fromEntries(Object.entries(HEADERS).map(([name, text]) => [name.toLowerCase(), text]));
    for (const answered of [
      leadFound(HEADERS, leadExample.value),
      leadFound(new Headers(HEADERS), JSON.stringify(leadExample.value)),
      leadFound(lowerCase, leadExample.value),
    ])
      expect(answered).not.toThrow();
  });

  it('passes as a failure that the operation can answer', () => {
    expect(leadLacking(error('nao_encontrado'))).not.toThrow();
    expect(() =>
      matchesContract(
        'GET',
        '/health',
        200,
        HEADERS,
        paths['/health'].get.responses[200].content['application/json'].examples.de_pe.value,
      ),
    ).not.toThrow();
  });

  it('passes where no operation is', () => {
    const allowing = { ...HEADERS, Allow: 'POST' };
    for (const answered of [
      () => matchesContract('GET', '/v1/nada', 404, HEADERS, error('rota_nao_encontrada')),
      () => matchesContract('PUT', '/v1/leads', 405, allowing, error('metodo_nao_permitido')),
    ])
      expect(answered).not.toThrow();
  });
});

describe('an answer that is not as documented', () => {
  const { RateLimit: _rate, ...unrated } = HEADERS;
  const { 'X-Request-Id': _id, ...unnamed } = HEADERS;
  const { lead } = leadExample.value;

  it.each([
    ['a header is missing', leadFound(unrated, leadExample.value), 'lacks the header RateLimit'],
    ['the request id is missing', leadFound(unnamed, leadExample.value), 'lacks the header X-Request-Id'],
    ['a header is malformed', leadFound({ ...HEADERS, RateLimit: '119' }, leadExample.value), 'wrong header RateLimit'],
    [
      'another media type',
      leadFound({ ...HEADERS, 'Content-Type': 'text/html' }, leadExample.value),
      'media type text/html',
    ],
    ['no body', leadFound(HEADERS, ''), 'has no body'],
    ['a missing field', leadFound(HEADERS, { ok: true }), "must have required property 'lead'"],
    ['a wrong type', leadFound(HEADERS, { ok: true, lead: { ...lead, renda: '1' } }), '/lead/renda'],
    ['a malformed date', leadFound(HEADERS, { ok: true, lead: { ...lead, data_nascimento: '14/03/1988' } }), 'format'],
    ['a field that is not documented', leadFound(HEADERS, { ...leadExample.value, senha: 1 }), 'unevaluated'],
    ['one deeper down', leadFound(HEADERS, { ok: true, lead: { ...lead, senha: 1 } }), 'unevaluated'],
    ['a failure of other operations', leadLacking(error('banco_invalido')), '/codigo'],
    ['a failure of another status', leadLacking({ ...error('nao_encontrado'), codigo: 'campo_invalido' }), '/codigo'],
    ['another request id', leadLacking({ ...error('nao_encontrado'), request_id: 'x' }), 'X-Request-Id'],
    [
      'a status that is not documented',
      () => matchesContract('GET', '/v1/leads/{id}', 201, HEADERS, leadExample.value),
      'status that is not documented',
    ],
    [
      'no Retry-After on 409',
      () => matchesContract('POST', '/v1/leads', 409, HEADERS, error('idempotencia_em_andamento')),
      'lacks the header Retry-After',
    ],
    [
      'a Retry-After that is no number',
      () =>
        matchesContract(
          'POST',
          '/v1/leads',
          409,
          { ...HEADERS, 'Retry-After': 'logo' },
          error('idempotencia_em_andamento'),
        ),
      'wrong header Retry-After',
    ],
    [
      'success where no operation is',
      () => matchesContract('GET', '/v1/nada', 200, HEADERS, { ok: true }),
      'breaks its schema',
    ],
    [
      'a 405 without Allow',
      () => matchesContract('PUT', '/v1/leads', 405, HEADERS, error('metodo_nao_permitido')),
      'lacks the header Allow',
    ],
    [
      'a body on 304',
      () =>
        matchesContract('GET', '/openapi.json', 304, { ...HEADERS, ETag: '"a"', 'Cache-Control': 'public' }, { a: 1 }),
      'has a body',
    ],
  ])('fails: %s', (_, check, why) => {
    expect(check).toThrow(why);
  });

  it('is told with the call that it answered', () => {
    expect(leadFound(HEADERS, { ok: true })).toThrow('GET /v1/leads/{id} -> 200: the answer has a body');
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

  it.each([
    ['an unknown type', arrived({ type: 'lead.criado' }), 'not documented'],
    [
      'the type of another event',
      arrived({ type: 'analise.erro' }, { 'X-Service-Event': 'analise.erro' }),
      'breaks its schema',
    ],
    ['a situation that is no outcome', arrived({ data: { ...body.data, situacao: 'em_analise' } }), '/data/situacao'],
    ['personal data', arrived({ data: { ...body.data, cpf: '900.000.001-75' } }), 'unevaluated'],
    [
      'an upper-case signature',
      arrived({}, { 'X-Service-Signature': `sha256=${'A'.repeat(64)}` }),
      'X-Service-Signature',
    ],
    ['another id in the header', arrived({}, { 'webhook-id': 'evt_x' }), 'webhook-id'],
    ['another type in the header', arrived({}, { 'X-Service-Event': 'analise.erro' }), 'X-Service-Event'],
  ])('fails: %s', (_, check, why) => {
    expect(check).toThrow(why);
  });
});
