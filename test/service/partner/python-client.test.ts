import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '#shared/partner/client/generated.ts';
import { pageSource } from '#shared/partner/docs/contents.ts';
import vector from '#shared/partner/docs/samples/vetor.json' with { type: 'json' };
import { forgedHeaders } from '#test/makers/forged-webhook.ts';
import { HEADER_BREAKERS, HOSTILE_TEXTS, IDS_BY_FORM, NO_KEYS, NO_SECRETS } from '#test/makers/hostile-texts.ts';
import { hasCommandsOrWarns } from '#test/makers/present.ts';
import { WEBHOOK_MISTAKES } from '#test/makers/webhook-mistakes.ts';

const folder = join(import.meta.dirname, '../../../shared/partner/client/python');
const here = hasCommandsOrWarns('the client for Python', 'python3');

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Headers of an answer of 12:00:00 whose Retry-After is a date. */
const until = (date: string) => ({ date: 'Thu, 26 Nov 2026 12:00:00 GMT', 'retry-after': date });

/** Runs a Python program that has imported the client. Returns what the program prints, read as JSON. */
async function python(program: string, ...parts: string[]) {
  const text = `import json, sys\nfrom credito_imobiliario import *\n${program}`;
  // No compiled files may be left next to the client.
  const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await promisify(execFile)('python3', ['-c', text, ...parts], { env });
  return JSON.parse(stdout);
}

