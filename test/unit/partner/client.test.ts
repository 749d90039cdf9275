import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LocalServer, serve as serveLocally } from '#infra/local/listen.ts';
import { EVENT_TYPES } from '#shared/domain/webhooks/delivery.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { PartnerClient, verifyWebhook, WebhookError } from '#shared/partner/client/client.ts';
import { LISTS, OPERATIONS } from '#shared/partner/client/generated.ts';
import vector from '#shared/partner/docs/samples/vetor.json' with { type: 'json' };
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };
import { sign } from '#shared/webhook/sign.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { HEADER_BREAKERS, HOSTILE_TEXTS, IDS_BY_FORM, NO_KEYS, NO_SECRETS } from '#test/makers/hostile-texts.ts';
import { WEBHOOK_MISTAKES } from '#test/makers/webhook-mistakes.ts';

type Refusal = [status: number, codigo: string, refusal: RequestListener];
type Seen = { readonly at: number; readonly headers: IncomingHttpHeaders };

const servers: LocalServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** A small real server that gives these answers one after another, and the last answer from then on. */
async function serve(...answers: readonly RequestListener[]) {
  const seen: Seen[] = [];
  const handler: RequestListener = (request, response) => {
    seen.push({ at: performance.now(), headers: request.headers });
    request.resume();
    answers[Math.min(seen.length, answers.length) - 1]!(request, response);
  };
  const server = await serveLocally(handler);
  servers.push(server);
  const { url: baseUrl } = server;
  return { seen, baseUrl, client: new PartnerClient({ baseUrl: `${baseUrl}/`, key: 'pmc_sandbox_x' }) };
}

const CREATED = { ok: true, lead_id: 7, reaproveitado: false };
const json =
  (status: number, body: object, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const failure = (status: number, codigo: string, headers: Record<string, string> = {}) =>
  json(status, { erro: 'Uma frase.', codigo, request_id: 'r-1' }, headers);
const brokenOff: RequestListener = (_, response) => {
  response
    .writeHead(201, { 'content-type': 'application/json', 'content-length': '99' })
    .write('{', () => setImmediate(() => response.destroy()));
};
const created = json(201, CREATED, { 'x-request-id': 'r-2' });
/** Headers of an answer of 12:00:00 whose Retry-After is a date. */
const until = (date: string) => ({ date: 'Thu, 26 Nov 2026 12:00:00 GMT', 'retry-after': date });
const LEAD = { body: { nome: 'Ana', cpf: '900.000.001-75' } };

describe.concurrent('a call of PartnerClient that is worth repeating', () => {
  it.each([
    ['429', failure(429, 'rate_limited', { 'retry-after': '1' })],
    ['503', failure(503, 'servico_indisponivel', { 'retry-after': '1' })],
    ['409 in progress', failure(409, 'idempotencia_em_andamento', { 'retry-after': '1' })],
  ])('the client repeats a call after the Retry-After of a %s, with the same key', async (_, refusal) => {
    const { client, seen } = await serve(refusal, created);
    const answer = { body: CREATED, status: 201, replay: false, requestId: 'r-2' };
    expect(await client.call('create-lead', LEAD)).toEqual(answer);
    const [first, second] = seen as [Seen, Seen];
    expect(seen).toHaveLength(2);
    expect(second.at - first.at).toBeGreaterThanOrEqual(990);
    expect(first.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.headers['idempotency-key']).toBe(first.headers['idempotency-key']);
  });

  it.each([
    ['500 without Retry-After', failure(500, 'erro_interno')],
    ['502 of a proxy', json(502, {}, { 'content-type': 'text/html' })],
    ['connection that breaks off', ((request) => request.socket.destroy()) as RequestListener],
    ['answer that breaks off', brokenOff],
  ])('the client repeats a call after a %s, with the caller’s key', async (_, refusal) => {
    const { client, seen } = await serve(refusal, created);
    expect((await client.call('create-lead', { ...LEAD, idempotencyKey: 'pedido-1' })).status).toBe(201);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['pedido-1', 'pedido-1']);
  });

  it.each([
    [3, 'the last attempt', { 'retry-after': '0' }],
    [3, 'the last attempt, after dates', until('Thu, 26 Nov 2026 12:00:00 GMT')],
    [1, 'a Retry-After that is too long', { 'retry-after': '66' }],
    [1, 'a Retry-After that is a date too far away', until('Thu, 26 Nov 2026 12:01:06 GMT')],
  ])('the client gives up after %i calls, with the last refusal: %s', async (calls, _, headers) => {
    const { seen, baseUrl } = await serve(failure(503, 'servico_indisponivel', headers));
    const refused = new PartnerClient({ baseUrl, key: 'pmc_k', attempts: 3 }).call('get-lead', { id: 1 });
    const failed = { codigo: 'servico_indisponivel', request_id: 'r-1' };
    await expect(refused).rejects.toMatchObject({ name: 'PartnerError', status: 503, failure: failed });
    expect(seen).toHaveLength(calls);
  });

  it('the client gives up if nobody answers in time, and if the caller aborts the call', async () => {
    const { seen, baseUrl } = await serve(() => undefined);
    const impatient = new PartnerClient({ baseUrl, key: 'pmc_k', attempts: 1, timeout: 0.05 });
    await expect(impatient.call('get-account', {})).rejects.toMatchObject({ name: 'TimeoutError' });
    const stop = new AbortController();
    const called = new PartnerClient({ baseUrl, key: 'pmc_k' }).call('get-account', { signal: stop.signal });
    stop.abort(new Error('called off'));
    await expect(called).rejects.toThrow('called off');
    expect(seen.length).toBeLessThanOrEqual(2);
  });
});

