import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RequestListener } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type HttpClientOptions, httpClient, type OutboundRequest } from '#shared/outbound/http-client.ts';
import { OutboundError, withTimeLimit } from '#shared/outbound/time-limit.ts';
import { vetConfiguredUrl } from '#shared/outbound/vetted-target.ts';
import { withDeadline } from '#shared/runtime/deadline.ts';
import { type Receiver, startPlainReceiver } from '#test/makers/receiver.ts';

async function serve(answer: RequestListener): Promise<Receiver & { readonly url: string }> {
  const receiver = await startPlainReceiver(answer);
  onTestFinished(receiver.stop);
  return { ...receiver, url: `http://127.0.0.1:${receiver.port}/` };
}

function clientWith(options: Partial<HttpClientOptions> = {}) {
  const defaults = { vet: vetConfiguredUrl, connectTimeout: 30_000, readLimit: 1_000, clock: Date.now };
  const client = httpClient({ ...defaults, ...options });
  onTestFinished(client.close);
  return (url: string, more: Partial<OutboundRequest> = {}, caller?: AbortSignal) =>
    withTimeLimit(30_000, caller, (stop) => client.send({ url, method: 'GET', headers: {}, ...more }, stop));
}

test('httpClient returns an answer of any status as it came, and does not follow a redirect', async () => {
  const redirect: RequestListener = (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end('there');
  const { url, connections } = await serve(redirect);
  const answer = await clientWith()(url);
  expect(answer).toMatchObject({ status: 302, headers: { location: '/elsewhere' }, broken: undefined });
  expect(answer.body.toString()).toBe('there');
  expect(connections()).toBe(1);
});

test.each([
  [1_000, undefined],
  [1_001, 'too_large'],
  [1_000_000, 'too_large'],
])('httpClient returns the first 1,000 bytes of an answer of %i bytes, with the fault %s', async (size, fault) => {
  const { url } = await serve((_, response) => void response.end(Buffer.alloc(size, 'a')));
  const { body, broken } = await clientWith()(url);
  expect(body.toString()).toBe('a'.repeat(1_000));
  expect(broken?.fault).toBe(fault);
});

test('an answer that breaks off has its status, the bytes that arrived and the fault', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'Content-Length': '10' });
    response.write('half', () => response.destroy());
  });
  const { status, body, broken } = await clientWith()(url);
  expect(status).toBe(200);
  expect(body.toString()).toBe('half');
  expect(broken?.fault).toBe('connection');
});

test('httpClient vets the target before each request, and does not dial a refused target', async () => {
  const { url, connections } = await serve((_, response) => void response.end());
  const vet = vi.fn(vetConfiguredUrl);
  const send = clientWith({ vet, keepAlive: { connections: 1, idle: 15_000 } });
  await send(url);
  await send(url);
  expect(vet).toHaveBeenCalledTimes(2);
  vet.mockImplementation(() => {
    throw new OutboundError('blocked', 'not there');
  });
  await expect(send(url)).rejects.toMatchObject({ fault: 'blocked', message: 'not there' });
  expect(connections()).toBe(1);
});

test('httpClient reports dns if the vetting has not ended after the connect timeout', async () => {
  const send = clientWith({ vet: () => new Promise(() => undefined), connectTimeout: 20 });
  await expect(send('http://localhost/')).rejects.toMatchObject({ fault: 'dns' });
});

describe('a caller that gives up', () => {
  let caller: AbortController;
  beforeEach(() => {
    caller = new AbortController();
  });
  const aborted = { fault: 'aborted' };

  test('a request given up during the look-up fails as aborted and dials nothing', async () => {
    const connect = vi.fn(() => new Socket());
    const vet = () => {
      caller.abort();
      return new Promise<never>(() => undefined);
    };
    const send = clientWith({ vet, connect });
    await expect(send('http://localhost/', {}, caller.signal)).rejects.toMatchObject(aborted);
    expect(connect).not.toHaveBeenCalled();
  });

  test('a request given up while connecting fails as aborted and destroys the socket', async () => {
    const socket = new Socket();
    const connect = () => {
      setImmediate(() => caller.abort());
      return socket;
    };
    await expect(clientWith({ connect })('https://localhost/', {}, caller.signal)).rejects.toMatchObject(aborted);
    expect(socket.destroyed).toBe(true);
  });

  test('a request given up before the answer fails as aborted', async () => {
    const { url } = await serve(() => caller.abort());
    await expect(clientWith()(url, {}, caller.signal)).rejects.toMatchObject(aborted);
  });

  test('a caller that gives up within the body gets the answer so far, broken as aborted', async () => {
    const { url } = await serve((_, response) => void response.write('half'));
    const abort = () => setImmediate(() => caller.abort());
    subscribe('http.client.response.finish', abort);
    const answer = await clientWith()(url, {}, caller.signal);
    unsubscribe('http.client.response.finish', abort);
    expect(answer).toMatchObject({ status: 200, broken: aborted });
  });
});

