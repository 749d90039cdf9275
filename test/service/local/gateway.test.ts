import { afterAll, afterEach, expect, it } from 'vitest';
import { type Containers, FunctionError } from '#infra/local/aws/containers.ts';
import { type Access, startGateway } from '#infra/local/aws/gateway.ts';
import type { LocalServer } from '#infra/local/listen.ts';
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

it('startGateway logs accesses without their query, and unknown paths without their text', async () => {
  const { url } = await gateway(async () => ({ statusCode: 404, body: '{}' }));
  await fetch(`${url}/v1/leads/7?cpf=90000000175`);
  await fetch(`${url}/90000000175`);
  expect(accesses.map(({ method, path, resource, status }) => [method, path, resource, status])).toEqual([
    ['GET', '/v1/leads/7', '/v1/leads/{id}', 404],
    ['GET', '(no route)', undefined, 404],
  ]);
});
