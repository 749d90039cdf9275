import { createHmac } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AttemptResult, LONGEST_RETRY_WAIT } from '#shared/domain/webhooks/delivery.ts';
import type { WebhookEndpoint } from '#shared/domain/webhooks/endpoint.ts';
import type { WebhookSender } from '#shared/domain/webhooks/ports.ts';
import { connectPinned } from '#shared/outbound/http-client.ts';
import type { VettedTarget } from '#shared/outbound/vetted-target.ts';
import { HttpWebhookSender, retryAfterMilliseconds, type SenderOptions } from '#shared/webhook/send.ts';
import { type Credential, makeAuthority } from '#test/makers/certificate.ts';
import { makeDelivery, makeEndpoint } from '#test/makers/delivery.ts';
import { PERSONAL_PAGES, PERSONAL_TEXTS } from '#test/makers/personal-texts.ts';
import { type Receiver, startRawReceiver, startReceiver } from '#test/makers/receiver.ts';
import { FORBIDDEN_ADDRESSES } from '../outbound/forbidden.ts';

const HOST = 'hooks.parceiro.com.br';
const PUBLIC = '93.184.216.34';
const NOW = 1_763_640_000_000;

const authority = makeAuthority();
const running: Receiver[] = [];
afterEach(async () => {
  for (const receiver of running.splice(0)) await receiver.stop();
});

/** Every target that was dialled, and the socket that was opened on this machine instead. */
let dialled: { target: VettedTarget; socket: Socket }[] = [];
beforeEach(() => {
  dialled = [];
});

/** Returns a sender for which the receiver on this port is at a public address. */
function senderTo(port: number, options: Partial<SenderOptions> = {}) {
  return new HttpWebhookSender({
    resolve: async () => [PUBLIC],
    allowLocal: false,
    clock: () => NOW,
    ca: authority.ca,
    connect: (target, secure) => {
      const socket = secure ? connectTls({ ...secure, port, host: '127.0.0.1' }) : connect(port, '127.0.0.1');
      dialled.push({ target, socket });
      return socket;
    },
    ...options,
  });
}

const post = (sender: WebhookSender, endpoint: Partial<WebhookEndpoint> = {}) =>
  sender.send(makeEndpoint(endpoint), makeDelivery(), 1, NOW);
const attempt = (port: number, options: Partial<SenderOptions> = {}, url?: string) =>
  post(senderTo(port, options), url === undefined ? {} : { url });

async function keep<R extends Receiver>(started: Promise<R>): Promise<R> {
  const receiver = await started;
  running.push(receiver);
  return receiver;
}

const receive = (answer: RequestListener, credential = authority.certify(HOST)) =>
  keep(startReceiver(credential, answer));

/** Makes one attempt at a receiver that answers with `answer`. */
async function answered(answer: RequestListener): Promise<AttemptResult> {
  return attempt((await receive(answer)).port);
}

test('a receiver gets one POST with the exact bytes, both signatures and no request for compression', async () => {
  let got: { method: string; url: string; headers: IncomingHttpHeaders; body: string; tls: unknown[] } | undefined;
  let time = NOW;
  const receiver = await receive(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const { servername, alpnProtocol } = request.socket as TLSSocket;
    got = { method, url, headers, body: await text(request), tls: [servername, alpnProtocol] };
    time += 25;
    response.writeHead(200).end('obrigado');
  });
  const delivery = makeDelivery({ body: '{"observação":"análise concluída ✓"}' });
  const endpoint = makeEndpoint();
  const now = Date.now();
  const result = await senderTo(receiver.port, { clock: () => time }).send(endpoint, delivery, 3, now);
  expect(result).toEqual({ delivered: true, status: 200, milliseconds: 25 });
  expect(got).toMatchObject({ method: 'POST', url: '/eventos?loja=7', body: delivery.body, tls: [HOST, 'http/1.1'] });
  const signature = createHmac('sha256', endpoint.secret).update(delivery.body).digest('hex');
  expect(got?.headers).toMatchObject({
    host: HOST,
    connection: 'close',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(delivery.body)),
    'webhook-id': delivery.eventId,
    'x-service-event': 'analise.resultado',
    'x-service-attempt': '3',
    'x-service-signature': `sha256=${signature}`,
  });
  new Webhook(endpoint.secret).verify(got!.body, got!.headers as Record<string, string>);
  expect(dialled.map(({ target }) => [target.port, target.addresses])).toEqual([[443, [PUBLIC]]]);
});

