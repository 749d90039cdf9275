import { expect, it, onTestFinished } from 'vitest';
import { CALLS_OF_PROBE } from '#infra/functions.ts';
import { probe } from '#shared/outbound/probe.ts';
import { makeAuthority } from '#test/makers/certificate.ts';
import { startPlainReceiver, startReceiver } from '#test/makers/receiver.ts';

const key = 'pmc_sandbox_x';
async function plain(answers: Readonly<Record<string, number>>, heard: (string | undefined)[] = []): Promise<string> {
  const receiver = await startPlainReceiver((request, response) => {
    heard.push(request.headers['x-api-key'] as string | undefined);
    response.writeHead(answers[request.url!] ?? 500).end();
  });
  onTestFinished(receiver.stop);
  return `http://127.0.0.1:${receiver.port}`;
}

it('a look from outside calls what anybody may ask, without a key, and then what the key may', async () => {
  const heard: (string | undefined)[] = [];
  const url = await plain({ '/health': 200, '/v1/me': 200 }, heard);
  const found = { faults: {}, latency: expect.any(Number), certificateDays: undefined };
  expect(await probe({ url, key, clock: Date.now })).toEqual(found);
  expect(heard).toEqual([undefined, key]);
  expect(heard).toHaveLength(CALLS_OF_PROBE);
});

it.each([
  [503, 200, { health: 'http_503' }],
  [200, 401, { signed_in: 'http_401' }],
  [302, 502, { health: 'http_302', signed_in: 'http_502' }],
])('a look from outside says what a call was answered instead of 200: %i, %i', async (health, account, faults) => {
  const url = await plain({ '/health': health, '/v1/me': account });
  expect((await probe({ url, key, clock: Date.now })).faults).toEqual(faults);
});

it('a look from outside says how a call failed that got no answer, and has no latency of it', async () => {
  const { port, stop } = await startPlainReceiver(() => undefined);
  await stop();
  const faults = { health: 'connection', signed_in: 'connection' };
  const found = { faults, latency: undefined, certificateDays: undefined };
  expect(await probe({ url: `http://127.0.0.1:${port}`, key, clock: Date.now })).toEqual(found);
});

it('a look from outside reads how long the certificate of the name is valid, and trusts no other', async () => {
  const authority = makeAuthority();
  const receiver = await startReceiver(authority.certify('localhost'), (_, response) => void response.end());
  onTestFinished(receiver.stop);
  const url = `https://localhost:${receiver.port}`;
  const lookingAt = (days: number) => () => Date.now() - days * 86_400_000;
  // It ends a day from now.
  const found = await probe({ url, key, clock: lookingAt(29.5), ca: authority.ca });
  expect(found).toMatchObject({ faults: {}, certificateDays: 30 });
  expect((await probe({ url, key, clock: Date.now })).faults).toEqual({ health: 'tls', signed_in: 'tls' });
});
