import { beforeAll, describe, expect, it } from 'vitest';
import * as routes from '#shared/contract/routes.ts';
import { SCOPES } from '#shared/domain/partners/partner.ts';
import { LARGEST_BODY } from '#shared/domain/values/failure.ts';
import { days } from '#shared/domain/values/time.ts';
import { api, OPERATIONS, type Operation } from '../makers/api.ts';
import type { CallOptions } from '../makers/call.ts';
import { captureLogLines } from '../makers/partner-call.ts';
import { makePartner } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody, simulationBody, withdrawalBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';
import { passTime, withStoppedClock } from '../makers/test-clock.ts';

const scene = useScene();
const sandbox = () => scene.partner.keys.sandbox;
let lead: number;
let otherScope: string;
let noLeads: string;
beforeAll(async () => {
  lead = (await api('createLead', { key: sandbox(), body: leadBody() })).body.lead_id;
  otherScope = await scene.partner.addKey({ scopes: ['leads'] });
  noLeads = await scene.partner.addKey({ scopes: ['simulacoes'] });
});

const refusalOf = async (operation: Operation, options: CallOptions) => {
  const { status, body, headers } = await api(operation, { key: sandbox(), ...options });
  expect(headers['x-request-id']).toBe(body.request_id);
  const campos = body.campos?.map(({ campo }: { campo: string }) => campo);
  return [status, body.codigo, ...(campos ? [campos] : [])];
};

it.each(SCOPES)('the scope %s opens its operations and no others', async (scope) => {
  const key = await scene.partner.addKey({ scopes: [scope] });
  expect((await api('getAccount', { key })).body.escopos).toEqual([scope]);
  for (const operation of OPERATIONS) {
    const { status } = await api(operation, { key, id: 1 });
    const isOpen = [scope, 'any'].includes(routes[operation].scope);
    expect(status === 403, operation).toBe(!isOpen);
  }
});

/** Routes of other kinds: with an optional Idempotency-Key, and with an id in the path. */
describe('the order of checks on other routes', () => {
  const query = { a: ['1', '2'] };
  const badKey = { 'idempotency-key': '' };
  const receivedAt = Date.now() - days(2);

  it.each<[string, Operation, () => CallOptions, ...unknown[]]>([
    ['the JSON', 'createLead', () => ({ body: '{', headers: badKey, query }), 400, 'json_invalido'],
    [
      'the Idempotency-Key',
      'createLead',
      () => ({ body: {}, headers: badKey, query }),
      400,
      'campo_invalido',
      ['Idempotency-Key'],
    ],
    ['the query', 'createLead', () => ({ body: {}, query, receivedAt }), 400, 'campo_invalido', ['a']],
    ['the clock', 'createLead', () => ({ body: {}, receivedAt }), 503, 'servico_indisponivel'],
    [
      'the field',
      'createSimulation',
      () => ({ body: simulationBody(1, { valor_imovel: 'x' }) }),
      400,
      'campo_invalido',
      ['valor_imovel'],
    ],
    ['the lead', 'createSimulation', () => ({ body: simulationBody(1) }), 422, 'lead_nao_encontrado', ['lead_id']],
    ['the scope', 'listLeadAnalyses', () => ({ key: otherScope, id: 'x', query }), 403, 'sem_permissao'],
    ['the id in the path', 'listLeadAnalyses', () => ({ id: 'x', query }), 400, 'campo_invalido', ['id']],
    ['the query', 'listLeadAnalyses', () => ({ id: 1, query: { ...query, limit: 'x' } }), 400, 'campo_invalido', ['a']],
    ['the page', 'listLeadAnalyses', () => ({ id: 1, query: { limit: 'x' } }), 400, 'campo_invalido', ['limit']],
    ['the lead', 'listLeadAnalyses', () => ({ id: 1 }), 404, 'nao_encontrado'],
    ['the scope', 'getLead', () => ({ key: noLeads, id: 'x', query }), 403, 'sem_permissao'],
    ['the id in the path', 'getLead', () => ({ id: 'x', query }), 400, 'campo_invalido', ['id']],
    ['the query', 'getLead', () => ({ id: 1, query }), 400, 'campo_invalido', ['a']],
    ['the lead', 'getLead', () => ({ id: 1 }), 404, 'nao_encontrado'],
  ])('a fault of %s in %s is answered before any later check', async (_, operation, options, ...refusal) => {
    expect(await refusalOf(operation, options())).toEqual(refusal);
  });
});