test('every attempt has a connection of its own, so that it goes to an address that was vetted for it', async () => {
  const receiver = await receive((_, response) => void response.end());
  const sender = senderTo(receiver.port);
  for (let sent = 0; sent < 3; sent++) await post(sender);
  expect(receiver.connections()).toBe(3);
  // From Node 26 on, a socket is destroyed one turn of the event loop after its answer was read.
  for (const { socket } of dialled) await expect.poll(() => socket.destroyed).toBe(true);
});

describe('the status of an answer', () => {
  test.each([200, 201, 202, 204, 226, 299])(
    'an answer with status %i is a success, and nothing else is kept',
    async (status) => {
      const body = status === 204 ? undefined : 'corpo';
      const result = await answered((_, response) => void response.writeHead(status, { 'Retry-After': '7' }).end(body));
      expect(result).toEqual({ delivered: true, status, milliseconds: 0 });
    },
  );

  const FAILURES = [300, 301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 502, 503, 599];
  test.each(FAILURES)(
    'an answer with status %i is a failure of its class, and no redirect is followed',
    async (status) => {
      const headers = { Location: 'http://169.254.169.254/latest/meta-data/' };
      const receiver = await receive((_, response) => void response.writeHead(status, headers).end('não'));
      const failure = `http_${Math.floor(status / 100)}xx`;
      const result = await attempt(receiver.port);
      expect(result).toEqual({ delivered: false, failure, status, milliseconds: 0, detail: 'não' });
      expect(dialled).toHaveLength(1);
      expect(receiver.connections()).toBe(1);
    },
  );

  test.each([
    [429, '120', 120_000],
    [503, new Date(NOW + 90_000).toUTCString(), 90_000],
    [500, '120', undefined],
    [404, '120', undefined],
  ])('an answer with status %i and Retry-After %j asks for %j ms', async (status, header, retryAfter) => {
    const result = await answered((_, response) => void response.writeHead(status, { 'Retry-After': header }).end());
    expect(result).toMatchObject({ delivered: false, status });
    expect(result.delivered || result.retryAfter).toBe(retryAfter);
  });
});

describe('the connection', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => void socket.resetAndDestroy()],
    ['closed', (socket) => void socket.end()],
  ])('a connection that is %s before TLS fails as conexao', async (_, accept) => {
    const { port } = await keep(startRawReceiver(accept));
    expect(await attempt(port)).toMatchObject({ failure: 'conexao' });
  });

  const raw =
    (text: string): RequestListener =>
    ({ socket }) =>
      void socket.end(text);
  test.each<[string, RequestListener]>([
    ['a connection that closes', ({ socket }) => void socket.destroy()],
    ['a reset', () => running[0]!.reset()],
    ['headers that break off', raw('HTTP/1.1 200 OK\r\nContent-Le')],
    ['no HTTP', raw('SSH-2.0-OpenSSH_9.6\r\n')],
    ['an upgrade', raw('HTTP/1.1 101 S\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n')],
  ])('%s instead of an answer fails as conexao, without a status', async (_, answer) => {
    const result = await answered(answer);
    expect(result).toMatchObject({ delivered: false, failure: 'conexao' });
    expect(result).not.toHaveProperty('status');
  });

  test('an unknown host fails as dns, and nothing is dialled', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('queryA'), { code: 'ENOTFOUND' }));
    const detail = `dns_sem_resposta: ${HOST}: ENOTFOUND`;
    expect(await attempt(1, { resolve })).toEqual({ delivered: false, failure: 'dns', milliseconds: 0, detail });
    expect(dialled).toEqual([]);
  });
});

