import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort, type LocalServer, serve } from '#infra/local/listen.ts';
import type { EventId } from '#shared/domain/values/ids.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { PartnerClient, verifyWebhook } from '#shared/partner/client/client.ts';
import { ForwardingError, forwardEvents, keyRefusal, receiverAddress } from '#shared/partner/client/forward.ts';
import { sign } from '#shared/webhook/sign.ts';

const SECRET = newWebhookSecret();
const START = Date.parse('2026-11-20T12:00:00.000Z');
/** An address at which nothing listens. */
const CLOSED = `http://127.0.0.1:${await freePort()}`;

const servers: LocalServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));
async function serveHere(listener: RequestListener): Promise<LocalServer> {
  const server = await serve(listener);
  servers.push(server);
  return server;
}

interface Entry {
  readonly id: string;
  readonly tipo: string;
  readonly analise_id: number;
  readonly criada_em: string;
  readonly corpo?: string;
}

/** Returns an event as the list shows it. It was made so many seconds after the start. */
const entry = (seconds: number, changes: Partial<Entry> = {}): Entry => ({
  id: `evt_${seconds}`,
  tipo: 'analise.resultado',
  analise_id: 9001,
  criada_em: new Date(START + seconds * 1000).toISOString(),
  corpo: `{"id":"evt_${seconds}","data":{"status_original":"Em análise…"}}`,
  ...changes,
});

/** A sandbox: the events that it lists, the polls that it got, and answers that come before the list. */
async function makeSandbox(...entries: readonly Entry[]) {
  const listed = Array.from(entries);
  const refusals: RequestListener[] = [];
  const asked: { readonly at: number; readonly query: string }[] = [];
  const server = await serveHere((request, response) => {
    const { searchParams, search } = new URL(request.url ?? '', 'http://localhost');
    asked.push({ at: performance.now(), query: search });
    const refusal = refusals.shift();
    if (refusal) return refusal(request, response);
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(searchParams.get(name)));
    const end = offset! + limit!;
    const newestFirst = listed.toSorted((a, b) => b.criada_em.localeCompare(a.criada_em));
    const page = { ok: true, limit, offset, tem_mais: listed.length > end, entregas: newestFirst.slice(offset, end) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  });
  return { listed, refusals, asked, url: server.url };
}

/** A receiver that keeps what it gets, and answers each event with the next of these statuses, in the end with 200. */
async function makeReceiver(...statuses: number[]) {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  const server = await serveHere(async (request, response) => {
    received.push({ headers: request.headers, body: await buffer(request) });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  const ids = () => received.map(({ headers }) => headers['webhook-id']);
  return { received, ids, url: server.url };
}

/** Settings of a test. Each step happens in the pause after a poll. Without a further step the
 * forwarding ends. */
interface Run {
  readonly sandbox: { readonly url: string };
  readonly receiver: { readonly url: string };
  readonly steps?: readonly (() => void)[];
  readonly last?: number;
  readonly secrets?: readonly string[];
  readonly now?: () => number;
  readonly attempts?: number;
}

/** Forwards until the steps are over. Returns the lines that were printed, with `ready` for the end of the start. */
async function forward(run: Run): Promise<readonly string[]> {
  const { sandbox, receiver, last = 0, secrets = [SECRET], now = Date.now, attempts = 1 } = run;
  const steps = Array.from(run.steps ?? []);
  const printed: string[] = [];
  const stop = new AbortController();
  await forwardEvents({
    client: new PartnerClient({ baseUrl: sandbox.url, key: 'pmc_sandbox_x', attempts }),
    to: new URL(receiver.url),
    ...{ secrets, last, now, signal: stop.signal },
    ready: () => printed.push('ready'),
    print: (line) => printed.push(line),
    pause: async () => {
      const step = steps.shift();
      if (step) step();
      else stop.abort();
    },
  });
  return printed;
}

const refuse =
  (status: number, codigo: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ erro: 'Uma frase.', codigo, request_id: 'r-1' }));
  };

