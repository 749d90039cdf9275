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

it('probe calls /health without a key, and then /v1/me with the key', async () => {
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
])('probe reports a status that is not 200: /health %i, /v1/me %i', async (health, account, faults) => {
  const url = await plain({ '/health': health, '/v1/me': account });
  expect((await probe({ url, key, clock: Date.now })).faults).toEqual(faults);
});

it('probe reports the fault of a call without an answer, and no latency', async () => {
  const { port, stop } = await startPlainReceiver(() => undefined);
  await stop();
  const faults = { health: 'connection', signed_in: 'connection' };
  const found = { faults, latency: undefined, certificateDays: undefined };
  expect(await probe({ url: `http://127.0.0.1:${port}`, key, clock: Date.now })).toEqual(found);
});

it('probe returns the days for which the certificate is valid, and trusts no unknown authority', async () => {
  const authority = makeAuthority();
  const receiver = await startReceiver(authority.certify('localhost'), (_, response) => void response.end());
  onTestFinished(receiver.stop);
  const url = `https://localhost:${receiver.port}`;
  const lookingAt = (days: number) => () => Date.now() - days * 86_400_000;
  // The certificate ends in one day.
  const found = await probe({ url, key, clock: lookingAt(29.5), ca: authority.ca });
  expect(found).toMatchObject({ faults: {}, certificateDays: 30 });
  expect((await probe({ url, key, clock: Date.now })).faults).toEqual({ health: 'tls', signed_in: 'tls' });
});