describe('the certificate', () => {
  const never: RequestListener = () => expect.unreachable('a request was sent');
  const WEAK = 'DEFAULT@SECLEVEL=0';
  test.each<[string, Credential, string, ServerOptions?]>([
    ['that is expired', authority.expired(HOST), 'CERT_HAS_EXPIRED'],
    ['that is not yet valid', authority.notYetValid(HOST), 'CERT_NOT_YET_VALID'],
    ['for another host', authority.certify('outro.com.br'), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that is self-signed', authority.selfSigned(HOST), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['of an unknown authority', makeAuthority('Other authority').certify(HOST), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['of a server that asks for ours', authority.certify(HOST), '', { requestCert: true, rejectUnauthorized: true }],
    [
      'of a server with TLS 1.1',
      authority.certify(HOST),
      '',
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: WEAK },
    ],
  ])('a certificate %s fails as tls, and no request is sent', async (_, credential, code, options) => {
    const { port } = await keep(startReceiver(credential, never, options));
    expect(await attempt(port)).toMatchObject({ failure: 'tls', detail: expect.stringContaining(code) });
  });

  test('NODE_TLS_REJECT_UNAUTHORIZED does not make a bad certificate acceptable', async () => {
    const { port } = await receive(never, authority.selfSigned(HOST));
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await attempt(port)).toMatchObject({ failure: 'tls' });
    vi.unstubAllEnvs();
  });
});

describe('the time limits', () => {
  beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterAll(() => void vi.useRealTimers());

  /** Waits in real time. The waiting functions of vitest would move the fake time. */
  async function seen(what: () => boolean): Promise<void> {
    while (!what()) await new Promise(setImmediate);
  }

  /** Returns the result, after checking that the attempt ends exactly at its limit. */
  async function endsAt(limit: number, sending: Promise<AttemptResult>): Promise<AttemptResult> {
    const ended = vi.fn();
    void sending.then(ended);
    await vi.advanceTimersByTimeAsync(limit - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    const result = await sending;
    expect(vi.getTimerCount()).toBe(0);
    for (const { socket } of dialled) expect(socket.destroyed).toBe(true);
    return result;
  }

  test('a server that never begins TLS fails as timeout after 5 s', async () => {
    const receiver = await keep(startRawReceiver((socket) => void socket.resume()));
    const sending = attempt(receiver.port);
    await seen(() => receiver.connections() === 1);
    expect(await endsAt(5_000, sending)).toMatchObject({ failure: 'timeout' });
  });

  test('an answer with slow headers fails as timeout after 15 s in all', async () => {
    let dripped = 0;
    const { port } = await receive((_, response) => {
      const { socket } = response;
      socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      const drip = () => {
        dripped++;
        if (socket?.writable) socket.write('a', () => setImmediate(drip));
      };
      drip();
    });
    const sending = attempt(port);
    await seen(() => dripped > 20);
    const result = await endsAt(15_000, sending);
    expect(result).toMatchObject({ failure: 'timeout' });
    expect(result).not.toHaveProperty('status');
  });

  test('a 500 with a slow body fails as http_5xx after 15 s in all', async () => {
    const begun = vi.fn();
    subscribe('http.client.response.finish', begun);
    // The body stops after one byte. A body of one byte at a time would reach the read limit long before 15 s of fake
    // time.
    const { port } = await receive((_, response) => void response.writeHead(500).write('a'));
    const sending = attempt(port);
    await seen(() => begun.mock.calls.length > 0);
    unsubscribe('http.client.response.finish', begun);
    expect(await endsAt(15_000, sending)).toMatchObject({ delivered: false, failure: 'http_5xx', status: 500 });
  });

  test('a 200 with a slow body is a success at once', async () => {
    const { port } = await receive((_, response) => void response.writeHead(200).write('a'));
    expect(await attempt(port)).toEqual({ delivered: true, status: 200, milliseconds: 0 });
    expect(vi.getTimerCount()).toBe(0);
    for (const { socket } of dialled) expect(socket.destroyed).toBe(true);
  });
});

describe('the kept part of a failure page', () => {
  test('a failure page that is a gzip bomb is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const headers = { 'Content-Encoding': 'gzip' };
    const result = await answered((_, response) => void response.writeHead(500, headers).end(bomb));
    expect(result).toMatchObject({ failure: 'http_5xx', detail: '(content-encoding: gzip)' });
  });

  const detailOf = async (body: string | Buffer) => {
    const result = await answered((_, response) => void response.writeHead(500).end(body));
    return result.delivered ? undefined : result.detail;
  };
  test('a CPF, an e-mail, a telephone, an RG or a name on a failure page is not kept', async () => {
    for (const [text, kept] of [...PERSONAL_TEXTS, ...PERSONAL_PAGES]) expect(await detailOf(text)).toBe(kept);
    // No name has such a long word. A search for it would take time that grows with the square of the page's length.
    expect(await detailOf(`X${'x'.repeat(60)} Ana`)).toBe(`X${'x'.repeat(60)} Ana`);
    expect(await detailOf('duplicate key (cpf)=(52998224725)')).toBe('duplicate key (cpf)=(***)');
    expect(await detailOf(`${'x'.repeat(2_035)} 529.982.247-25`)).toBe(`${'x'.repeat(2_035)} ***`);
  });

  test('the kept part of a failure page is text of at most 2 KB without control characters', async () => {
    expect(await detailOf('ç'.repeat(5000))).toBe('ç'.repeat(1024));
    expect(await detailOf(`a${'ç'.repeat(5000)}`)).toBe(`a${'ç'.repeat(1023)}`);
    expect(Buffer.byteLength((await detailOf(Buffer.alloc(5000, 0xff))) ?? '')).toBeLessThanOrEqual(2048);
    expect(await detailOf('a\u001b[2Jb\u0007c\u202ed\r\n')).toBe('a?[2Jb?cd \n');
    expect(await detailOf('')).toBe('');
  });
});