describe.runIf(here)('the client for Python', () => {
  let answers: (Answer | 'broken')[] = [];
  let seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    const next = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (next === 'broken') return request.socket.destroy();
    const { status, headers = {}, body: answer = {} } = next;
    return response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer));
  });
  let address: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  /** Runs Python with `api` on a server that gives these answers in turn, and then the last answer for ever. */
  async function against(given: (Answer | 'broken')[], program: string, ...parts: string[]) {
    answers = given;
    seen = [];
    return python(`api = PartnerClient(sys.argv[1] + "/", key="pmc_sandbox_x")\n${program}`, address, ...parts);
  }

  const failure = (status: number, codigo: string, headers: Record<string, string> = {}): Answer => ({
    status,
    headers,
    body: { erro: 'Uma frase.', codigo, request_id: 'r-1' },
  });
  const created: Answer = { status: 201, headers: { 'x-request-id': 'r-2' }, body: { ok: true, lead_id: 7 } };
  const CREATE = 'one = api.create_lead({"nome": "Ana", "cpf": "90000000175"})\n';
  const TELL = 'print(json.dumps([one.body, one.status, one.replay, one.request_id]))';
  const TOLD = [{ ok: true, lead_id: 7 }, 201, false, 'r-2'];
  const REFUSED = `try:\n  ${CREATE}except PartnerError as error:\n  import pickle\n  told = pickle.loads(pickle.dumps(error))\n  print(json.dumps([told.status, told.failure["codigo"]]))`;

  it.each([
    ['429', failure(429, 'rate_limited', { 'retry-after': '0' })],
    ['409 in progress', failure(409, 'idempotencia_em_andamento', { 'retry-after': '0' })],
    ['503', failure(503, 'servico_indisponivel', { 'retry-after': '0' })],
    ['500 without Retry-After', failure(500, 'erro_interno')],
    ['503 of a proxy', { status: 503, headers: until('Thu, 26 Nov 2026 12:00:00 GMT') }],
    ['502 that does not come from the service', { status: 502, headers: { 'content-type': 'text/html' } }],
    ['success whose JSON is cut short', { status: 201, headers: { 'content-length': '1' } }],
    ['connection that breaks off', 'broken'],
  ] as const)('the Python client repeats a call with the same key after a %s', async (_, refusal) => {
    expect(await against([refusal, created], CREATE + TELL)).toEqual(TOLD);
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  it.each([
    ['the seconds of Retry-After', { 'retry-after': '66' }, 66],
    ['None after an answer without Retry-After', {}, null],
    ['None after a Retry-After that is neither seconds nor a date', { 'retry-after': '1.5' }, null],
    ['the seconds until a Retry-After that is a date', until('Thu, 26 Nov 2026 12:01:06 GMT'), 66],
    ['the seconds until a date of RFC 850', until('Thursday, 26-Nov-26 12:01:06 GMT'), 66],
    ['the seconds until a date of asctime', until('Thu Nov 26 12:01:06 2026'), 66],
    ['0 after a date that is past', until('Thu, 26 Nov 2026 11:59:59 GMT'), 0],
    ['None after a date with no such month', until('Thu, 26 Foo 2026 12:00:00 GMT'), null],
  ])('the retry_after of a PartnerError is %s', async (_, headers, seconds) => {
    const program = `api._attempts = 1\n${REFUSED.replace('told.failure["codigo"]', 'told.retry_after')}`;
    expect(await against([failure(503, 'servico_indisponivel', headers)], program)).toEqual([503, seconds]);
  });

  it.each([
    [
      'a refusal of fields shows each field and its reason',
      {
        status: 400,
        body: {
          erro: 'Uma frase.',
          codigo: 'campo_invalido',
          campos: [{ campo: 'cpf', motivo: 'x' }],
          request_id: 'r',
        },
      },
      ['cpf: x', 'Uma frase.'],
    ],
    [
      'a refusal that passes goes to the queue with Retry-After',
      failure(503, 'servico_indisponivel', { 'retry-after': '7' }),
      ['later k 7'],
    ],
    ['a failure of the network goes to the queue with the same key', 'broken', ['later k 60']],
  ] as const)('in the guide’s program about refusals, %s', async (_, refusal, told) => {
    const [, sample = ''] = /^```python recusa\.py\n(.*?)^```/ms.exec(pageSource('linguagens')) ?? [];
    const program = `
import logging
told = []
def depois(key, seconds):
  told.append(f"later {key} {seconds}")
class Form:
  def add_error(self, field, text):
    told.append(text)
${sample}
api._attempts = 1
enviar(api, {}, "k", Form())
print(json.dumps(told))`;
    expect(await against([refusal], program)).toEqual(told);
  });

  it('the Python client waits for as long as Retry-After says', async () => {
    const timed = `import time\nstart = time.monotonic()\n${CREATE}print(time.monotonic() - start)`;
    const waited = await against([failure(429, 'rate_limited', { 'retry-after': '1' }), created], timed);
    expect(waited).toBeGreaterThanOrEqual(1);
  });

  it.each([
    ['a failure that a retry cannot cure', failure(422, 'idempotency_conflito'), 1],
    ['a wait that is too long', failure(429, 'rate_limited', { 'retry-after': '66' }), 1],
    ['a date too far away', failure(429, 'rate_limited', until('Thu, 26 Nov 2026 12:01:06 GMT')), 1],
    ['five attempts', failure(503, 'servico_indisponivel', { 'retry-after': '0' }), 5],
    ['a redirect', { status: 302, headers: { location: '/v1/other' } }, 1],
    ['a success of a proxy', { status: 200, headers: { 'content-type': 'text/html' } }, 1],
  ] as const)('the Python client gives up after %s', async (_, refusal, calls) => {
    const codigo = (refusal as { body?: { codigo?: string } }).body?.codigo ?? 'erro_interno';
    expect(await against([refusal], REFUSED)).toEqual([refusal.status, codigo]);
    expect(seen).toHaveLength(calls);
  });

  it('the Python client repeats no call that has no key, and makes none without a key that the call needs', async () => {
    const keyless =
      'try:\n  api.submit_analyses({}, idempotency_key=None)\nexcept ValueError as error:\n  print(json.dumps(str(error)))';
    expect(await against([created], keyless)).toContain('falta a idempotency_key');
    expect(seen).toEqual([]);
    const reset = REFUSED.replace(CREATE, 'api.reset_sandbox()\n');
    expect(await against([failure(500, 'erro_interno')], reset)).toEqual([500, 'erro_interno']);
    expect(seen).toHaveLength(1);
  });

  it('the Python client sends a Decimal as a number, a date as a date and a datetime with its offset', async () => {
    const program = `
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
moment = datetime(2026, 11, 21, 13, 18, 22, tzinfo=timezone(timedelta(hours=-3)))
body = {"renda": Decimal("350000.10"), "data_nascimento": date(1988, 3, 14), "consentimento_timestamp": moment}
one = api.submit_analyses(body, idempotency_key="k")
${TELL}`;
    expect(await against([created], program)).toEqual(TOLD);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      renda: 350000.1,
      data_nascimento: '1988-03-14',
      consentimento_timestamp: '2026-11-21T13:18:22-03:00',
    });
  });

  it('the Python client names the field whose value JSON cannot carry, before a call', async () => {
    const program = `
import uuid
from datetime import datetime
from decimal import Decimal
refused = []
numbers = (Decimal("NaN"), Decimal("-Infinity"), float("nan"), float("inf"))
for value in (*numbers, datetime(2026, 11, 21, 13, 18, 22), uuid.UUID(int=7), [uuid.UUID(int=7)]):
  try:
    api.create_lead({"nome": "Ana", "cpf": "90000000175", "renda": value})
  except ValueError as error:
    refused.append(str(error))
print(json.dumps(refused))`;
    const number = 'renda: deve ser um número finito';
    const offset = 'renda: o datetime precisa do fuso, como o de datetime.now(timezone.utc)';
    const other = 'renda: um corpo não leva UUID; passe-o como texto, número, lista ou dict';
    expect(await against([created], program)).toEqual([number, number, number, number, offset, other, other]);
    expect(seen).toEqual([]);
  });

  const FAILED = `except NetworkError as error:
  import pickle
  told = pickle.loads(pickle.dumps(error))
  key = told.idempotency_key
  print(json.dumps([type(told.cause).__name__, type(error.__cause__).__name__, told.retry_is_safe, key, str(told)]))`;

  it('a NetworkError of a call with a key has the cause and the key with which a retry is safe', async () => {
    const call = `try:\n  api._attempts = 1\n  ${CREATE}${FAILED}`;
    const [cause, chained, isSafe, key, sentence] = await against(['broken'], call);
    expect(cause).toBe('RemoteDisconnected');
    expect(chained).toBe('RemoteDisconnected');
    expect(isSafe).toBe(true);
    expect(key).toBe(seen[0]?.headers['idempotency-key']);
    expect(sentence).toContain('; repita com a mesma Idempotency-Key');
  });

  it('a NetworkError of a POST without a key says that a retry is not safe', async () => {
    const [cause, , isSafe, key, sentence] = await against(['broken'], `try:\n  api.reset_sandbox()\n${FAILED}`);
    expect(cause).toBe('RemoteDisconnected');
    expect(isSafe).toBe(false);
    expect(key).toBeNull();
    expect(sentence).toContain('a chamada pode ter sido feita: confira antes de repetir');
  });

  it('each failure of the network is a NetworkError, and an OSError too', async () => {
    const program = `
told = []
for address in ("http://localhost:1", "https://nothing.invalid", sys.argv[1]):
  try:
    PartnerClient(address, key="pmc_sandbox_x", attempts=1).get_account()
  except NetworkError as error:
    told.append([type(error.cause).__name__, error.retry_is_safe, isinstance(error, OSError)])
print(json.dumps(told))`;
    const cut: Answer = { status: 200, headers: { 'content-length': '1' } };
    expect(await against([cut], program)).toEqual([
      ['ConnectionRefusedError', true, true],
      ['gaierror', true, true],
      ['IncompleteRead', true, true],
    ]);
  });

  it('the Python client goes through all pages of a list', async () => {
    const page = (offset: number, tem_mais: boolean, ...ids: number[]): Answer => ({
      status: 200,
      body: { tem_mais, limit: 2, offset, analises: ids.map((analise_id) => ({ analise_id })) },
    });
    const all = 'print(json.dumps([one["analise_id"] for one in api.iter_lead_analyses(7, limit=2)]))';
    // A page may be short or empty although more pages follow.
    const pages = [page(0, true, 0, 1), page(2, true, 2), page(4, true), page(6, false, 6, 7)];
    expect(await against(pages, all)).toEqual([0, 1, 2, 6, 7]);
    expect(seen.map(({ url }) => url)).toEqual(
      [0, 2, 4, 6].map((offset) => `/v1/leads/7/analises?limit=2&offset=${offset}`),
    );
  });

  it('the Python client follows proximo_cursor to the last page', async () => {
    const page = (proximo_cursor: string | null, ...ids: number[]): Answer => {
      const analises = ids.map((analise_id) => ({ analise_id }));
      return { status: 200, body: { limit: 1, tem_mais: proximo_cursor !== null, proximo_cursor, analises } };
    };
    const all = 'print(json.dumps([one["analise_id"] for one in api.iter_analyses(situacao="erro")]))';
    expect(await against([page('5-9', 1), page('7-1'), page(null, 3)], all)).toEqual([1, 3]);
    const path = '/v1/analises?';
    expect(seen.map(({ url }) => url)).toEqual(
      ['', 'cursor=5-9&', 'cursor=7-1&'].map((cursor) => `${path}${cursor}situacao=erro`),
    );
  });

  it('the Python client yields an item once if a new item moves it to the next page', async () => {
    const page = (offset: number, tem_mais: boolean, ...ids: number[]): Answer => ({
      status: 200,
      body: { tem_mais, limit: 2, offset, analises: ids.map((analise_id) => ({ analise_id })) },
    });
    const all = 'print(json.dumps([one["analise_id"] for one in api.iter_lead_analyses(7, limit=2)]))';
    const pages = [page(0, true, 9, 8), page(2, true, 8, 7), page(4, false, 7, 6)];
    expect(await against(pages, all)).toEqual([9, 8, 7, 6]);
  });

  it('the Python client reads all pages of a list filtered by situacao before its first item', async () => {
    const page = (offset: number, tem_mais: boolean, id: string): Answer => ({
      status: 200,
      body: { tem_mais, limit: 1, offset, entregas: [{ id }] },
    });
    // Each item is resent as it comes. A resend between two pages would move the items behind it.
    const all = `
resent = []
for one in api.iter_own_deliveries(situacao="esgotada", limit=1):
  api.resend_delivery("evt_" + one["id"] * 32)
  resent.append(one["id"])
print(json.dumps(resent))`;
    expect(await against([page(0, true, 'c'), page(1, false, 'b'), created], all)).toEqual(['c', 'b']);
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'POST']);
  });

  it('the Python client reads the next page of a list without a filter only when it is needed', async () => {
    const body = { tem_mais: true, limit: 1, offset: 0, entregas: [{ id: 'c' }] };
    const first = 'print(json.dumps(next(api.iter_own_deliveries(limit=1))["id"]))';
    expect(await against([{ status: 200, body }], first)).toBe('c');
    expect(seen).toHaveLength(1);
  });

  it('the Python client yields every item that has no id', async () => {
    const refused = [{ codigo: 'a' }, { codigo: 'b' }];
    const body = { tem_mais: false, limit: 20, offset: 0, erros: refused };
    expect(await against([{ status: 200, body }], 'print(json.dumps(list(api.iter_refused_calls())))')).toEqual(
      refused,
    );
  });

  const WITH_ID = Object.entries(OPERATIONS).flatMap(([operation, [method, path, , form]]) => {
    if (form === 'none') return [];
    return [
      { operation, method, path, id: IDS_BY_FORM[form], other: IDS_BY_FORM[form === 'number' ? 'event' : 'number'] },
    ];
  });

  it.each(WITH_ID)(
    '$operation calls its own path only: an id of another form is refused before the call',
    async ({ operation, method, path, id, other }) => {
      const name = operation.replaceAll('-', '_');
      const iterated = `iter_${name.slice('list_'.length)}`;
      const program = `
import inspect
texts, good = json.loads(sys.argv[2])
sent = {"body": {}} if "body" in inspect.signature(api.${name}).parameters else {}
methods = [api.${name}, lambda id, **sent: list(getattr(api, "${iterated}", api.${name})(id, **sent))]
refused = []
for one in [*texts, None, True, -7, 7.5, [], {}, b"7", 10**30]:
  for method in methods:
    try:
      method(one, **sent)
    except ValueError as error:
      refused.append(str(error))
    else:
      refused.append(f"called with {one!r}")
api.${name}(good, **sent)
print(json.dumps(refused))`;
      const told = await against([{ status: 200, body: {} }], program, JSON.stringify([[...HOSTILE_TEXTS, other], id]));
      const number = 'id deve ser um número inteiro positivo, como o que a criação devolveu';
      const event = 'id deve ser o id de um evento: evt_ e 32 letras e algarismos';
      expect(new Set(told)).toEqual(new Set([operation === 'resend-delivery' ? event : number]));
      expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([`${method} ${path.replace('{id}', id)}`]);
    },
  );

  it('a call sends any text of its query as the value of its own parameter', async () => {
    const program =
      'for text in json.loads(sys.argv[2]):\n  api.list_own_deliveries(situacao=text, limit=5)\nprint("null")';
    await against([{ status: 200, body: {} }], program, JSON.stringify(HOSTILE_TEXTS));
    const urls = seen.map(({ url }) => new URL(url ?? '', 'http://partner.example'));
    expect(urls.map(({ pathname }) => pathname)).toEqual(HOSTILE_TEXTS.map(() => '/v1/webhooks/entregas'));
    expect(urls.map(({ searchParams }) => Object.fromEntries(searchParams))).toEqual(
      HOSTILE_TEXTS.map((situacao) => ({ situacao, limit: '5' })),
    );
  });

  it('a call sends its Idempotency-Key as it is, and is refused if a header cannot carry that key', async () => {
    const whole = ['../../me?a#b', '"a"', 'a; b=c; d: e', '%0d%0aX-Other: 1'];
    const program = `
refused = []
broken, whole = json.loads(sys.argv[2])
for one in broken + whole:
  try:
    api.create_lead({"nome": "Ana", "cpf": "90000000175"}, idempotency_key=one)
  except ValueError as error:
    refused.append(repr(error))
print(json.dumps(refused))`;
    const broken = ['', 'a, a', ...HEADER_BREAKERS];
    const told = await against([created], program, JSON.stringify([broken, whole]));
    const sentence =
      'idempotency_key: deve ser um UUID ou um texto só de letras sem acento, algarismos e sinais, em uma linha e sem vírgula';
    expect(told).toEqual(broken.map(() => `ValueError('${sentence}')`));
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(whole);
  });

  it('a call takes a UUID as its Idempotency-Key, and refuses any other type before the call', async () => {
    const program = `
import uuid
api.submit_analyses({}, idempotency_key=uuid.UUID(int=7))
refused = []
for one in (7, b"key", object()):
  try:
    api.submit_analyses({}, idempotency_key=one)
  except ValueError as error:
    refused.append(str(error)[:15])
print(json.dumps(refused))`;
    expect(await against([created], program)).toEqual(['idempotency_key', 'idempotency_key', 'idempotency_key']);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['00000000-0000-0000-0000-000000000007']);
  });

  it('a call goes to its path below the base address, even if slashes and blanks end that address', async () => {
    const program = `
for end in ["", "/", "//", "\\n", "/\\n", "/api", "/api/ "]:
  PartnerClient(sys.argv[1] + end, key="pmc_sandbox_x").get_lead(7)
print("null")`;
    await against([{ status: 200, body: {} }], program);
    const [plain, below] = ['/v1/leads/7', '/api/v1/leads/7'];
    expect(seen.map(({ url }) => url)).toEqual([plain, plain, plain, plain, plain, below, below]);
  });

  it('a client is not made for a base address that leads elsewhere, and the error does not repeat it', async () => {
    const addresses = [
      ...['https://api.example?a=', 'https://api.example#', 'https://api.example/?', 'https://user:pw@api.example'],
      ...['https://api.example\\@other.example', 'https://api.exa\nmple', 'api.example', '', 'pmc_sandbox_x'],
      ...['http://api.example', 'ftp://localhost', 'file://localhost/etc', 'http://localhost.example'],
    ];
    const program = `
refused = []
for address in json.loads(sys.argv[1]):
  try:
    PartnerClient(address, key="pmc_sandbox_x")
    refused.append(f"made for {address}")
  except ValueError as error:
    refused.append(repr(error))
print(json.dumps(refused))`;
    const sentences = new Set(await python(program, JSON.stringify(addresses)));
    expect(sentences).toEqual(
      new Set([
        "ValueError('base_url: deve ser o endereço recebido com a chave, como https://api.exemplo.com.br')",
        "ValueError('base_url: só https, para não expor a chave')",
      ]),
    );
  });

  it.each([['None'], ['""'], ['"api.example"']])(
    'the base address %s is refused as no address, not as plain http',
    async (address) => {
      const program = `try:\n  PartnerClient(${address}, key="pmc_k")\nexcept ValueError as error:\n  print(json.dumps(str(error)))`;
      expect(await python(program)).toBe(
        'base_url: deve ser o endereço recebido com a chave, como https://api.exemplo.com.br',
      );
    },
  );

  it('a client sends its key without the blanks and newlines that a mounted file has at its ends', async () => {
    const ends = ['\n', '\r\n', ' ', '\t', ' \n\n'];
    const program = `
for end in json.loads(sys.argv[2]):
  PartnerClient(sys.argv[1], key=end + "pmc_sandbox_x" + end).get_account()
print("null")`;
    await against([{ status: 200, body: {} }], program, JSON.stringify(ends));
    expect(seen.map(({ headers }) => headers['x-api-key'])).toEqual(ends.map(() => 'pmc_sandbox_x'));
  });

  it('a client is not made for a text that is no key, and the error does not show it', async () => {
    const program = `
refused = []
for one in [*json.loads(sys.argv[1]), None, 7, b"pmc_S3CRET", ["pmc_S3CRET"]]:
  try:
    PartnerClient("https://api.example", key=one)
    refused.append(f"made with {one!r}")
  except ValueError as error:
    refused.append(repr(error))
print(json.dumps(refused))`;
    const sentences = new Set(await python(program, JSON.stringify(NO_KEYS)));
    const sentence = 'key: deve ser só a chave, que começa por pmc_: sem aspas, espaços nem outro texto';
    expect(sentences).toEqual(new Set([`ValueError('${sentence}')`]));
  });

  it('no error of a call shows the key, not even in a report with the variables of each frame', async () => {
    const program = `
import traceback
CHAVE = sys.argv[2]
shown = []
def call(address, attempts):
  try:
    PartnerClient(address, key=CHAVE, attempts=attempts).create_lead({"nome": "Ana", "cpf": "1"})
  except Exception as error:
    shown.extend(traceback.TracebackException.from_exception(error, capture_locals=True).format())
call(sys.argv[1], 1)
call(sys.argv[1], 1)
call("http://localhost:1", 1)
client = PartnerClient("https://api.example", key=CHAVE)
print(json.dumps(["".join(shown), repr(client), str(client)]))`;
    const told = await against([failure(401, 'auth_invalid'), 'broken'], program, 'pmc_S3CRET\n');
    const [report] = told;
    expect(report).toContain('PartnerError: 401 auth_invalid');
    expect(report).toContain('RemoteDisconnected');
    expect(report).toContain('Connection refused');
    expect(JSON.stringify(told)).not.toContain('S3CRET');
  });

  it('an import of everything brings the names of the client, and none of a module that the client uses', async () => {
    const program = `
import datetime
from credito_imobiliario import *
modules = [name for name in ("date", "Decimal", "Any", "re", "time") if name in dir()]
print(json.dumps([modules, datetime.__name__, PartnerClient.__name__, LeadNovo.__name__, str(Event)[:12]]))`;
    expect(await python(program)).toEqual([[], 'datetime', 'PartnerClient', 'LeadNovo', 'typing.Union']);
  });

  it('the Python client sends a key only over https', async () => {
    const program =
      'try:\n  PartnerClient("http://api.example", key="pmc_k")\nexcept ValueError as error:\n  print(json.dumps(str(error)))';
    expect(await python(program)).toContain('só https');
  });

  it('verify_webhook refuses a text that is no webhook secret, and the error does not show it', async () => {
    const program = `
refused = []
secret, body, headers, now, texts = json.loads(sys.argv[1])
for one in [*texts, None, b"whsec_S3CRET"]:
  for secrets in ([one], [secret, one]):
    try:
      refused.append(verify_webhook(body.encode(), headers, secrets, now))
    except ValueError as error:
      refused.append(repr(error))
print(json.dumps(refused))`;
    const { segredo, corpo, cabecalhos, agora } = vector;
    const told = await python(program, JSON.stringify([segredo, corpo, cabecalhos, agora, NO_SECRETS]));
    const none = 'secrets: falta o segredo do webhook; confira a variável ou o arquivo de que ele vem';
    const other =
      'secrets: deve ser só o segredo do webhook, inteiro, que começa por whsec_: sem aspas nem outro texto';
    expect(new Set(told)).toEqual(new Set([`WebhookError('${none}')`, `WebhookError('${other}')`]));
  });

  it('verify_webhook refuses each usual mistake before it computes a signature, as verifyWebhook does', async () => {
    const { segredo, corpo, cabecalhos, agora } = vector;
    const mistakes = WEBHOOK_MISTAKES.map(({ python }) => python);
    const program = `
import datetime, hmac, io
hmac.new = None
refused = []
secrets, text, headers, now, mistakes = json.loads(sys.argv[1])
body = text.encode()
for mistake in mistakes:
  right = {"body": body, "headers": headers, "secrets": secrets, "now": now}
  try:
    verify_webhook(**{**right, **eval(mistake)})
    refused.append("accepted")
  except Exception as error:
    refused.append(f"{type(error).__name__}: {error}")
print(json.dumps(refused))`;
    const told: string[] = await python(program, JSON.stringify([segredo, corpo, cabecalhos, agora, mistakes]));
    const answered = WEBHOOK_MISTAKES.map(({ mistake }, index) => `${mistake}: ${told[index]}`);
    expect(answered).toEqual(WEBHOOK_MISTAKES.map(({ mistake, sentence }) => `${mistake}: WebhookError: ${sentence}`));
  });

  it('verify_webhook raises a WebhookError for a signature that does not hold', async () => {
    const { segredo, corpo, cabecalhos, agora } = vector;
    const program = `
refused = []
secret, body, headers, now = json.loads(sys.argv[1])
odd = {**headers, "webhook-id": "\ud800", "x-service-signature": "\ud800"}
for call in ((body + " ", headers, secret, now), (body, odd, secret, now)):
  try:
    refused.append(verify_webhook(*call))
  except Exception as error:
    refused.append(f"{type(error).__name__}: {error}")
print(json.dumps(refused + [issubclass(WebhookError, ValueError)]))`;
    const invalid = 'WebhookError: a assinatura do webhook não vale';
    const told = await python(program, JSON.stringify([segredo, corpo, cabecalhos, agora]));
    expect(told).toEqual([invalid, invalid, true]);
  });

  it('verify_webhook accepts the body as bytes, as a bytearray, as a memoryview and as text', async () => {
    const { segredo, corpo, cabecalhos, agora } = vector;
    const program = `
secret, text, headers, now = json.loads(sys.argv[1])
bodies = [text, text.encode(), bytearray(text.encode()), memoryview(text.encode())]
print(json.dumps([verify_webhook(body, headers, secret, now)["data"]["analise_id"] for body in bodies]))`;
    const told = await python(program, JSON.stringify([segredo, corpo, cabecalhos, agora]));
    expect(told).toEqual([9001, 9001, 9001, 9001]);
  });

  it('verify_webhook accepts a webhook that is signed as the test vector is, and no other', async () => {
    const flipped = (text: string) => text.replace(/.(.{3})$/, (_, end) => `${text.at(-4) === 'A' ? 'B' : 'A'}${end}`);
    const { segredo, agora, cabecalhos, corpo } = vector;
    const other = { ...cabecalhos, 'x-service-signature': flipped(cabecalhos['x-service-signature']) };
    const standard = { ...cabecalhos, 'webhook-signature': flipped(cabecalhos['webhook-signature']) };
    const cases = [
      [corpo, cabecalhos, segredo, agora],
      [corpo, cabecalhos, [flipped(segredo), segredo], agora + 300],
      [corpo, cabecalhos, `\t${segredo}\r\n`, agora],
      [corpo, cabecalhos, segredo, agora + 301],
      [corpo.replace('9001', '9002'), cabecalhos, segredo, agora],
      [corpo, cabecalhos, flipped(segredo), agora],
      [corpo, other, segredo, agora],
      [corpo, { ...other, 'x-service-signature-anterior': cabecalhos['x-service-signature'] }, segredo, agora],
      [corpo, standard, segredo, agora],
      [corpo, {}, segredo, agora],
      ...['', 'whsec_', 'whsec_ '].flatMap((empty) =>
        [empty, [segredo, empty]].map((held) => [corpo, forgedHeaders(vector, empty), held, agora]),
      ),
    ];
    const program = `
def told(body, headers, secrets, now):
  try:
    return verify_webhook(body.encode(), headers, secrets, now)["data"]["analise_id"]
  except ValueError:
    return False
print(json.dumps([told(*one) for one in json.loads(sys.argv[1])]))`;
    const expected = [9001, 9001, 9001, false, false, false, false, 9001, false, false, ...Array(6).fill(false)];
    expect(await python(program, JSON.stringify(cases))).toEqual(expected);
  });
});
