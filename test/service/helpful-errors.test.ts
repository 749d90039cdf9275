import { describe, expect, it } from 'vitest';
import { handler as fallback } from '../../functions/api/fallback.ts';
import { getLead } from '../../shared/contract/routes.ts';
import { api } from '../makers/api.ts';
import { type CallAnswer, gatewayEvent } from '../makers/call.ts';
import { analysisBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';

const scene = useScene();
const create = (body: unknown) => api('createLead', { key: scene.partner.keys.sandbox, body });
const helpOf = ({ headers, body }: CallAnswer) => [headers['link'], `</docs/erros#${body.codigo}>; rel="help"`];

describe('a body that is no JSON object', () => {
  it.each([
    ['{"nome": "Ana",\n "cpf": "900.000.001-75",\n}', 'na linha 3, coluna 1, sobra uma vírgula'],
    ['{"nome": "Ana"', 'na linha 1, coluna 15, o texto acaba antes do fim'],
    ["{'nome': 'Ana'}", 'há aspas simples'],
    ['[]', 'não é um objeto'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'não está em UTF-8'],
  ])('is told what it is and where: %#', async (body, told) => {
    const answer = await create(body);
    expect([answer.status, answer.body.codigo, answer.body.erro]).toEqual([
      400,
      'json_invalido',
      expect.stringContaining(told),
    ]);
    expect(answer.text).not.toMatch(/Ana|900/);
    const [link, expected] = helpOf(answer);
    expect(link).toBe(expected);
  });

  it('is told of a repeated name', async () => {
    const { body } = await create('{"nome": "Ana", "nome": "Bia"}');
    expect(body).toMatchObject({ codigo: 'json_invalido', campos: [{ campo: 'nome' }] });
  });
});

describe('a key that is none', () => {
  const key = () => scene.partner.keys.sandbox;
  const cases: readonly [string, () => Record<string, string | string[]>, string][] = [
    ['is missing', () => ({}), 'A chave não veio.'],
    ['is quoted', () => ({ 'x-api-key': `"${key()}"` }), 'A chave veio entre aspas.'],
    ['comes with Bearer in X-API-Key', () => ({ 'x-api-key': `Bearer ${key()}` }), 'Em X-API-Key vai só a chave'],
    ['lacks its beginning', () => ({ 'x-api-key': key().replace('pmc_', '') }), 'A chave veio sem o começo.'],
    ['comes as Basic', () => ({ authorization: `Basic ${btoa(`${key()}:`)}` }), 'A chave veio como Basic.'],
    ['lacks the word Bearer', () => ({ authorization: key() }), 'Falta a palavra Bearer'],
    ['has another scheme', () => ({ authorization: `Token ${key()}` }), 'não traz Bearer'],
    ['comes twice', () => ({ 'x-api-key': [key(), key()] }), 'mais de uma vez'],
    ['is mistyped', () => ({ 'x-api-key': `${key().slice(0, -1)}-` }), 'Chave ausente ou inválida.'],
  ];

  it.each(cases)('because it %s is 401 with a sentence of its own', async (_, headers, told) => {
    const answer = await api('getAccount', { headers: headers() });
    expect([answer.status, answer.body.codigo, answer.body.erro]).toEqual([
      401,
      'auth_invalid',
      expect.stringContaining(told),
    ]);
    expect(answer.text).not.toContain(key().slice(12));
    const [link, expected] = helpOf(answer);
    expect(link).toBe(expected);
  });
});

it('a field that another one demands says which and why', async () => {
  const { conjuge_nome: _, ...form } = analysisBody(1, { estado_civil: 'uniao' }) as Record<string, unknown>;
  const headers = { 'idempotency-key': 'k' };
  const { body } = await api('submitAnalyses', { key: scene.partner.keys.sandbox, body: form, headers });
  expect(body.campos).toContainEqual({
    campo: 'conjuge_nome',
    motivo: 'é obrigatório porque estado_civil é uniao; preencha o campo',
  });
});

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