describe('PartnerClient.call', () => {
  it.each<Refusal>([
    ...[400, 401, 404, 422].map((status) => [status, 'x', failure(status, 'x')] as Refusal),
    [403, 'erro_interno', json(403, { message: 'Forbidden' })],
    [400, 'erro_interno', (_, response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{')],
    [200, 'erro_interno', json(200, {}, { 'content-type': 'text/html' })],
    [204, 'erro_interno', (_, response) => response.writeHead(204).end()],
  ])('the client does not repeat a call that fails with %i', async (status, codigo, refusal) => {
    const { client, seen } = await serve(refusal, created);
    await expect(client.call('create-lead', LEAD)).rejects.toMatchObject({ status, failure: { codigo } });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['the seconds of Retry-After', { 'retry-after': '66' }, 66],
    ['undefined after an answer without Retry-After', {}, undefined],
    ['undefined after a Retry-After that is neither seconds nor a date', { 'retry-after': '1.5' }, undefined],
    ['the seconds until a Retry-After that is a date', until('Thu, 26 Nov 2026 12:01:06 GMT'), 66],
    ['the seconds until a date of RFC 850', until('Thursday, 26-Nov-26 12:01:06 GMT'), 66],
    ['the seconds until a date of asctime', until('Thu Nov 26 12:01:06 2026'), 66],
    ['0 after a date that is past', until('Thu, 26 Nov 2026 11:59:59 GMT'), 0],
    ['undefined after a date with no such month', until('Thu, 26 Foo 2026 12:00:00 GMT'), undefined],
  ])('the retryAfter of a PartnerError is %s', async (_, headers, retryAfter) => {
    const { client } = await serve(json(422, {}, headers));
    await expect(client.call('create-lead', LEAD)).rejects.toMatchObject({ status: 422, retryAfter });
  });

  it('the client repeats no POST without a key after a 500, and refuses a missing required key and a malformed key', async () => {
    const { client, seen } = await serve(failure(500, 'erro_interno'), created);
    await expect(client.call('reset-sandbox', {})).rejects.toMatchObject({ status: 500 });
    await expect(client.call('submit-analyses', {} as never)).rejects.toThrow('falta a idempotencyKey');
    await expect(client.call('create-lead', { ...LEAD, idempotencyKey: '→' })).rejects.toThrow(TypeError);
    expect(seen).toHaveLength(1);
  });

  it('a call and a list need no second argument if nothing in it is required', async () => {
    const { client, seen } = await serve(json(200, { limit: 1, tem_mais: false, erros: [{ request_id: 'r-3' }] }));
    expect((await client.call('get-account')).status).toBe(200);
    for await (const { request_id } of client.iterate('list-refused-calls')) expect(request_id).toBe('r-3');
    expect(seen).toHaveLength(2);
    // @ts-expect-error: without an id there is no lead
    await expect(client.call('get-lead')).rejects.toThrow('get-lead: id deve ser um número inteiro positivo');
  });

  it('a call and a list refuse a filter outside of query, which would have no effect', async () => {
    const { client, seen } = await serve(json(200, { limit: 1, tem_mais: false, entregas: [] }));
    const input = { situacao: 'esgotada' } as object;
    const cure = 'um filtro de lista vai em query';
    await expect(client.call('list-own-deliveries', input)).rejects.toThrow(cure);
    await expect(client.iterate('list-own-deliveries', input).next()).rejects.toThrow(cure);
    expect(seen).toEqual([]);
  });

  it('a call and a list with a name that is no operation throw a TypeError that does not repeat the name', async () => {
    const { client, seen } = await serve(created);
    const refusal = 'operation: deve ser um nome da referência, o do endereço da página, como ';
    for (const name of ['getAccount', 'toString', undefined]) {
      const called = client.call(name as 'get-account');
      await expect(called).rejects.toThrow(new TypeError(`${refusal}create-lead`));
      const listed = client.iterate(name as 'list-refused-calls').next();
      await expect(listed).rejects.toThrow(new TypeError(`${refusal}list-lead-analyses`));
    }
    expect(seen).toHaveLength(0);
  });

  it('a call has its path, query, key and body, and an Idempotency-Key only if its route takes one', async () => {
    const asked: string[] = [];
    const { client, seen } = await serve(async (request, response) => {
      asked.push(`${request.method} ${request.url} ${await text(request)}`.trim());
      json(200, { ok: true }, { 'idempotent-replay': 'true' })(request, response);
    });
    const { replay } = await client.call('list-lead-analyses', { id: 5, query: { limit: 2, offset: 4 } });
    await client.call('update-lead', { id: 6, body: { observacao: null } });
    await client.call('update-lead', { id: 6 });
    const update = 'PATCH /v1/leads/6';
    expect(asked).toEqual(['GET /v1/leads/5/analises?limit=2&offset=4', `${update} {"observacao":null}`, update]);
    for (const { headers } of seen) expect(headers).toMatchObject({ 'x-api-key': 'pmc_sandbox_x' });
    expect(seen.map(({ headers }) => headers['content-type'])).toEqual([undefined, 'application/json', undefined]);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined, undefined]);
    expect(replay).toBe(true);
  });

  it('the client sends the key to no other address and not over plain http', async () => {
    const elsewhere = await serve(created);
    const { baseUrl } = await serve((_, response) => response.writeHead(307, { location: elsewhere.baseUrl }).end());
    await expect(new PartnerClient({ baseUrl, key: 'pmc_k' }).call('get-account', {})).rejects.toMatchObject({
      status: 307,
    });
    expect(elsewhere.seen).toEqual([]);
    expect(() => new PartnerClient({ baseUrl: 'http://api.example', key: 'pmc_k' })).toThrow('só https');
  });
});

describe('PartnerClient.iterate', () => {
  /** Returns a page of a list of analyses. */
  const page = (offset: number, tem_mais: boolean, ...ids: number[]) =>
    json(200, { ok: true, tem_mais, limit: 2, offset, analises: ids.map((analise_id) => ({ analise_id })) });
  const listed = async (client: PartnerClient) => {
    const ids: number[] = [];
    for await (const { analise_id } of client.iterate('list-lead-analyses', { id: 7, query: { limit: 2 } }))
      ids.push(analise_id);
    return ids;
  };

  it('the client goes through all pages of a list, although pages in the middle may be short or empty', async () => {
    const asked: (string | undefined)[] = [];
    const pages = [page(0, true, 9, 8), page(2, true, 7), page(4, true), page(6, false, 3, 2)];
    const noting = pages.map(
      (answer): RequestListener =>
        (request, response) => {
          asked.push(request.url);
          answer(request, response);
        },
    );
    const { client } = await serve(...noting);
    expect(await listed(client)).toEqual([9, 8, 7, 3, 2]);
    expect(asked).toEqual([0, 2, 4, 6].map((offset) => `/v1/leads/7/analises?limit=2&offset=${offset}`));
  });

  it('the client yields an item once if a new item moves it to the next page', async () => {
    const { client } = await serve(page(0, true, 9, 8), page(2, true, 8, 7), page(4, false, 7, 6));
    expect(await listed(client)).toEqual([9, 8, 7, 6]);
  });

  it('the client reads all pages of a list filtered by situacao before its first item, which a resend would move', async () => {
    // A list of three exhausted deliveries, in pages of one. Each resend takes its delivery out of the list.
    const ids = ['evt_c', 'evt_b', 'evt_a'];
    const listPage: RequestListener = (request, response) => {
      const offset = Number(new URL(request.url ?? '', 'http://partner.example').searchParams.get('offset'));
      const entregas = ids.slice(offset, offset + 1).map((id) => ({ id }));
      json(200, { ok: true, tem_mais: ids.length > offset + 1, limit: 1, offset, entregas })(request, response);
    };
    const { client } = await serve(listPage, listPage, listPage);
    const resent: string[] = [];
    for await (const { id } of client.iterate('list-own-deliveries', { query: { limit: 1, situacao: 'esgotada' } })) {
      resent.push(id);
      ids.splice(ids.indexOf(id), 1);
    }
    expect(resent).toEqual(['evt_c', 'evt_b', 'evt_a']);
  });

  it('the client follows proximo_cursor to the last page, also past an empty page of a filtered list', async () => {
    const asked: (string | undefined)[] = [];
    const cursors = ['5-9', '7-1', null];
    const listPage: RequestListener = (request, response) => {
      asked.push(request.url);
      const [proximo_cursor = null] = cursors.splice(0, 1);
      const analises = asked.length === 2 ? [] : [{ analise_id: asked.length }];
      json(200, { ok: true, limit: 1, tem_mais: proximo_cursor !== null, proximo_cursor, analises })(request, response);
    };
    const { client } = await serve(listPage, listPage, listPage);
    const ids: number[] = [];
    for await (const { analise_id } of client.iterate('list-analyses', { query: { situacao: 'erro' } }))
      ids.push(analise_id);
    expect(ids).toEqual([1, 3]);
    const path = '/v1/analises?situacao=erro';
    expect(asked).toEqual([path, `${path}&cursor=5-9`, `${path}&cursor=7-1`]);
  });

  it('the client yields every item that has no id', async () => {
    const refused = [{ codigo: 'a' }, { codigo: 'b' }];
    const { client } = await serve(json(200, { ok: true, tem_mais: false, limit: 20, offset: 0, erros: refused }));
    const found: unknown[] = [];
    for await (const item of client.iterate('list-refused-calls', {})) found.push(item);
    expect(found).toEqual(refused);
  });

  it('the client throws a PartnerError if a page is no list, and the refusal of a page that is refused', async () => {
    const none = await serve(json(200, {}, { 'x-request-id': 'r-3' }));
    const foreign = { status: 200, failure: { codigo: 'erro_interno', request_id: 'r-3' } };
    await expect(listed(none.client)).rejects.toMatchObject(foreign);
    const gone = await serve(page(0, true, 9, 8), failure(404, 'nao_encontrado'));
    await expect(listed(gone.client)).rejects.toMatchObject({ status: 404, failure: { codigo: 'nao_encontrado' } });
  });

  it('LISTS names every operation whose answer says whether more items follow', () => {
    const pages = Object.entries(document.components.schemas)
      .filter(([, schema]) => 'properties' in schema && 'tem_mais' in schema.properties)
      .map(([name]) => `"#/components/schemas/${name}"`);
    const lists = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .filter(({ responses }) => pages.some((page) => JSON.stringify(responses).includes(page)));
    expect(Object.keys(LISTS)).toEqual(lists.map(({ operationId }) => operationId));
    expect(lists.length).toBe(pages.length);
  });
});

const NO_TEXTS = [undefined, null, Number.NaN, -7, 7.5, 1e21, true, {}, []];

/** Every operation whose path has an id, with an id of the right form and an id of the other form. */
const WITH_ID = Object.entries(OPERATIONS).flatMap(([operation, [method, path, , form]]) => {
  if (form === 'none') return [];
  return [
    { operation, method, path, id: IDS_BY_FORM[form], other: IDS_BY_FORM[form === 'number' ? 'event' : 'number'] },
  ];
});

/** Returns the error that a function throws. Undefined if it returns. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Returns a server that answers every call, its client, and what arrived: method, address and Idempotency-Key. */
async function recorder() {
  const asked: string[] = [];
  const keys: (string | string[] | undefined)[] = [];
  const { client, baseUrl } = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    keys.push(request.headers['idempotency-key']);
    json(200, { ok: true })(request, response);
  });
  /** Calls as a program without types does. Returns the error of a call that fails. */
  const call = async (operation: string, input: object): Promise<unknown> => {
    try {
      return await Reflect.apply(client.call, client, [operation, input]);
    } catch (error) {
      return error;
    }
  };
  return { asked, keys, baseUrl, call };
}

