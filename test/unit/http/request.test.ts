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

/** A call whose event has neither a Host header nor the gateway's domain name. */
const nameless = () => ({ ...event(undefined, '/docs'), requestContext: {} }) as unknown as APIGatewayProxyEvent;

it.each([
  ['behind a domain', event('api.banco.com.br', '/docs', '/docs'), 'https://api.banco.com.br'],
  ['below a stage', event('x.execute-api.aws', '/docs/erros', '/dev/docs/erros'), 'https://x.execute-api.aws/dev'],
  ['on this machine', event('127.0.0.1:4000', '/docs', '/docs'), 'http://127.0.0.1:4000'],
  [
    'to a host whose name begins like this machine’s',
    event('localhost.evil.com', '/docs'),
    'https://localhost.evil.com',
  ],
  ['without the header Host', event(undefined, '/docs'), 'https://fallback.example.com'],
  ['without any host', nameless(), 'http://localhost'],
])('serviceAddress returns the address of a call %s', (_, call, address) => expect(serviceAddress(call)).toBe(address));

it('requestIdOf returns the gateway’s extended id, which callers cannot choose', () => {
  const event = gatewayEvent({ method: 'GET', path: '/' }, { headers: { 'x-request-id': 'mine' } });
  expect(requestIdOf(event)).toBe(event.requestContext.extendedRequestId);
  const { extendedRequestId: _, ...context } = event.requestContext;
  expect(requestIdOf({ ...event, requestContext: context as typeof event.requestContext })).toBe('r');
});

it('headerValues returns all values of a header, whatever the case of its name', () => {
  const event = gatewayEvent({ method: 'GET', path: '/' });
  const multiValueHeaders = { 'X-Api-Key': ['a', 'b'], 'x-api-key': ['c'], 'x-api-key-2': ['d'], Host: undefined };
  expect(headerValues({ ...event, multiValueHeaders }, 'x-api-key')).toEqual(['a', 'b', 'c']);
  expect(headerValues({ ...event, multiValueHeaders }, 'host')).toEqual([]);
  // The gateway passes null if a call has no headers at all.
  const none = null as unknown as typeof multiValueHeaders;
  expect(headerValues({ ...event, multiValueHeaders: none }, 'host')).toEqual([]);
});

it.each([
  ['the stage', '/prod/v1/leads', '/prod'],
  ['two parts', '/a-b/c.d/v1/leads', '/a-b/c.d'],
  ['nothing behind a domain', '/v1/leads', ''],
  ['nothing if the gateway does not say it', undefined, ''],
  ['nothing if the gateway’s path is another path', '/v1/lead', ''],
  ['nothing if a header could not hold it', '/<x>/v1/leads', ''],
  ['nothing if it has a line break', '/a\n/b/v1/leads', ''],
  ['nothing if it does not begin with a slash', 'x/a/v1/leads', ''],
  ['nothing if it ends with another slash', '/a//v1/leads', ''],
])('basePathOf returns %s', (_, path, base) => {
  const event = gatewayEvent({ method: 'GET', path: '/v1/leads' });
  const requestContext = { ...event.requestContext, path } as typeof event.requestContext;
  expect(basePathOf({ ...event, requestContext })).toBe(base);
});