test('a request that an ended run left behind while it connected is never sent', async () => {
  let requests = 0;
  const { url } = await serve((_, response) => {
    requests += 1;
    response.end();
  });
  const vetted = Promise.withResolvers<void>();
  const vet: HttpClientOptions['vet'] = async (text) => {
    await vetted.promise;
    return vetConfiguredUrl(text);
  };
  const send = clientWith({ vet });
  let left: Promise<unknown> | undefined;
  const ended = withDeadline(60_000, async () => {
    left = send(url, { method: 'PUT', body: Buffer.from('{}') });
    left.catch(() => undefined);
    throw new Error('another part of the run failed');
  });
  await expect(ended).rejects.toThrow('another part');
  vetted.resolve();
  await expect(left).rejects.toMatchObject({ fault: 'aborted' });
  expect(requests).toBe(0);
});

describe('keepAlive', () => {
  const one = { connections: 1, idle: 15_000 };

  test('a connection is not kept after half an answer', async () => {
    // The rest of the answer never arrives.
    const { url, connections } = await serve((_, response) => void response.write('a'.repeat(2_000)));
    const send = clientWith({ keepAlive: one });
    await send(url);
    await send(url);
    expect(connections()).toBe(2);
  });

  test('a kept connection is idle from the end of its last answer', async () => {
    let now = 0;
    const { url, connections } = await serve((_, response) => {
      now += 10_000;
      response.end();
    });
    const send = clientWith({ keepAlive: one, clock: () => now });
    await send(url);
    now += 15_000;
    await send(url);
    expect(connections()).toBe(1);
    now += 15_001;
    await send(url);
    expect(connections()).toBe(2);
  });

  test('no connection is kept once the clock was put back', async () => {
    let now = 172_800_000;
    const { url, connections } = await serve((_, response) => response.end());
    const send = clientWith({ keepAlive: one, clock: () => now });
    await send(url);
    now = 0;
    await send(url);
    expect(connections()).toBe(2);
  });

  test('a request that gets no free connection within the connect timeout fails and is never sent', async () => {
    let requests = 0;
    const held = Promise.withResolvers<() => void>();
    const { url } = await serve((_, response) => {
      if (++requests === 1) held.resolve(() => response.end());
      else response.end();
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const send = clientWith({ keepAlive: one, connectTimeout: 500 });
    const first = send(url);
    const release = await held.promise;
    const refused = expect(send(url)).rejects.toMatchObject({ fault: 'timeout' });
    vi.advanceTimersByTime(500);
    await refused;
    release();
    expect((await first).status).toBe(200);
    expect((await send(url)).status).toBe(200);
    expect(requests).toBe(2);
  });
});

test.each([
  ['getaddrinfo', 'EAI_AGAIN', 'dns'],
  ['connect', 'ETIMEDOUT', 'timeout'],
  ['connect', 'ECONNREFUSED', 'connection'],
  ['read', 'ECONNRESET', 'connection'],
])('httpClient maps the system error %s %s to %s', async (syscall, code, fault) => {
  const message = `${syscall} ${code}`;
  const socket = Object.defineProperty(new Socket(), 'connecting', { value: true });
  const connect = () => {
    setImmediate(() => socket.destroy(Object.assign(new Error(message), { code, syscall })));
    return socket;
  };
  await expect(clientWith({ connect })('https://localhost/')).rejects.toMatchObject({ fault, message });
});