describe('PartnerClient', () => {
  it.each(WITH_ID)(
    '$operation calls only its own path: an id of another form is refused before the call',
    async ({ operation, method, path, id, other }) => {
      const { asked, call } = await recorder();
      for (const wrong of [...HOSTILE_TEXTS, ...NO_TEXTS, other]) {
        const refused = await call(operation, { id: wrong });
        expect(refused, String(wrong)).toBeInstanceOf(TypeError);
        expect(String(refused), String(wrong)).toMatch(
          /^TypeError: [a-z-]+: id deve ser (um número inteiro positivo, como o que a criação devolveu|o id de um evento: evt_ e 32 letras e algarismos)$/,
        );
      }
      expect(asked).toEqual([]);
      await call(operation, { id });
      expect(asked).toEqual([`${method} ${path.replace('{id}', id)}`]);
    },
  );

  it('a call sends any text of its query as the value of its own parameter', async () => {
    const { asked, call } = await recorder();
    for (const text of HOSTILE_TEXTS) await call('list-own-deliveries', { query: { situacao: text, limit: 5 } });
    const urls = asked.map((line) => new URL(line.slice('GET '.length), 'http://partner.example'));
    expect(urls.map(({ pathname }) => pathname)).toEqual(HOSTILE_TEXTS.map(() => '/v1/webhooks/entregas'));
    expect(urls.map(({ searchParams }) => [...searchParams])).toEqual(
      HOSTILE_TEXTS.map((text) => [
        ['situacao', text],
        ['limit', '5'],
      ]),
    );
  });

  it('a call sends its Idempotency-Key unchanged, and is refused if a header cannot carry that key', async () => {
    const { keys, call } = await recorder();
    for (const key of ['', 'a, a', ...HEADER_BREAKERS]) {
      const refused = await call('create-lead', { ...LEAD, idempotencyKey: key });
      expect(refused, key).toBeInstanceOf(TypeError);
      expect(String(refused), key).toBe(
        'TypeError: create-lead: idempotencyKey deve ter só letras sem acento, algarismos e sinais, em uma linha e sem vírgula',
      );
    }
    expect(keys).toEqual([]);
    const whole = ['../../me?a#b', '"a"', 'a; b=c; d: e', '%0d%0aX-Other: 1'];
    for (const key of whole) await call('create-lead', { ...LEAD, idempotencyKey: key });
    expect(keys).toEqual(whole);
  });

  it('a call goes to its path below the base address, even if slashes and blanks end that address', async () => {
    const { asked, baseUrl } = await recorder();
    for (const end of ['', '/', '//', '\n', '/\n', '/api', '/api/ '])
      await new PartnerClient({ baseUrl: baseUrl + end, key: 'pmc_sandbox_x' }).call('get-lead', { id: 7 });
    const [plain, below] = ['GET /v1/leads/7', 'GET /api/v1/leads/7'];
    expect(asked).toEqual([plain, plain, plain, plain, plain, below, below]);
  });

  it.each([
    'https://api.example?a=',
    'https://api.example#',
    'https://api.example/?',
    'https://user:pw@api.example',
    'https://api.example\\@other.example',
    'https://api.exa\nmple',
    'api.example',
    '',
    'pmc_sandbox_x',
    'http://api.example',
    'ftp://localhost',
    'file://localhost/etc',
    'http://localhost.example',
  ])('PartnerClient refuses the base address %j, and the error does not repeat it', (baseUrl) => {
    const refused = thrownBy(() => new PartnerClient({ baseUrl, key: 'pmc_sandbox_x' }));
    expect(refused).toBeInstanceOf(TypeError);
    expect(inspect(refused)).toMatch(/^TypeError: baseUrl: (deve ser o endereço recebido com a chave|só https)/);
    if (baseUrl !== '') expect(inspect(refused).split('\n    at ')[0]).not.toContain(baseUrl);
  });
});

