import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { serviceAddress } from '../../../shared/http/request.ts';

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
  ['where the gateway’s path is another one', event('x.aws', '/docs', '/dev/other'), 'https://x.aws'],
])('the service’s address %s', (_, call, address) => {
  expect(serviceAddress(call)).toBe(address);
});
