import { once } from 'node:events';
import { statSync } from 'node:fs';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listener, listenersOf } from '#test/makers/listeners.ts';
import { type LocalService, startLocalService } from '#test/makers/local-service.ts';

/** Returns the status that a listener answers to a call. */
async function statusOf({ address, port }: Listener, headers: RequestOptions['headers']): Promise<number | undefined> {
  const call = request({ host: address, port, method: 'POST', headers, agent: false }).end('{}');
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response.resume().statusCode;
}

describe('a local run', () => {
  let service: LocalService;
  let listeners: readonly Listener[];
  beforeAll(async () => {
    // The wire in front of the engines is one more server.
    service = await startLocalService({ awsLike: true });
    listeners = listenersOf(service.pid);
  });
  afterAll(async () => {
    await service?.end();
  });

  it('every socket of a local run listens on a loopback address', () => {
    // Gateways, sign-in, operator, inbox, secrets, queues, topic and wire of the run, and its table's engine.
    expect(listeners.length).toBe(10);
    expect(listeners.filter(({ address }) => !/^(127(\.\d+){3}|::1)$/.test(address))).toEqual([]);
  });

  it('only the user of a local run can read its file of keys and tokens, and the run prints the password', () => {
    expect(statSync(service.serviceFile).mode & 0o777).toBe(0o600);
    expect(service.administration.password).toMatch(/^[\w-]{22}$/);
    expect(service.output()).toContain(service.administration.password);
  });

  it.runIf(process.platform === 'linux')('the table’s engine, which checks no Host, has a random address', () => {
    const { hostname } = new URL(service.table);
    expect(hostname).toMatch(/^127\./);
    expect(hostname).not.toBe('127.0.0.1');
    expect(listeners.filter(({ address }) => address === hostname)).toHaveLength(1);
  });

  it.each([
    ['Host', { host: 'evil.example' }],
    ['Origin', { origin: 'https://evil.example' }],
  ])('every server of a local run refuses a call with a foreign %s', async (_, headers) => {
    const engine = Number(new URL(service.table).port);
    const ours = listeners.filter(({ port }) => port !== engine);
    expect(ours.length).toBe(listeners.length - 1);
    for (const listener of ours) expect(await statusOf(listener, headers)).toBe(403);
  });
});
