import { describe, expect, it } from 'vitest';
import { handler as fallback } from '../../functions/api/fallback.ts';
import { getLead } from '../../shared/contract/routes.ts';
import { gatewayEvent } from '../makers/call.ts';

describe('a path that is no route', () => {
  const notFound = async (method: 'GET' | 'POST', path: string, stage = '') => {
    const event = gatewayEvent({ method, path: '/{proxy+}' as '/' });
    const found = { ...event, path, requestContext: { ...event.requestContext, path: `${stage}${path}` } };
    const { statusCode, headers, body } = await fallback(found);
    return { status: statusCode, link: headers?.['Link'], ...JSON.parse(body) };
  };

  it('is told the nearest, and nothing of what it was', async () => {
    expect(await notFound('POST', '/v1/simulations')).toMatchObject({
      ...{ status: 404, codigo: 'rota_nao_encontrada' },
      erro: 'Esta rota não existe; a mais próxima é POST /v1/simulacoes. Confira o caminho na documentação.',
    });
    expect((await notFound('GET', '/v1/lead/90000000175')).erro).toContain(`GET ${getLead.path}.`);
    expect((await notFound('GET', '/90000000175')).erro).toBe(
      'Esta rota não existe. Confira o caminho na documentação.',
    );
  });

  it('leads to the guide where the stage stands before our paths, and where it does not', async () => {
    const help = '/docs/erros#rota_nao_encontrada>; rel="help"';
    expect((await notFound('GET', '/v1/nada')).link).toBe(`<${help}`);
    expect((await notFound('GET', '/v1/nada', '/prod')).link).toBe(`</prod${help}`);
  });
});
