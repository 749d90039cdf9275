import { beforeAll, describe, expect, it } from 'vitest';
import * as routes from '../../shared/contract/routes.ts';
import { SCOPES } from '../../shared/domain/partners/partner.ts';
import { LARGEST_BODY } from '../../shared/domain/values/failure.ts';
import { api, OPERATIONS, type Operation } from '../makers/api.ts';
import type { CallOptions } from '../makers/call.ts';
import { makePartner } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';

const scene = useScene();
let lead: number;
beforeAll(async () => {
  lead = (await api('createLead', { key: scene.partner.keys.sandbox, body: leadBody() })).body.lead_id;
});

const refusalOf = async (operation: Operation, options: CallOptions) => {
  const { status, body, headers } = await api(operation, options);
  expect(headers['x-request-id']).toBe(body.request_id);
  expect(body.erro).toMatch(/\S/);
  return { status, codigo: body.codigo, campos: body.campos?.map(({ campo }: { campo: string }) => campo) };
};

describe('scopes', () => {
  const operationsOf = (scope: string) => OPERATIONS.filter((operation) => routes[operation].scope === scope);

  it.each(SCOPES)('%s opens its operations and no other', async (scope) => {
    const key = await scene.partner.addKey({ scopes: [scope] });
    for (const operation of OPERATIONS) {
      const { status } = await api(operation, { key, id: 1 });
      const open = [...operationsOf(scope), ...operationsOf('any')].includes(operation);
      expect({ operation, refused: status === 403 }).toEqual({ operation, refused: !open });
    }
  });

  it('shows the scopes that hold', async () => {
    const key = await scene.partner.addKey({ scopes: ['analises'] });
    expect((await api('getAccount', { key })).body.escopos).toEqual(['analises']);
    expect((await api('getAccount', { key: scene.partner.keys.sandbox })).body.escopos).toEqual([...SCOPES]);
  });
});

