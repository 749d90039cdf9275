import { expect, test } from 'vitest';
import { nearestRoute } from '#shared/contract/nearest-route.ts';

test.each([
  ['POST', '/v1/lead', 'POST /v1/leads'],
  ['POST', '/v1/simulations', 'POST /v1/simulacoes'],
  ['POST', '/v1/simula%C3%A7%C3%B5es/', 'POST /v1/simulacoes'],
  ['GET', '/v1/analises/123', 'GET /v1/analises/{id}/status'],
  ['GET', '/v1/webhook', 'GET /v1/webhooks'],
  ['GET', '/v2/leads/7', 'GET /v1/leads/{id}'],
  ['GET', '/', undefined],
  ['GET', '/%', undefined],
  ['GET', `/${'v1/leads/'.repeat(50)}`, undefined],
])('the nearest route of %s %s is %s', (method, path, expected) => {
  const route = nearestRoute(method, path);
  expect(route && `${route.method} ${route.path}`).toBe(expected);
});