describe.concurrent('forwardEvents', () => {
  it('webhook listen forwards only events that come after its start, the oldest first, each once', async () => {
    const [sandbox, receiver] = [await makeSandbox(entry(1), entry(2)), await makeReceiver()];
    const steps = [() => sandbox.listed.push(entry(3), entry(4)), () => undefined, () => sandbox.listed.push(entry(5))];
    await forward({ sandbox, receiver, steps });
    expect(receiver.ids()).toEqual(['evt_3', 'evt_4', 'evt_5']);
  });

  it('webhook listen forwards every event of a sandbox that had none at the start', async () => {
    const [sandbox, receiver] = [await makeSandbox(), await makeReceiver()];
    const steps = [() => sandbox.listed.push(entry(1)), () => sandbox.listed.push(entry(2))];
    await forward({ sandbox, receiver, steps });
    expect(receiver.ids()).toEqual(['evt_1', 'evt_2']);
  });

  it('webhook listen --last 2 forwards the two newest events that are there at the start, the older one first', async () => {
    const [sandbox, receiver] = [await makeSandbox(entry(-9000), entry(-8000), entry(1)), await makeReceiver()];
    await forward({ sandbox, receiver, last: 2, steps: [() => sandbox.listed.push(entry(2))] });
    expect(receiver.ids()).toEqual(['evt_-8000', 'evt_1', 'evt_2']);
  });

  it('webhook listen reads as many pages as have new events', async () => {
    const [sandbox, receiver] = [await makeSandbox(entry(-9000)), await makeReceiver()];
    const many = Array.from({ length: 250 }, (_, index) => entry(index));
    await forward({ sandbox, receiver, steps: [() => sandbox.listed.push(...many)] });
    expect(receiver.ids()).toEqual(many.map(({ id }) => id));
  });

  it('webhook listen reads one page of a sandbox that has many old events', async () => {
    const old = Array.from({ length: 500 }, (_, index) => entry(-1000 * index));
    const [sandbox, receiver] = [await makeSandbox(...old), await makeReceiver()];
    await forward({ sandbox, receiver, steps: [() => undefined] });
    const first = '?limit=100&offset=0';
    expect(sandbox.asked.map(({ query }) => query)).toEqual([first, first]);
  });

  it('webhook listen forwards an event that the list shows later than a newer event', async () => {
    const [sandbox, receiver] = [await makeSandbox(entry(1)), await makeReceiver()];
    const steps = [() => sandbox.listed.push(entry(50)), () => sandbox.listed.push(entry(40))];
    await forward({ sandbox, receiver, steps });
    expect(receiver.ids()).toEqual(['evt_50', 'evt_40']);
  });

  it.each([
    ['one secret', [SECRET]],
    ['two secrets, as in a rotation', [SECRET, newWebhookSecret()]],
  ])('webhook listen sends the bytes of an event with the headers of the service, signed by %s', async (_, secrets) => {
    const now = Date.now();
    const event = entry(1, { id: 'evt_1', tipo: 'analise.erro' });
    const [sandbox, receiver] = [await makeSandbox(event), await makeReceiver()];
    await forward({ sandbox, receiver, last: 1, secrets, now: () => now });
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(body.toString()).toBe(event.corpo);
    const rotation = { secret: secrets[0]!, previousSecret: secrets[1], previousUntil: now + 1 };
    const attempt = { eventId: 'evt_1' as EventId, type: 'analise.erro', body, attempt: 1 } as const;
    const expected = Object.entries(sign(rotation, attempt, now)).map(([name, value]) => [name.toLowerCase(), value]);
    expect(headers).toMatchObject({ ...Object.fromEntries(expected), 'content-type': 'application/json' });
    for (const secret of secrets) expect(await verifyWebhook(body, headers, secret)).toMatchObject({ id: 'evt_1' });
  });

  it('webhook listen prints the answer of the receiver to each event, and goes on after a bad one', async () => {
    const [sandbox, receiver] = [await makeSandbox(entry(1), entry(2), entry(3)), await makeReceiver(500, 302, 204)];
    expect(await forward({ sandbox, receiver, last: 3 })).toEqual([
      'ready',
      'analise.resultado  evt_1  análise 9001: 500',
      'analise.resultado  evt_2  análise 9001: 302',
      'analise.resultado  evt_3  análise 9001: 204',
    ]);
  });

  it('webhook listen prints that a receiver did not answer, and does not send the event again', async () => {
    const sandbox = await makeSandbox(entry(1));
    const printed = await forward({ sandbox, receiver: { url: CLOSED }, last: 1, steps: [() => undefined] });
    expect(printed).toEqual(['ready', expect.stringMatching(/^analise\.resultado {2}evt_1 .*: sem resposta \(.+\)$/)]);
  });

  it.each([
    [429, 'rate_limited'],
    [503, 'servico_indisponivel'],
  ])('webhook listen waits for the Retry-After of a %i, and then goes on without a word', async (status, codigo) => {
    const [sandbox, receiver] = [await makeSandbox(entry(1)), await makeReceiver()];
    sandbox.refusals.push(refuse(status, codigo, { 'retry-after': '1' }));
    const printed = await forward({ sandbox, receiver, last: 1, attempts: 2 });
    expect(printed).toEqual(['ready', 'analise.resultado  evt_1  análise 9001: 200']);
    const [first, second] = sandbox.asked;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
  });

  it('webhook listen says once in each outage that the API does not answer, and then forwards the events', async () => {
    const [sandbox, receiver] = [await makeSandbox(), await makeReceiver()];
    const fail = (times: number) =>
      sandbox.refusals.push(...Array<RequestListener>(times).fill((request) => void request.socket.destroy()));
    const steps = [() => fail(2), () => sandbox.listed.push(entry(1)), () => undefined, () => fail(1), () => undefined];
    const complaint = expect.stringMatching(/^A API não respondeu \(.+\)\. Nova consulta em 5 s\.$/);
    expect(await forward({ sandbox, receiver, steps })).toEqual([
      'ready',
      complaint,
      'analise.resultado  evt_1  análise 9001: 200',
      complaint,
    ]);
  });

  it('webhook listen prints the refusal of a 500, and polls again', async () => {
    const [sandbox, receiver] = [await makeSandbox(), await makeReceiver()];
    sandbox.refusals.push(refuse(500, 'erro_interno'));
    const printed = await forward({ sandbox, receiver, steps: [() => undefined] });
    expect(printed).toEqual(['A API respondeu 500 erro_interno: Uma frase. Nova consulta em 5 s.', 'ready']);
  });

  it.each([
    [401, 'auth_invalid'],
    [403, 'escopo_insuficiente'],
  ])('webhook listen ends when the API refuses the key with %i', async (status, codigo) => {
    const sandbox = await makeSandbox();
    sandbox.refusals.push(refuse(status, codigo));
    const refused = forward({ sandbox, receiver: { url: CLOSED } });
    await expect(refused).rejects.toEqual(
      new ForwardingError(`A API recusou a consulta: ${status} ${codigo}: Uma frase.`),
    );
  });

  it('webhook listen ends when an event of the list has no body, as in production', async () => {
    const sandbox = await makeSandbox({ ...entry(1), corpo: undefined as never });
    const refused = forward({ sandbox, receiver: { url: CLOSED }, last: 1 });
    await expect(refused).rejects.toThrow('A API não trouxe o corpo do evento');
  });

  it('webhook listen ends when a secret is malformed', async () => {
    const sandbox = await makeSandbox(entry(1));
    const refused = forward({ sandbox, receiver: { url: CLOSED }, last: 1, secrets: ['whsec_A'] });
    await expect(refused).rejects.toThrow('secrets: deve ser só o segredo do webhook');
  });
});