test.each(FORBIDDEN_ADDRESSES)(
  'no request goes to a name with the address %j, also if the name has public addresses too',
  async (address) => {
    for (const answer of [[address], [PUBLIC, address], [address, PUBLIC]])
      expect(await attempt(1, { resolve: async () => answer })).toMatchObject({ failure: 'bloqueado' });
    expect(dialled).toEqual([]);
  },
);

test('a name whose address changes after the check is dialled at the checked address, then refused', async () => {
  const { port } = await receive((_, response) => void response.end());
  const answers = [[PUBLIC], ['169.254.169.254']];
  const sender = senderTo(port, { resolve: async () => answers.shift() ?? [] });
  expect(await post(sender)).toMatchObject({ delivered: true });
  expect(dialled.map(({ target }) => target.addresses)).toEqual([[PUBLIC]]);
  expect(answers).toHaveLength(1);
  const detail = expect.stringContaining('169.254.169.254');
  expect(await post(sender)).toMatchObject({ failure: 'bloqueado', detail });
  expect(dialled).toHaveLength(1);
});

describe('connectPinned', () => {
  function dial(port: number, addresses: readonly string[]) {
    const socket = connectPinned({ url: new URL(`https://${HOST}`), port, addresses }, undefined);
    const tried: string[] = [];
    socket.on('connectionAttempt', (address: string) => tried.push(address));
    return { socket, tried };
  }

  test('connectPinned tries the vetted addresses in turn, and does not look up the name', async () => {
    const { port } = await keep(startRawReceiver(() => undefined));
    const { socket, tried } = dial(port, ['127.0.0.2', '127.0.0.1']);
    await once(socket, 'connect');
    expect(tried).toEqual(['127.0.0.2', '127.0.0.1']);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  test('connectPinned tries at most four addresses', async () => {
    const { port, stop } = await startRawReceiver(() => undefined);
    await stop();
    const addresses = [2, 3, 4, 5, 6, 7].map((last) => `127.0.0.${last}`);
    const { socket, tried } = dial(port, addresses);
    await once(socket, 'error').catch(() => undefined);
    await once(socket, 'close').catch(() => undefined);
    expect(tried).toEqual(addresses.slice(0, 4));
  });
});

test.each<[string | undefined, number | undefined]>([
  ['0', 0],
  ['120', 120_000],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
  ['Sun Nov  6 08:49:37 1994', 37_000],
  ['Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ['Fri, 31 Dec 1999 23:59:59 GMT', LONGEST_RETRY_WAIT],
  ['9'.repeat(400), LONGEST_RETRY_WAIT],
  [undefined, undefined],
  ['', undefined],
  ['1.5', undefined],
  ['0x10', undefined],
  ['1994-11-06T08:49:37Z', undefined],
  ['Sun, 99 Nov 1994 08:49:37 GMT', undefined],
])('retryAfterMilliseconds reads Retry-After %j as %j ms', (header, milliseconds) => {
  expect(retryAfterMilliseconds(header, Date.parse('1994-11-06T08:49:00Z'))).toBe(milliseconds);
});
