import { expect, it } from 'vitest';
import * as gateway from '#infra/local/aws/gateway-event.ts';
import { Router } from '#infra/local/aws/gateway-router.ts';

const router = new Router([
  { method: 'ANY', path: '/', function: 'fallback' },
  { method: 'ANY', path: '/{proxy+}', function: 'fallback' },
  { method: 'POST', path: '/v1/leads', function: 'create-lead' },
  { method: 'ANY', path: '/v1/leads', function: 'fallback' },
  { method: 'GET', path: '/v1/leads/{id}', function: 'get-lead' },
  { method: 'ANY', path: '/v1/leads/{id}', function: 'fallback' },
  { method: 'GET', path: '/v1/leads/{id}/analises', function: 'list-lead-analyses' },
]);

it.each([
  ['POST', '/v1/leads', 'create-lead', '/v1/leads', null],
  ['GET', '/v1/leads/7', 'get-lead', '/v1/leads/{id}', { id: '7' }],
  ['GET', '/v1/leads/a%2Fb', 'get-lead', '/v1/leads/{id}', { id: 'a%2Fb' }],
  ['GET', '/v1/leads/7/analises', 'list-lead-analyses', '/v1/leads/{id}/analises', { id: '7' }],
  ['DELETE', '/v1/leads/7', 'fallback', '/v1/leads/{id}', { id: '7' }],
  ['GET', '/v1', 'fallback', '/{proxy+}', { proxy: 'v1' }],
  ['POST', '/v1/leads/', 'create-lead', '/v1/leads', null],
  ['GET', '/v1/leads/7//', 'fallback', '/{proxy+}', { proxy: 'v1/leads/7/' }],
  ['TRACE', '/v1/leads', undefined, undefined, undefined],
  ['GET', '//v1/leads/7', 'fallback', '/{proxy+}', { proxy: '/v1/leads/7' }],
  ['GET', '/v1/leads//analises', 'fallback', '/{proxy+}', { proxy: 'v1/leads//analises' }],
  ['PATCH', '/v1/leads/7/analises', undefined, undefined, undefined],
])('the local gateway routes %s %s to %s', (method, path, name, resource, parameters) => {
  const match = router.match(method, path);
  expect(match?.function).toBe(name);
  expect(match?.resource).toBe(resource);
  expect(match?.parameters).toEqual(parameters);
});

it('pathOf returns the path without query, scheme and host', () => {
  expect(gateway.pathOf('/v1/leads?x=/y')).toBe('/v1/leads');
  expect(gateway.pathOf('http://host:1/v1/leads?x')).toBe('/v1/leads');
  expect(gateway.pathOf('http://host')).toBe('/');
  expect(gateway.pathOf('*')).toBe('/*');
});

it('queryOf returns all decoded values of each query parameter, even of __proto__', () => {
  expect(gateway.queryOf('/x')).toEqual({});
  const query = gateway.queryOf('/x?limit=1&limit=2&nome=%C3%A7+a&vazio=&so')!;
  expect({ ...query }).toEqual({ limit: ['1', '2'], nome: ['ç a'], vazio: [''], so: [''] });
  expect(Object.entries(gateway.queryOf('/x?__proto__=1')!)).toEqual([['__proto__', ['1']]]);
});

it.each(['/x?a=%', '/x?a=%z1', '/x?%4=1'])('queryOf refuses the broken percent-encoding of %s', (target) => {
  expect(gateway.queryOf(target)).toBeUndefined();
});

const context = { extendedRequestId: 'E0123456789abcd=', requestId: 'r', receivedAt: 0, stage: 'dev' };
const CALL = { method: 'GET', target: '/v1/leads/7', rawHeaders: [], body: Buffer.alloc(0), sourceIp: '127.0.0.1' };
const eventOf = (changes: Partial<gateway.RawCall>) => {
  const raw: gateway.RawCall = { ...CALL, ...changes };
  return gateway.proxyEvent(
    raw,
    router.match(raw.method, gateway.pathOf(raw.target))!,
    gateway.queryOf(raw.target)!,
    context,
  );
};

it('proxyEvent keeps the spelling of header names and all values; `headers` has the last value', () => {
  const { headers, multiValueHeaders } = eventOf({
    rawHeaders: ['X-Api-KEY', 'a', 'Accept', 'x', 'X-Api-KEY', 'b', 'x-api-key', 'c', 'Connection', 'close'],
  });
  expect(multiValueHeaders).toMatchObject({ 'X-Api-KEY': ['a', 'b'], 'x-api-key': ['c'], Accept: ['x'] });
  expect(headers).toMatchObject({ 'X-Api-KEY': 'b', 'x-api-key': 'c', Accept: 'x' });
  expect(headers).not.toHaveProperty('Connection');
});

it('a caller can choose the request id of an event, but not the extended request id', () => {
  const raw = ['x-amzn-requestid', 'mine', 'x-amz-apigw-id', 'mine', 'x-amzn-extended-request-id', 'mine'];
  const made = gateway.callContext('dev', raw, 1);
  expect(made.requestId).toBe('mine');
  expect(made.extendedRequestId).toMatch(/^[A-Za-z0-9+/]{15}=$/);
  expect(eventOf({}).requestContext).toMatchObject({ extendedRequestId: context.extendedRequestId, stage: 'dev' });
});

it('answerOf decodes base64, and renames headers that API Gateway reserves', () => {
  const headers = { 'WWW-Authenticate': 'Bearer' };
  const answer = gateway.answerOf({ statusCode: 401, headers, body: 'JVBERg==', isBase64Encoded: true });
  expect(answer?.body.toString()).toBe('%PDF');
  expect(answer?.headers).toContainEqual(['x-amzn-remapped-www-authenticate', 'Bearer']);
});
