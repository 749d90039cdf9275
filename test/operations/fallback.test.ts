import { describe, expect, it } from 'vitest';
import { handler as fallback } from '#functions/api/fallback.ts';
import { getLead } from '#shared/contract/routes.ts';
import { gatewayEvent } from '../makers/call.ts';

describe('a method that a route does not have', () => {
  const event = gatewayEvent({ method: 'GET', path: '/v1/leads/{id}' });
  const asked = (httpMethod: string) => fallback({ ...event, httpMethod });

  it('a method that a route lacks gets 405 with the methods of the route, in words and in Allow', async () => {
    const { statusCode, headers, body } = await asked('PUT');
    expect(statusCode).toBe(405);
    expect(headers?.['Allow']).toBe('GET, HEAD, PATCH, OPTIONS');
    expect(JSON.parse(body).erro).toBe('A rota não aceita PUT. Use GET, HEAD, PATCH ou OPTIONS.');
  });

  it('OPTIONS gets 204 with the methods of the route in Allow', async () => {
    expect(await asked('OPTIONS')).toMatchObject({ statusCode: 204, headers: { Allow: 'GET, HEAD, PATCH, OPTIONS' } });
  });
});

describe('a path that is no route', () => {
  const notFound = async (method: 'GET' | 'POST', path: string, stage = '') => {
    const event = gatewayEvent({ method, path: '/{proxy+}' as '/' });
    const found = { ...event, path, requestContext: { ...event.requestContext, path: `${stage}${path}` } };
    const { statusCode, headers, body } = await fallback(found);
    return { status: statusCode, link: headers?.['Link'], ...JSON.parse(body) };
  };

  it('an unknown path gets 404 with the nearest route, and nothing of the path itself', async () => {
    expect(await notFound('POST', '/v1/simulations')).toMatchObject({
      ...{ status: 404, codigo: 'rota_nao_encontrada' },
      erro: 'Esta rota não existe; a mais próxima é POST /v1/simulacoes. Confira o caminho na documentação.',
    });
    expect((await notFound('GET', '/v1/lead/90000000175')).erro).toContain(`GET ${getLead.path}.`);
    expect((await notFound('GET', '/90000000175')).erro).toBe(
      'Esta rota não existe. Confira o caminho na documentação.',
    );
  });

  it('an unknown path gets 404 with the address of the documentation on the same host', async () => {
    expect((await notFound('GET', '/', '/prod')).erro).toMatch(
      /A documentação está em http:\/\/localhost\/prod\/docs\.$/,
    );
  });

  it('the Link of an unknown path leads to the guide, with and without a stage in the path', async () => {
    const help = '/docs/erros#rota_nao_encontrada>; rel="help"';
    expect((await notFound('GET', '/v1/nada')).link).toBe(`<${help}`);
    expect((await notFound('GET', '/v1/nada', '/prod')).link).toBe(`</prod${help}`);
  });
});