describe('the key of a PartnerClient', () => {
  it('the client sends its key without the blanks and newlines that a mounted file has at its ends', async () => {
    const { baseUrl, seen } = await serve(json(200, { ok: true }));
    const ends = ['\n', '\r\n', ' ', '\t', ' \n\n', '\ufeff'];
    for (const end of ends)
      await new PartnerClient({ baseUrl, key: `${end}pmc_sandbox_x${end}` }).call('get-account', {});
    expect(seen.map(({ headers }) => headers['x-api-key'])).toEqual(ends.map(() => 'pmc_sandbox_x'));
  });

  it.each([...NO_KEYS, undefined, null, 7, ['pmc_S3CRET x']])(
    'PartnerClient refuses the key %j, and the error does not show it',
    (key) => {
      const refused = thrownBy(() => Reflect.construct(PartnerClient, [{ baseUrl: 'https://api.example', key }]));
      expect(refused).toBeInstanceOf(TypeError);
      expect(String(refused)).toBe(
        'TypeError: key: deve ser só a chave, que começa por pmc_: sem aspas, espaços nem outro texto',
      );
      expect(inspect(refused, { depth: null, showHidden: true })).not.toContain('S3CRET');
    },
  );

  it('no error of a call and no print of a client shows the key', async () => {
    const refusing = await serve(failure(401, 'auth_invalid'));
    const breaking = await serve((request) => void request.socket.destroy());
    const silent = await serve(() => undefined);
    const nobody = await serveLocally(() => undefined);
    await nobody.close();
    for (const baseUrl of [refusing.baseUrl, breaking.baseUrl, silent.baseUrl, nobody.url]) {
      const timeout = baseUrl === silent.baseUrl ? 0.2 : undefined;
      const client = new PartnerClient({ baseUrl, key: 'pmc_S3CRET\n', attempts: 1, timeout });
      const failed = await client.call('create-lead', LEAD).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(Error);
      for (const one of [failed, client]) {
        expect(inspect(one, { depth: null, showHidden: true })).not.toContain('S3CRET');
        expect(JSON.stringify(one)).not.toContain('S3CRET');
      }
    }
    expect(refusing.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['pmc_S3CRET']);
  });
});