describe('receiverAddress', () => {
  it.each([
    ['http://localhost:3000/webhooks?loja=7', 'http://localhost:3000/webhooks?loja=7'],
    ['localhost:3000/webhooks', 'http://localhost:3000/webhooks'],
    ['https://127.0.0.1:8443', 'https://127.0.0.1:8443/'],
    ['http://[::1]:3000', 'http://[::1]:3000/'],
  ])('webhook listen forwards to %s, an address of this machine', (text, address) => {
    expect(receiverAddress(text)?.href).toBe(address);
  });

  it.each([
    'https://hooks.parceiro.com.br/eventos',
    'http://localhost.example.com:3000',
    'http://127.0.0.1.example.com',
    'http://10.0.0.7:3000',
    'http://ana:segredo@localhost:3000',
    'ftp://localhost',
    'http://',
    '',
  ])('webhook listen forwards to no other address: "%s"', (text) => {
    expect(receiverAddress(text)).toBeUndefined();
  });
});

describe('keyRefusal', () => {
  it('webhook listen takes a key of the sandbox', () => {
    expect(keyRefusal('pmc_sandbox_x')).toBeUndefined();
  });

  it.each(['', 'pmc_x', 'pmc_producao_x', 'segredo'])('webhook listen refuses the key "%s" of no sandbox', (key) => {
    expect(keyRefusal(key)).toMatch(/CHAVE.*pmc_sandbox_/);
  });
});

