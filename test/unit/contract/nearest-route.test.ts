import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { nearestRoute } from '../../../shared/contract/nearest-route.ts';
import { ROUTES } from '../../../shared/contract/routes.ts';

describe('the route that was probably meant', () => {
  test.each([
    ['POST', '/v1/lead', 'POST /v1/leads'],
    ['GET', '/v1/lead/123', 'GET /v1/leads/{id}'],
    ['POST', '/leads', 'POST /v1/leads'],
    ['POST', '/v1/simulations', 'POST /v1/simulacoes'],
    ['POST', '/v1/simula%C3%A7%C3%B5es/', 'POST /v1/simulacoes'],
    ['GET', '/v1/analises/123', 'GET /v1/analises/{id}/status'],
    ['GET', '/v1/webhook', 'GET /v1/webhooks'],
    ['GET', '/v2/leads/7', 'GET /v1/leads/{id}'],
    ['GET', '/favicon.ico', undefined],
    ['GET', '/', undefined],
    ['GET', '/%', undefined],
    ['GET', `/${'v1/leads/'.repeat(50)}`, undefined],
  ])('of %s %s is %s', (method, path, expected) => {
    const route = nearestRoute(method, path);
    expect(route && `${route.method} ${route.path}`).toBe(expected);
  });

  it('is found for every route with one letter missing, and never fails', () => {
    for (const { path, method } of ROUTES) {
      if (path.length < 6) continue;
      const found = nearestRoute(method, path.replace('{id}', '42').slice(0, -1));
      expect(found).toBeDefined();
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (path) => void nearestRoute('GET', path)));
  });
});
