import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sent } from '#bin/manager/administration-client.ts';
import { type Panel, type PanelOptions, startPanel } from '#bin/manager/panel/server.ts';

const CALLS = { ok: true, calls: [], more: false };
const PARTNERS = { ok: true, partners: [], next_cursor: null };

let panel: Panel;
let origin: string;
let called: { operation: string; sent: Sent }[];

/** Starts a panel after closing the one before. */
async function start(options: Partial<PanelOptions> = {}): Promise<void> {
  await panel?.close();
  called = [];
  panel = await startPanel({
    call: async (operation, sent) => {
      called.push({ operation, sent });
      return { status: 200, body: PARTNERS };
    },
    callsOfKey: async () => ({ status: 200, body: CALLS }),
    about: { stage: 'local', caller: 'arn:aws:sts::111122223333:assumed-role/gestao/ana' },
    files: new Map([['', { type: 'text/html; charset=utf-8', content: 'the page' }]]),
    port: 0,
    ...options,
  });
  origin = new URL(panel.url).origin;
}

beforeEach(() => start());
afterEach(async () => {
  await panel.close();
  vi.useRealTimers();
});

/** Makes one call to the panel. `headers` may name another Host than the one that is called. */
async function visit(path: string, { body, ...options }: RequestOptions & { body?: string } = {}) {
  const call = request(`${origin}${path}`, { ...options, agent: false }).end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, headers: response.headers, text: await text(response) };
}
const entrance = () => new URL(panel.url).pathname + new URL(panel.url).search;
/** Returns the cookie for which the token of the address is exchanged. */
async function enter(): Promise<string> {
  const { headers } = await visit(entrance());
  return headers['set-cookie']![0]!.split(';')[0]!;
}
const post = (cookie: string, path: string, body: string, headers: Record<string, string> = {}) =>
  visit(path, { method: 'POST', headers: { cookie, origin, 'content-type': 'application/json', ...headers }, body });

const codeOf = (answer: { text: string }) => JSON.parse(answer.text).code;