describe('the command', () => {
  const COMMAND = join(import.meta.dirname, '../../../shared/partner/client/webhook.ts');
  /** Runs the command. Returns its exit code and what it writes to its error stream. */
  async function run(parts: readonly string[], settings: Record<string, string> = {}) {
    const env = { ...process.env, CHAVE: 'pmc_sandbox_x', WEBHOOK_SECRET: SECRET, BASE_URL: CLOSED, ...settings };
    const outcome = promisify(execFile)(process.execPath, [COMMAND, ...parts], { env, timeout: 60_000 });
    return outcome.then(
      () => ({ code: 0, stderr: '' }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    );
  }

  it('webhook listen refuses a key of production with a sentence and status 2, and calls no API', async () => {
    const sandbox = await makeSandbox();
    const settings = { CHAVE: 'pmc_S3CRET', BASE_URL: sandbox.url };
    const { code, stderr } = await run(['webhook', 'listen', '--forward-to', 'localhost:9'], settings);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^CHAVE não é uma chave do sandbox, /);
    expect(stderr).not.toContain('S3CRET');
    expect(sandbox.asked).toEqual([]);
  });

  it('webhook listen says when it forwards, and ends with status 0 at Ctrl+C', async () => {
    const sandbox = await makeSandbox();
    const settings = { CHAVE: ' pmc_sandbox_x\n', WEBHOOK_SECRET: `${SECRET} ${newWebhookSecret()}` };
    const env = { ...process.env, ...settings, BASE_URL: sandbox.url };
    const parts = [COMMAND, 'webhook', 'listen', '--forward-to', 'localhost:9/webhooks'];
    const command = spawn(process.execPath, parts, { env, timeout: 60_000 });
    const ended = once(command, 'close');
    expect(String(await once(command.stderr, 'data'))).toBe(
      'Encaminhando os eventos do sandbox a http://localhost:9/webhooks; Ctrl+C encerra.\n',
    );
    command.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('webhook listen ends with status 1 when the API refuses its key', async () => {
    const sandbox = await makeSandbox();
    sandbox.refusals.push(refuse(401, 'auth_invalid'));
    const told = await run(['webhook', 'listen', '--forward-to', 'localhost:9'], { BASE_URL: sandbox.url });
    expect(told).toEqual({ code: 1, stderr: 'A API recusou a consulta: 401 auth_invalid: Uma frase.\n' });
  });

  it.each([
    'webhook listen --key pmc_sandbox_x',
    'webhook listen --last 1',
    'webhook listen --forward-to localhost:9 --last 101',
    'webhook listen --forward-to localhost:9 --port 9',
    'webhook listen --forward-to https://hooks.parceiro.com.br',
    'webhook send',
  ])('the command "%s" ends with status 2 and its usage', async (line) => {
    const { code, stderr } = await run(line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain('Uso: credito-imobiliario webhook listen');
  });
});
