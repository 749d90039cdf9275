import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { basePathOf, headerValues, requestIdOf, serviceAddress } from '#shared/http/request.ts';
import { gatewayEvent } from '#test/makers/call.ts';

const event = (host: string | undefined, path: string, contextPath?: string) =>
  ({
    multiValueHeaders: host === undefined ? {} : { Host: [host] },
    path,
    requestContext: { domainName: 'fallback.example.com', path: contextPath },
  }) as unknown as APIGatewayProxyEvent;

/** A call whose gateway says neither the host nor its own name. */
const nameless = () => ({ ...event(undefined, '/docs'), requestContext: {} }) as unknown as APIGatewayProxyEvent;

it.each([
  ['behind a domain', event('api.banco.com.br', '/docs', '/docs'), 'https://api.banco.com.br'],
  ['below a stage', event('x.execute-api.aws', '/docs/erros', '/dev/docs/erros'), 'https://x.execute-api.aws/dev'],
  ['on this machine', event('127.0.0.1:4000', '/docs', '/docs'), 'http://127.0.0.1:4000'],
  ['at a name that begins as this machine’s', event('localhost.evil.com', '/docs'), 'https://localhost.evil.com'],
  ['without the header', event(undefined, '/docs'), 'https://fallback.example.com'],
  ['without any name', nameless(), 'http://localhost'],
])('the service’s address %s', (_, call, address) => expect(serviceAddress(call)).toBe(address));

it('a call as the gateway gives it: is named by the gateway’s extended id, which callers cannot choose', () => {
  const event = gatewayEvent({ method: 'GET', path: '/' }, { headers: { 'x-request-id': 'mine' } });
  expect(requestIdOf(event)).toBe(event.requestContext.extendedRequestId);
  const { extendedRequestId: _, ...context } = event.requestContext;
  expect(requestIdOf({ ...event, requestContext: context as typeof event.requestContext })).toBe('r');
});

it('a call as the gateway gives it: has headers whose names know no case, with all their values', () => {
  const event = gatewayEvent({ method: 'GET', path: '/' });
  const multiValueHeaders = { 'X-Api-Key': ['a', 'b'], 'x-api-key': ['c'], 'x-api-key-2': ['d'], Host: undefined };
  expect(headerValues({ ...event, multiValueHeaders }, 'x-api-key')).toEqual(['a', 'b', 'c']);
  expect(headerValues({ ...event, multiValueHeaders }, 'host')).toEqual([]);
  // The gateway gives null where a call has no headers at all.
  const none = null as unknown as typeof multiValueHeaders;
  expect(headerValues({ ...event, multiValueHeaders: none }, 'host')).toEqual([]);
});

it.each([
  ['below a stage', '/prod/v1/leads', '/prod'],
  ['below two', '/a-b/c.d/v1/leads', '/a-b/c.d'],
  ['behind a domain', '/v1/leads', ''],
  ['where the gateway does not say', undefined, ''],
  ['where the gateway’s path is another one', '/v1/lead', ''],
  ['where it could not stand in a header', '/<x>/v1/leads', ''],
  ['where it goes on after a line break', '/a\n/b/v1/leads', ''],
  ['where it begins with something else', 'x/a/v1/leads', ''],
  ['where it ends with something else', '/a//v1/leads', ''],
])('a call as the gateway gives it: knows what stands before our own paths: %s', (_, path, base) => {
  const event = gatewayEvent({ method: 'GET', path: '/v1/leads' });
  const requestContext = { ...event.requestContext, path } as typeof event.requestContext;
  expect(basePathOf({ ...event, requestContext })).toBe(base);
});