it('a refused sandbox call is noted before its log line is written, so that the line counts the note', async () => {
  const refused = () => refusalOf('createLead', { body: '{' });
  // The first call of a minute may need one more for the key.
  const lines = await withStoppedClock(Date.now(), async () => {
    await refused();
    return captureLogLines(refused);
  });
  // One call is for the key, the other for the note.
  expect(lines[0]).toMatchObject({ code: 'request_completed', status: 400, table_calls: 2 });
});

/** Each call has every fault from its row downwards. The first check in the order of the contract must answer. */
describe('the order of checks of POST /v1/analises', () => {
  const big = Buffer.alloc(LARGEST_BODY + 1, 0x20);
  const text = { 'content-type': 'text/plain' };
  const coding = { 'content-encoding': 'br' };
  const headers = { 'idempotency-key': 'k' };
  const receivedAt = Date.now() - days(2);
  const query = { a: ['1', '2'] };
  const form = (changes: object) => ({ headers, body: analysisBody(lead, changes as Record<string, unknown>) });
  const withoutConsent = { consentimento: undefined, bancos: ['nubank'], lead_id: 1 };
  const another = { nome: 'Outra Pessoa', cpf: cpfFrom(5), data_nascimento: '1990-01-01' };

  it.each<[string, () => CallOptions, ...unknown[]]>([
    ['the key', () => ({ key: 'pmc_wrong', body: big, headers: text, query }), 401, 'auth_invalid'],
    ['the scope', () => ({ key: otherScope, body: big, headers: text, query }), 403, 'sem_permissao'],
    ['the media type', () => ({ body: big, headers: text, query }), 415, 'tipo_nao_suportado'],
    ['the size', () => ({ body: big, headers: coding, query }), 413, 'corpo_muito_grande'],
    ['the Content-Encoding', () => ({ body: '{', headers: coding, query }), 415, 'tipo_nao_suportado'],
    ['the JSON', () => ({ body: '{', query }), 400, 'json_invalido'],
    ['the Idempotency-Key', () => ({ body: {}, query }), 400, 'campo_obrigatorio', ['Idempotency-Key']],
    ['the query', () => ({ headers, body: {}, query, receivedAt }), 400, 'campo_invalido', ['a']],
    ['the clock', () => ({ headers, body: {}, receivedAt }), 503, 'servico_indisponivel'],
    ['a missing field', () => form({ cpf: '1', nome: undefined, uf: null }), 400, 'campo_obrigatorio', ['nome', 'uf']],
    ['an invalid field', () => form({ ...withoutConsent, cpf: '1' }), 400, 'campo_invalido', ['cpf']],
    ['the consent', () => form(withoutConsent), 422, 'consentimento_ausente', ['consentimento']],
    ['the banks', () => form({ bancos: ['itau', 'nubank'], lead_id: 1 }), 422, 'banco_invalido', ['bancos.1']],
    ['the lead', () => form({ ...another, lead_id: 1 }), 422, 'lead_nao_encontrado', ['lead_id']],
    ['the holder', () => form(another), 422, 'divergencia_titular', ['nome', 'cpf', 'data_nascimento']],
  ])('POST /v1/analises answers a fault of %s before any later check', async (_, options, ...refusal) => {
    expect(await refusalOf('submitAnalyses', options())).toEqual(refusal);
  });

  it('POST /v1/analises answers a spent rate before a missing scope', async () => {
    const { addKey } = await makePartner(1);
    const key = await addKey({ scopes: ['leads'] });
    expect(await refusalOf('submitAnalyses', { key })).toEqual([403, 'sem_permissao']);
    expect(await refusalOf('submitAnalyses', { key })).toEqual([429, 'rate_limited']);
  });

  it('POST /v1/analises answers an invalid bank before it looks for an answer to replay', async () => {
    const once = { 'idempotency-key': 'with-banks' };
    const first = await api('submitAnalyses', { key: sandbox(), headers: once, body: analysisBody(lead) });
    expect(first.status).toBe(202);
    const again = { headers: once, body: analysisBody(lead, { bancos: ['nubank'] }) };
    expect(await refusalOf('submitAnalyses', again)).toEqual([422, 'banco_invalido', ['bancos.0']]);
    // With a bank that exists, the key is refused for its other fields.
    const other = { headers: once, body: analysisBody(lead, { bancos: ['itau'], renda: 1 }) };
    expect(await refusalOf('submitAnalyses', other)).toEqual([422, 'idempotency_conflito', ['Idempotency-Key']]);
  });

  it('POST /v1/analises replays an answer before it checks lead and holder, which may have changed', async () => {
    const cpf = cpfFrom(77);
    const own = (await api('createLead', { key: sandbox(), body: leadBody({ cpf }) })).body.lead_id;
    const call = { key: sandbox(), body: analysisBody(own, { cpf }), headers: { 'idempotency-key': 'changed' } };
    const first = await api('submitAnalyses', call);
    await api('updateLead', { key: sandbox(), id: own, body: { nome: 'Marina Alves Costa' } });
    const again = await api('submitAnalyses', call);
    expect(again.status).toBe(202);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replay']).toBe('true');
    const anew = await refusalOf('submitAnalyses', { ...call, headers: { 'idempotency-key': 'new' } });
    expect(anew).toEqual([422, 'divergencia_titular', ['nome']]);
  });

  it('POST /v1/analises replays an answer although the consent is too old by now, and refuses a new submission', async () => {
    const key = scene.partner.keys.producao;
    const cpf = cpfFrom(79);
    const own = (await api('createLead', { key, body: leadBody({ cpf }) })).body.lead_id;
    const greatest = days(Number(process.env['CONSENT_DAYS']));
    const given = { consentimento_timestamp: new Date(Date.now() - greatest + days(1)).toISOString() };
    const call = { key, body: analysisBody(own, { cpf, ...given }), headers: { 'idempotency-key': 'aged' } };
    const first = await api('submitAnalyses', call);
    expect(first.status).toBe(202);
    passTime(days(2));
    const again = await api('submitAnalyses', call);
    expect(again.headers['idempotent-replay']).toBe('true');
    expect(again.text).toBe(first.text);
    const anew = { ...call, headers: { 'idempotency-key': 'anew' } };
    const tooOld = [400, 'campo_invalido', ['consentimento_timestamp']];
    expect(await refusalOf('submitAnalyses', anew)).toEqual(tooOld);
    const another = { ...anew, body: { ...anew.body, nome: 'Outra Pessoa' } };
    expect(await refusalOf('submitAnalyses', another)).toEqual([422, 'divergencia_titular', ['nome']]);
    await api('withdrawConsent', { key, id: own, body: withdrawalBody() });
    expect(await refusalOf('submitAnalyses', anew)).toEqual(tooOld);
  });
});

it('only a 401 has WWW-Authenticate, which asks for Bearer', async () => {
  const answers = [await api('getAccount', {}), await api('getAccount', { key: sandbox() })];
  expect(answers.map(({ status, headers }) => [status, headers['www-authenticate']])).toEqual([
    [401, 'Bearer'],
    [200, undefined],
  ]);
});