describe('startPanel', () => {
  it('each panel has a host address of its own, so that no other program gets its cookie', async () => {
    const names = new Set<string>();
    for (let made = 0; made < 3; made++) {
      const { hostname } = new URL(panel.url);
      expect(hostname).toMatch(/^127\.(?!0\.0\.1$)/);
      names.add(hostname);
      await start();
    }
    expect(names.size).toBe(3);
  });

  it('the browser that opens the address of the panel first gets the page and its operations', async () => {
    const cookie = await enter();
    expect((await visit('/', { headers: { cookie } })).text).toBe('the page');
    const answer = await post(cookie, '/api/list-partners', JSON.stringify({ query: { name: 'casa' } }));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual(PARTNERS);
    expect(called).toEqual([{ operation: 'list-partners', sent: { query: { name: 'casa' } } }]);
  });

  it('the panel sends a large file in gzip, and an answer of the administration never', async () => {
    const long = 'the page '.repeat(1_000);
    await start({
      call: async () => ({ status: 200, body: { long } }),
      files: new Map([['', { type: 'text/html; charset=utf-8', content: long }]]),
    });
    const cookie = await enter();
    const headers = { 'accept-encoding': 'gzip, br' };
    expect((await visit('/', { headers: { cookie, ...headers } })).headers['content-encoding']).toBe('gzip');
    expect((await visit('/', { headers: { cookie } })).text).toBe(long);
    const answer = await post(cookie, '/api/list-partners', '{}', headers);
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  it('the token opens the panel once: a used token and a wrong token are refused', async () => {
    const [path, cookie] = [entrance(), await enter()];
    for (const again of [path, '/?token=', `/?token=${'A'.repeat(43)}`]) {
      const answer = await visit(again);
      expect(answer.status).toBe(403);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    // The person's own browser may follow the address again, because it has the cookie.
    expect((await visit(path, { headers: { cookie } })).status).toBe(200);
  });

  it('the cookie of the panel is closed to scripts and other sites, and ends with the browser', async () => {
    const { headers } = await visit(entrance());
    const cookie = /^painel_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/;
    expect(headers['set-cookie']).toEqual([expect.stringMatching(cookie)]);
  });

  it.each(['/', '/painel/sobre', '/painel/panel.js'])('the panel does not show %s without the cookie', async (path) => {
    const cookie = await enter();
    const [name] = cookie.split('=');
    for (const headers of [{}, { cookie: `${name}=` }, { cookie: `${name}=${'A'.repeat(43)}` }])
      expect((await visit(path, { headers })).status).toBe(401);
  });

  it('the panel calls no operation without the cookie, or without an Origin', async () => {
    expect((await post('', '/api/list-partners', '{}')).status).toBe(401);
    const headers = { cookie: await enter(), 'content-type': 'application/json' };
    expect((await visit('/api/list-partners', { method: 'POST', headers, body: '{}' })).status).toBe(403);
    expect(called).toEqual([]);
  });

  it.each(['evil.example', 'localhost:80', '127.0.0.1', '127.0.0.1:1'])(
    'the panel refuses a call with the Host %s',
    async (host) => {
      const cookie = await enter();
      expect((await visit('/', { headers: { cookie, host } })).status).toBe(403);
      expect((await post(cookie, '/api/list-partners', '{}', { host })).status).toBe(403);
      expect(called).toEqual([]);
    },
  );

  it('a token of the panel that arrives with a foreign Host stays unused', async () => {
    expect((await visit(entrance(), { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await visit(entrance())).status).toBe(200);
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])(
    'the panel refuses a call with the Origin %s',
    async (foreign) => {
      const cookie = await enter();
      expect((await post(cookie, '/api/list-partners', '{}', { origin: foreign })).status).toBe(403);
      expect((await visit('/', { headers: { cookie, origin: foreign } })).status).toBe(403);
      expect(called).toEqual([]);
    },
  );
});

it('every answer of the panel allows only its own scripts and host, and no cache keeps it', async () => {
  const cookie = await enter();
  const answers = [
    await visit('/', { headers: { cookie } }),
    await visit('/painel/sobre', { headers: { cookie } }),
    await visit('/', { headers: { host: 'evil.example' } }),
    await post(cookie, '/api/list-partners', '{}'),
  ];
  for (const { headers } of answers) {
    const policy = headers['content-security-policy'];
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/);
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:|blob:/);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers['referrer-policy']).toBe('no-referrer');
  }
});

describe('forward', () => {
  it.each([
    'set-operator-token',
    'set-probe-key',
    'show-operator',
    'init-service-keys',
    'apply-erasure-ledger',
    'rotate-sealing-key',
    'reencrypt-rows',
    'retire-sealing-key',
    'rotate-index-key',
    'reindex-rows',
    'retire-index-key',
    'no-such-thing',
    'constructor',
  ])('the panel never forwards %s', async (operation) => {
    const answer = await post(await enter(), `/api/${operation}`, '{}');
    expect(answer.status).toBe(404);
    expect(codeOf(answer)).toBe('route_not_found');
    expect(called).toEqual([]);
  });

  const ELSEWHERE = ['/api/', '/api/../v1/partners', '/api/list-partners/x', '/v1/partners', '/'];
  it.each(ELSEWHERE)('the panel forwards nothing that is posted to %s', async (to) => {
    expect((await post(await enter(), to, '{}')).status).toBe(405);
    expect(called).toEqual([]);
  });

  it.each([
    ['{', 400, 'invalid_json'],
    ['{"url":"http://evil.example"}', 400, 'field_invalid'],
    ['{"query":{"unknown":"1"}}', 400, 'field_invalid'],
    ['{"query":{"limit":"0"}}', 400, 'field_invalid'],
    ['{"body":{"reason":"x"}}', 400, 'field_invalid'],
    [JSON.stringify({ query: { name: 'x'.repeat(70_000) } }), 413, 'body_too_large'],
  ])('the panel forwards nothing that does not fit the schemas: %.30s', async (body, status, code) => {
    const answer = await post(await enter(), '/api/list-partners', body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ ok: false, code });
    expect(called).toEqual([]);
  });

  it('the panel forwards nothing of another media type', async () => {
    const form = { 'content-type': 'text/plain' };
    expect((await post(await enter(), '/api/list-partners', '{}', form)).status).toBe(415);
    expect(called).toEqual([]);
  });

  it('the panel forwards a change only with its reason and its confirmation', async () => {
    const cookie = await enter();
    const revoke = (body: object) =>
      post(cookie, '/api/revoke-key', JSON.stringify({ params: { key_id: 'a1B2c' }, body }));
    for (const body of [{ partner_id: 5 }, { partner_id: 5, reason: 'x' }, { partner_id: 5, confirm: 'a1B2c' }])
      expect((await revoke(body)).status).toBe(400);
    expect(called).toEqual([]);
    await revoke({ partner_id: 5, reason: 'INC-1', confirm: 'a1B2c' });
    expect(called.map(({ operation }) => operation)).toEqual(['revoke-key']);
  });
});

it('the panel reads the calls of a key without the administration, and only for the browser with its cookie', async () => {
  const body = JSON.stringify({ partner_id: 5, key_id: 'a1B2c', since: '2026-11-20T09:00:00-03:00' });
  expect((await post('', '/api/calls-of-key', body)).status).toBe(401);
  const answer = await post(await enter(), '/api/calls-of-key', body);
  expect(JSON.parse(answer.text)).toEqual(CALLS);
  expect(called).toEqual([]);
});

describe('the end of a panel', () => {
  const MINUTE = 60_000;

  it('the panel closes after 30 minutes without a call of the person', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await start();
    const cookie = await enter();
    vi.advanceTimersByTime(29 * MINUTE);
    expect((await visit('/', { headers: { cookie } })).status).toBe(200);
    vi.advanceTimersByTime(29 * MINUTE);
    expect((await post(cookie, '/api/list-partners', '{}')).status).toBe(200);
    vi.advanceTimersByTime(30 * MINUTE);
    expect(await panel.closed).toBe('idle');
    await expect(visit('/', { headers: { cookie } })).rejects.toThrow('ECONNREFUSED');
  });

  it('a call without the cookie does not keep the panel open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await start();
    vi.advanceTimersByTime(29 * MINUTE);
    expect((await visit('/')).status).toBe(401);
    vi.advanceTimersByTime(1 * MINUTE);
    expect(await panel.closed).toBe('idle');
  });
});