describe('verifyWebhook', () => {
  const { segredo: SECRET, corpo: BODY } = vector;
  const { 'x-service-event': _event, 'x-service-attempt': _attempt, ...HEADERS } = vector.cabecalhos;
  const AT = vector.agora * 1000;

  it("verifyWebhook accepts the contract's vector as text and bytes, with any form of headers", async () => {
    const loud = Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value]));
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, Buffer.from(BODY), bytes, bytes.buffer])
      for (const headers of [HEADERS, new Headers(HEADERS), loud])
        expect(await verifyWebhook(body, headers, SECRET, AT)).toEqual(JSON.parse(BODY));
  });

  it('verifyWebhook refuses the vector if a byte of body, id, time or a signature is flipped', async () => {
    const flipped = (text: string, at: number) =>
      text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
    for (let at = 0; at < BODY.length; at += 7)
      await expect(verifyWebhook(flipped(BODY, at), HEADERS, SECRET, AT), `body ${at}`).rejects.toThrow('não vale');
    for (const [name, value] of Object.entries(HEADERS))
      for (let at = name === 'x-service-signature' ? 7 : 0; at < value.length; at += 3) {
        // The last base64 digit before the padding has two bits that belong to no byte.
        if (name === 'webhook-signature' && at >= value.length - 2) continue;
        const headers = { ...HEADERS, [name]: flipped(value, at) };
        await expect(verifyWebhook(BODY, headers, SECRET, AT), `${name} ${at}`).rejects.toThrow();
      }
  });

  it('verifyWebhook accepts a secret with the blanks and newlines that a mounted file has at its ends', async () => {
    for (const end of ['\n', '\r\n', ' ', '\t'])
      expect(await verifyWebhook(BODY, HEADERS, `${end}${SECRET}${end}`, AT)).toEqual(JSON.parse(BODY));
  });

  it.each([...NO_SECRETS, undefined, 7])(
    'verifyWebhook refuses %j as a secret, and the error does not show it',
    async (secret) => {
      for (const secrets of [secret, [SECRET, secret]]) {
        const refused = await Reflect.apply(verifyWebhook, undefined, [BODY, HEADERS, secrets, AT]).catch(
          (error: unknown) => error,
        );
        expect(String(refused)).toMatch(/^WebhookError: secrets: (deve ser só|falta) o segredo do webhook/);
        expect(inspect(refused, { depth: null, showHidden: true })).not.toContain('S3CRET');
      }
    },
  );

  it.each(WEBHOOK_MISTAKES)(
    'verifyWebhook refuses $mistake before it computes a signature',
    async ({ typescript, sentence }) => {
      const computed = vi.spyOn(crypto.subtle, 'importKey');
      onTestFinished(() => computed.mockRestore());
      const call = { body: BODY, headers: HEADERS, secrets: SECRET, now: AT };
      const { body, headers, secrets, now } = { ...call, ...typescript(call) };
      const parts = [body, headers, secrets, now];
      const refused = await Reflect.apply(verifyWebhook, undefined, parts).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WebhookError);
      expect(String(refused)).toBe(`WebhookError: ${sentence}`);
      expect(inspect(refused, { depth: null, showHidden: true })).not.toContain(SECRET);
      expect(computed).not.toHaveBeenCalled();
    },
  );

  it('verifyWebhook throws a WebhookError for a signature that does not hold', async () => {
    const forged = await verifyWebhook(`${BODY} `, HEADERS, SECRET, AT).catch((error: unknown) => error);
    expect(String(forged)).toBe('WebhookError: a assinatura do webhook não vale');
    expect(forged).toBeInstanceOf(WebhookError);
  });

  it('verifyWebhook accepts the bytes and the headers of another realm, as Jest has them', async () => {
    const foreign = runInNewContext('({ ArrayBuffer, Uint8Array })');
    const buffer = new foreign.ArrayBuffer(Buffer.byteLength(BODY));
    const view = new foreign.Uint8Array(buffer);
    view.set(Buffer.from(BODY));
    for (const body of [buffer, view]) {
      expect(await Reflect.apply(verifyWebhook, undefined, [body, HEADERS, SECRET, AT])).toEqual(JSON.parse(BODY));
    }
    class OtherHeaders {
      readonly [Symbol.toStringTag] = 'Headers';
      readonly inner = new Headers(HEADERS);
      forEach(work: (value: string, name: string) => void): void {
        this.inner.forEach(work);
      }
    }
    const parts = [BODY, new OtherHeaders(), SECRET, AT];
    expect(await Reflect.apply(verifyWebhook, undefined, parts)).toEqual(JSON.parse(BODY));
  });

  it('verifyWebhook accepts an event that was signed 5 minutes before or after', async () => {
    for (const near of [-300_000, 300_000])
      expect(await verifyWebhook(BODY, HEADERS, SECRET, AT + near)).toEqual(JSON.parse(BODY));
  });

  it('during a rotation, verifyWebhook accepts an event with either of the two secrets', async () => {
    const [fresh, former, foreign] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    for (const type of EVENT_TYPES) {
      const { eventId, body } = makeDelivery({ type });
      const signed = { eventId, type, body: Buffer.from(body), attempt: 2 };
      const headers = new Headers(sign({ secret: fresh, previousSecret: former, previousUntil: AT + 1 }, signed, AT));
      for (const held of [fresh, former, [foreign, former], [fresh, foreign]])
        expect((await verifyWebhook(body, headers, held, AT)).id).toBe(eventId);
      await expect(verifyWebhook(body, headers, foreign, AT)).rejects.toThrow('não vale');
    }
  });
});
