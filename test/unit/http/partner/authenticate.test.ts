import { describe, expect, it } from 'vitest';
import { RateExceeded } from '#shared/domain/partners/api-key.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { authenticate as check, keyIn, rateHeadersOf } from '#shared/http/partner/authenticate.ts';
import type { PartnerCall } from '#shared/http/partner/call.ts';
import { makeCall, makeCaller, memoryAuth } from '#test/makers/partner-call.ts';

type Headers = Readonly<Record<string, string | readonly string[]>>;

const KEY = 'pmc_sandbox_x';
const CALLER = makeCaller();
const auth = () => memoryAuth({ [KEY]: () => CALLER });

/** Runs the check on a call and returns the caller. */
const authenticate = async (call: PartnerCall, port = auth()) => (await check.before(call, { auth: port })).caller;

/** Returns the refusal of a call with these headers. */
async function refused(headers: Headers, port = auth()): Promise<Failure> {
  const error: unknown = await authenticate(makeCall({ headers }), port).catch((thrown: unknown) => thrown);
  if (error instanceof Failure) return error;
  throw new Error('not refused');
}

describe('authenticate', () => {
  it.each<[string, Headers]>([
    ['X-API-Key', { 'X-API-Key': KEY }],
    ['x-api-key', { 'x-api-key': ` ${KEY} ` }],
    ['Authorization: Bearer', { Authorization: `Bearer ${KEY}` }],
    ['X-API-Key, which comes before Authorization', { 'X-API-Key': KEY, Authorization: 'Bearer other' }],
    ['both headers, if they have the same key', { 'X-API-Key': ` ${KEY}`, Authorization: `Bearer ${KEY}` }],
    [
      'X-API-Key, even if Authorization has another scheme',
      { 'X-API-Key': KEY, Authorization: ['Basic x', 'Basic y'] },
    ],
  ])('the key is accepted from %s', async (_, headers) => {
    const call = makeCall({ headers });
    expect(keyIn(call.event)).toBe(KEY);
    expect(await authenticate(call)).toEqual(CALLER);
  });

  it.each<[string, Headers, string]>([
    ['is missing', {}, 'A chave não veio.'],
    ['is empty', { 'X-API-Key': '  ' }, 'A chave não veio.'],
    ['is empty, whatever Authorization says', { 'X-API-Key': '', Authorization: `Bearer ${KEY}` }, 'A chave não veio.'],
    ['comes twice', { 'X-API-Key': [KEY, KEY] }, 'mais de uma vez'],
    [
      'is empty, and Authorization has two',
      { 'X-API-Key': '', Authorization: [`Bearer ${KEY}`, `Bearer ${KEY}`] },
      'A chave não veio.',
    ],
    ['comes twice as Bearer', { Authorization: [`Bearer ${KEY}`, `Bearer ${KEY}`] }, 'mais de uma vez'],
    ['comes twice in a header that a proxy joined', { 'X-API-Key': `${KEY}, ${KEY}` }, 'mais de uma vez'],
    ['comes twice as Bearer, joined', { Authorization: `Bearer ${KEY}, Bearer ${KEY}` }, 'mais de uma vez'],
    ['comes twice as Bearer, joined without a blank', { Authorization: `Bearer ${KEY},${KEY}` }, 'mais de uma vez'],
    ['comes as Basic', { Authorization: 'Basic eDp5' }, 'veio como Basic'],
    ['comes as another scheme', { Authorization: `Token ${KEY}` }, 'não traz Bearer'],
    ['comes as Bearer and nothing', { Authorization: 'Bearer' }, 'não traz Bearer'],
    ['comes as Bearer and two words', { Authorization: `Bearer ${KEY} x` }, 'não traz Bearer'],
    ['lacks the word Bearer', { Authorization: ` ${KEY}` }, 'Falta a palavra Bearer'],
    ['is no key and has no scheme', { Authorization: `x${KEY}` }, 'não traz Bearer'],
    ['has the word Bearer in X-API-Key', { 'X-API-Key': `Bearer ${KEY}` }, 'vai só a chave'],
    ['is the word Bearer', { 'X-API-Key': 'BEARER' }, 'vai só a chave'],
    ['is quoted', { 'X-API-Key': `"${KEY}"` }, 'entre aspas'],
    ['is quoted as in print', { 'X-API-Key': `\u201c${KEY}\u201d` }, 'entre aspas'],
    ['lacks its beginning', { 'X-API-Key': KEY.replace('pmc_', '') }, 'sem o começo'],
    ['is the webhooks’ secret', { 'X-API-Key': 'whsec_x' }, 'segredo dos webhooks'],
    ['is two keys', { 'X-API-Key': KEY, Authorization: 'Bearer pmc_other' }, 'duas chaves diferentes'],
    ['comes in a header of another name', { 'api-key': KEY }, 'em outro cabeçalho'],
  ])('a key that %s is refused (401) with a sentence of its own', async (_, headers, told) => {
    expect(await refused(headers)).toMatchObject({ code: 'auth_invalid', text: expect.stringContaining(told) });
  });

  it('a key in the query is refused (401), and the answer says to replace the key', async () => {
    const call = makeCall({ query: { api_key: KEY } });
    const text = expect.stringContaining('que a troque');
    await expect(authenticate(call)).rejects.toMatchObject({ code: 'auth_invalid', text });
  });

  it.each<[string, string, string, Error?]>([
    ['a wrong key that looks like a key', 'pmc_wrong', 'auth_invalid'],
    ['a key that could not be checked', 'x', 'servico_indisponivel', new Failure('servico_indisponivel')],
  ])('the refusal of %s says nothing about the look of the key', async (_, key, code, error) => {
    const port = error ? memoryAuth({ [key]: () => Promise.reject(error) }) : auth();
    expect(await refused({ 'X-API-Key': key }, port)).toMatchObject({ code, text: undefined });
  });
});

it('a call over the rate is 429 with the time to wait, and says nothing about the look of its key', async () => {
  const spent = memoryAuth({ x: () => Promise.reject(new RateExceeded(120, 17)) });
  const headers = { 'RateLimit-Policy': '"padrao";q=120;w=60', RateLimit: '"padrao";r=0;t=17' };
  const refusal = { code: 'rate_limited', text: undefined, retryAfter: 17, headers };
  expect(await refused({ 'X-API-Key': 'x' }, spent)).toMatchObject(refusal);
  // A caller that was not admitted does not learn the rate.
  expect(rateHeadersOf(makeCall())).toEqual({});
});