/** Each call has every fault from its row on down; the first in the contract's order must answer. */
describe('the first check that fails answers', () => {
  const big = Buffer.alloc(LARGEST_BODY + 1, 0x20);
  const sandbox = () => scene.partner.keys.sandbox;
  const json = (body: unknown) => Buffer.from(JSON.stringify(body));
  const withoutConsent = () => analysisBody(lead, { consentimento: undefined, bancos: ['nubank'], lead_id: 1 });

  it.each([
    [
      'the key before all else',
      async () => ({ key: 'pmc_wrong', body: big, headers: { 'content-type': 'text/plain' } }),
      401,
      'auth_invalid',
    ],
    [
      'the scope before the body',
      async () => ({
        key: await scene.partner.addKey({ scopes: ['leads'] }),
        body: big,
        headers: { 'content-type': 'text/plain' },
      }),
      403,
      'sem_permissao',
    ],
    [
      'the media type before the size',
      async () => ({ key: sandbox(), body: big, headers: { 'content-type': 'text/plain' } }),
      415,
      'tipo_nao_suportado',
    ],
    ['the size before the JSON', async () => ({ key: sandbox(), body: big }), 413, 'corpo_muito_grande'],
    ['the JSON before the Idempotency-Key', async () => ({ key: sandbox(), body: '{' }), 400, 'json_invalido'],
    [
      'the Idempotency-Key before the fields',
      async () => ({ key: sandbox(), body: {} }),
      400,
      'campo_obrigatorio',
      ['Idempotency-Key'],
    ],
    [
      'missing fields before invalid ones',
      async () => ({
        key: sandbox(),
        body: analysisBody(lead, { cpf: '1', nome: undefined, uf: null }),
        headers: { 'idempotency-key': 'k' },
      }),
      400,
      'campo_obrigatorio',
      ['nome', 'uf'],
    ],
    [
      'invalid fields before the consent',
      async () => ({ key: sandbox(), body: { ...withoutConsent(), cpf: '1' }, headers: { 'idempotency-key': 'k' } }),
      400,
      'campo_invalido',
      ['cpf'],
    ],
    [
      'the consent before the banks',
      async () => ({ key: sandbox(), body: withoutConsent(), headers: { 'idempotency-key': 'k' } }),
      422,
      'consentimento_ausente',
      ['consentimento'],
    ],
    [
      'the banks before the lead',
      async () => ({
        key: sandbox(),
        body: analysisBody(1, { bancos: ['itau', 'nubank'] }),
        headers: { 'idempotency-key': 'k' },
      }),
      422,
      'banco_invalido',
      ['bancos.1'],
    ],
    [
      'the lead before the holder',
      async () => ({ key: sandbox(), body: analysisBody(1), headers: { 'idempotency-key': 'k' } }),
      422,
      'lead_nao_encontrado',
      ['lead_id'],
    ],
    [
      'the holder before the work',
      async () => ({
        key: sandbox(),
        body: analysisBody(lead, { nome: 'Outra Pessoa', cpf: cpfFrom(5), data_nascimento: '1990-01-01' }),
        headers: { 'idempotency-key': 'k' },
      }),
      422,
      'divergencia_titular',
      ['nome', 'cpf', 'data_nascimento'],
    ],
  ] as const)('%s', async (_, options, status, codigo, campos?: readonly string[]) => {
    expect(await refusalOf('submitAnalyses', await options())).toEqual({ status, codigo, campos });
  });

  it('the replay before lead and holder: a lead that changed since changes nothing', async () => {
    const cpf = cpfFrom(77);
    const own = (await api('createLead', { key: sandbox(), body: leadBody({ cpf }) })).body.lead_id;
    const call = { key: sandbox(), body: analysisBody(own, { cpf }), headers: { 'idempotency-key': 'changed' } };
    const first = await api('submitAnalyses', call);
    await api('updateLead', { key: sandbox(), id: own, body: { nome: 'Marina Alves Costa' } });
    const again = await api('submitAnalyses', call);
    expect([again.status, again.text, again.headers['idempotent-replay']]).toEqual([202, first.text, 'true']);
    const anew = await refusalOf('submitAnalyses', { ...call, headers: { 'idempotency-key': 'new' } });
    expect(anew).toEqual({ status: 422, codigo: 'divergencia_titular', campos: ['nome'] });
  });

  it.each([
    ['no charset', 'application/json', 400],
    ['utf-8', 'application/json; charset=UTF-8', 400],
    ['another charset', 'application/json; charset=latin1', 415],
    ['a form', 'application/x-www-form-urlencoded', 415],
  ])('takes JSON with %s as it should', async (_, type, status) => {
    const answer = await refusalOf('createLead', { key: sandbox(), body: json({}), headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
  });
});

describe('headers and parameters', () => {
  it.each([
    ['x-api-key', (key: string) => ({ 'x-api-key': key }), 200],
    ['bearer', (key: string) => ({ authorization: `Bearer ${key}` }), 200],
    ['basic', (key: string) => ({ authorization: `Basic ${key}` }), 401],
    ['two keys', (key: string) => ({ 'x-api-key': [key, key] }), 401],
    ['none', () => ({}), 401],
    ['a wrong one', () => ({ 'x-api-key': 'pmc_wrong' }), 401],
  ])('the key by %s', async (_, headers, status) => {
    const answer = await api('getAccount', { headers: headers(scene.partner.keys.sandbox) });
    expect(answer.status).toBe(status);
    // A 401 says how to present oneself.
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  });

  it.each(['', 'a'.repeat(256), 'chavé', 'a\tb'])('refuses the Idempotency-Key %j', async (value) => {
    const answer = await refusalOf('createLead', {
      key: scene.partner.keys.sandbox,
      body: leadBody(),
      headers: { 'idempotency-key': value },
    });
    expect(answer).toEqual({ status: 400, codigo: 'campo_invalido', campos: ['Idempotency-Key'] });
  });

  it('refuses a repeated Idempotency-Key and a repeated parameter', async () => {
    const key = scene.partner.keys.sandbox;
    expect(
      await refusalOf('createLead', { key, body: leadBody(), headers: { 'idempotency-key': ['a', 'b'] } }),
    ).toEqual({
      status: 400,
      codigo: 'campo_invalido',
      campos: ['Idempotency-Key'],
    });
    expect(await refusalOf('listLeadAnalyses', { key, id: lead, query: { limit: ['1', '2'] } })).toEqual({
      status: 400,
      codigo: 'campo_invalido',
      campos: ['limit'],
    });
  });

  it.each(['0', '-1', '1.5', 'abc', '1e3', '٣', '9007199254740993', '99999999999999999999', '01'])(
    'refuses the id %s',
    async (id) => {
      expect(await refusalOf('getLead', { key: scene.partner.keys.sandbox, id })).toEqual({
        status: 400,
        codigo: 'campo_invalido',
        campos: ['id'],
      });
    },
  );

  it.each([
    [{ limit: '0' }, ['limit']],
    [{ limit: '101', offset: '-1' }, ['limit', 'offset']],
    [{ limit: '', offset: 'x' }, ['limit', 'offset']],
    [{ offset: '1e1' }, ['offset']],
  ])('refuses the page %o', async (query, campos) => {
    expect(await refusalOf('listLeadConsents', { key: scene.partner.keys.sandbox, id: lead, query })).toEqual({
      status: 400,
      codigo: 'campo_invalido',
      campos,
    });
  });

  it('tells the rate with every authenticated answer, refusals included', async () => {
    for (const answer of [
      await api('getAccount', { key: scene.partner.keys.sandbox }),
      await api('getLead', { key: scene.partner.keys.sandbox, id: 0 }),
    ]) {
      expect(answer.headers['ratelimit-policy']).toBe('"padrao";q=1000000;w=60');
      expect(answer.headers['ratelimit']).toMatch(/^"padrao";r=\d+;t=\d+$/);
    }
    const limited = await makePartner(1);
    await api('getAccount', { key: limited.keys.sandbox });
    const refused = await api('getAccount', { key: limited.keys.sandbox });
    expect(refused.body.codigo).toBe('rate_limited');
    expect(refused.headers['ratelimit']).toBe(`"padrao";r=0;t=${refused.headers['retry-after']}`);
    expect(refused.headers['ratelimit-policy']).toBe('"padrao";q=1;w=60');
  });
});
