import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type Containers, FunctionError } from '#infra/local/aws/containers.ts';
import { type Access, dutyTokens, startGateway } from '#infra/local/aws/gateway.ts';
import type { LocalServer } from '#infra/local/listen.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import { assemblyWithStubs } from '#test/makers/assembly-with-stubs.ts';

const { blueprint, remove } = assemblyWithStubs();
afterAll(remove);

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const accesses: Access[] = [];
async function gateway(invoke: Containers['invoke'], timeout?: number, port = 0): Promise<LocalServer> {
  accesses.length = 0;
  const started = await startGateway(blueprint.api, { invoke }, port, {
    log: (access) => accesses.push(access),
    integrationTimeout: timeout,
  });
  closers.push(started.close);
  return started;
}

it.each([
  ['throws', () => Promise.reject(new FunctionError('Error', 'broken')), 500, 'erro_interno', 'DEFAULT_5XX'],
  ['runs out of time', () => Promise.reject(new FunctionError('TimedOut', 'late')), 500, 'erro_interno', 'DEFAULT_5XX'],
  ['answers nonsense', () => Promise.resolve({ ok: true }), 500, 'erro_interno', 'DEFAULT_5XX'],
  [
    'does not exist',
    () => Promise.reject(new FunctionError('Missing', 'none')),
    503,
    'servico_indisponivel',
    'INTEGRATION_FAILURE',
  ],
  [
    'does not answer in time',
    () => new Promise<unknown>(() => undefined),
    504,
    'tempo_esgotado',
    'INTEGRATION_TIMEOUT',
  ],
])('startGateway answers by itself if a function %s', async (_, invoke, status, codigo, type) => {
  const { url } = await gateway(invoke, 50);
  const response = await fetch(`${url}/v1/leads/7`);
  const body = (await response.json()) as { codigo: string; request_id: string };
  expect(response.status).toBe(status);
  expect(body.codigo).toBe(codigo);
  expect(body.request_id).toBe(response.headers.get('x-request-id'));
  expect(body.request_id).toBe(accesses[0]?.requestId);
  expect(accesses[0]?.line).toContain(type);
});

it('startGateway waits 29 s for a function, as API Gateway does', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const { url } = await gateway(async () => ({ statusCode: 404, body: '{}' }));
  await fetch(`${url}/v1/leads/7`);
  expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toContain(29_000);
  timers.mockRestore();
});

it('startGateway logs accesses without their query, and unknown paths without their text', async () => {
  const { url } = await gateway(async () => ({ statusCode: 404, body: '{}' }));
  await fetch(`${url}/v1/leads/7?cpf=90000000175`);
  await fetch(`${url}/90000000175`);
  expect(accesses.map(({ method, path, resource, status }) => [method, path, resource, status])).toEqual([
    ['GET', '/v1/leads/7', '/v1/leads/{id}', 404],
    ['GET', '(no route)', undefined, 404],
  ]);
});

describe('dutyTokens', () => {
  const { administration, duties } = blueprint;
  const { tokens, authorize } = dutyTokens(administration, duties);
  const manager = tokens['manager'] ?? '';
  const callOf = (authorization: string | undefined, target = '/v1/partners?limit=5') => {
    const headers = authorization === undefined ? {} : { authorization };
    return { method: 'GET', target, headers, body: Buffer.of() };
  };
  const session = (duty: string, person: string) =>
    `arn:aws:sts::000000000000:assumed-role/${administration.name}-${duty}/${person}`;

  it.each([
    ['', 'local'],
    ['~bia', 'bia'],
    ['~ana.maria-2@local.example', 'ana.maria-2@local.example'],
    ['~a_b', 'a_b'],
  ])('the gateway of the administration names the caller of a token with %j after it: %s', async (suffix, person) => {
    expect(await authorize(callOf(`Bearer ${manager}${suffix}`))).toEqual({
      account: '000000000000',
      arn: session('manager', person),
    });
  });

  it.each([
    ['no header', undefined],
    ['an unknown token', 'Bearer abc'],
    ['no token', 'Bearer '],
    ['a token without its scheme', manager],
    ['a token with another scheme', `Basic ${manager}`],
    ['a word before the scheme', `x Bearer ${manager}`],
    ['a person without a name', `Bearer ${manager}~`],
    ['a person with a space in the name', `Bearer ${manager}~bia x`],
    ['a person with a slash in the name', `Bearer ${manager}~bia/ana`],
    ['two persons', `Bearer ${manager}~bia~ana`],
  ])('the gateway of the administration refuses a call with %s', async (_, authorization) => {
    expect(await authorize(callOf(authorization))).toBe('MISSING_AUTHENTICATION_TOKEN');
  });

  // The duties that may decide an approval depend on the operation that its path names.
  const fixed = ADMINISTRATION_OPERATIONS.filter(({ path }) => !path.includes('{operation}'));
  it.each(fixed)('a token opens $method $path only for the duties of $operation', async (operation) => {
    const target = operation.path.replace(/\{\w+\}/g, '1');
    const opened: string[] = [];
    for (const [duty, token] of Object.entries(tokens)) {
      const caller = await authorize({ ...callOf(`Bearer ${token}`, target), method: operation.method });
      if (typeof caller === 'string') expect(caller).toBe('ACCESS_DENIED');
      else opened.push(duty);
    }
    expect(opened.sort()).toEqual(operation.duties.toSorted());
  });
});
