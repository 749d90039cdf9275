import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdministrationClient, AdministrationRefusal } from '#bin/manager/administration-client.ts';
import { verdict } from '#bin/manager/errors.ts';
import { callApi } from '#bin/manager/panel/forward.ts';
import { type LocalServer, serve } from '#infra/local/listen.ts';
import type { AdministrationCode } from '#shared/administration/failures.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import type { KeyId } from '#shared/domain/values/ids.ts';
import { HOSTILE_TEXTS, IDS_BY_FORM } from '#test/makers/hostile-texts.ts';

type Seen = { readonly method: string; readonly url: string; readonly body?: object };
interface Told {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Record<string, string>;
}

let seen: Seen[];
let answers: (Told | 'cut')[];
let pauses: number[];
let server: LocalServer;
let client: AdministrationClient;

beforeEach(async () => {
  [seen, answers, pauses] = [[], [], []];
  server = await serve((request, response) => {
    void text(request).then((body) => {
      const { method, url } = request as { method: string; url: string };
      seen.push({ method, url, ...(body !== '' && { body: JSON.parse(body) }) });
      const told = answers.shift() ?? { status: 500, body: 'nothing more to tell' };
      if (told === 'cut') return request.socket.destroy();
      response.writeHead(told.status, told.headers);
      response.end(typeof told.body === 'string' ? told.body : JSON.stringify(told.body));
    });
  });
  const access = { url: `${server.url}/prod/`, sign: async ({ headers }: { headers: object }) => ({ ...headers }) };
  client = new AdministrationClient(access, async (milliseconds) => void pauses.push(milliseconds));
});
afterEach(() => server.close());

const failure = (code: AdministrationCode, status: number, more: object = {}, headers: Told['headers'] = {}): Told => ({
  status,
  headers,
  body: { ok: false, error: 'There is no partner 5.', code, request_id: 'r-1', ...more },
});
const NO_WORD: Told = { status: 502, body: '<html>' };
const UNREAD: Told = { status: 200, body: { ok: true } };
const FIELDS = [{ field: 'url', reason: 'must be https (https_obrigatorio)' }];
const units: Told = { status: 200, body: { ok: true, units: [] } };
const revoked: Told = { status: 200, body: { ok: true, partner_id: 5, key_id: 'a1B2c', state: 'revoked' } };
const previewed: Told = { status: 200, body: { ok: true, dry_run: true, waiting: 3, in_hand: 0, suspended: false } };
const list = () => client.ask('list-units', { partner_id: 5 });
const revoke = (agreed: boolean) =>
  client.ask('revoke-key', { partner_id: 5, key_id: 'a1B2c' as KeyId }, { reason: 'leaked', agreed });
const REVOKE = { partner_id: 5, reason: 'leaked', confirm: 'a1B2c' };
const revokeByPanel = () => callApi(client)('revoke-key', { params: { key_id: 'a1B2c' }, body: REVOKE });

it('AdministrationClient sends no body that the schema of its operation refuses', async () => {
  const wrong = client.ask('set-rate', { partner_id: 5, environment: 'sandbox', limit: 0 }, { reason: 'r' });
  await expect(wrong).rejects.toThrow(/^limit /);
  expect(seen).toEqual([]);
});

/** A valid value for each parameter of a path. */
const PARAMS: Readonly<Record<string, string>> = {
  partner_id: '5',
  environment: 'sandbox',
  unit_id: '5',
  analysis_id: '5',
  key_id: 'a1B2c',
  event_id: IDS_BY_FORM.event,
  bank: 'itau',
  operation: 'create-key',
  approval_id: `apr_${'0a'.repeat(16)}`,
};
const WITH_PARAMS = ADMINISTRATION_OPERATIONS.filter(({ path }) => path.includes('{')).map((route) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  return { ...route, names, good: Object.fromEntries(names.map((name) => [name, PARAMS[name]])) };
});

it.each(WITH_PARAMS)(
  '$operation goes only to its own path: a parameter of another form is refused before the call',
  async ({ operation, method, path, names, good }) => {
    for (const name of names) {
      for (const text of [...HOSTILE_TEXTS, undefined]) {
        const sent = client.send(operation, { params: { ...good, [name]: text } });
        await expect(sent, `${name} ${text}`).rejects.toThrow(new RegExp(`^${name} `));
      }
    }
    expect(seen).toEqual([]);
    await expect(client.send(operation, { params: good })).rejects.toThrow();
    const own = path.replace(/\{(\w+)\}/g, (_, name: string) => String(good[name]));
    expect(seen[0]).toMatchObject({ method, url: `/prod${own}` });
  },
);

it('a refusal of the API is thrown with its own sentence, and the call is not repeated', async () => {
  answers = [failure('not_found', 404)];
  await expect(list()).rejects.toBeInstanceOf(AdministrationRefusal);
  answers = [failure('not_found', 404), units];
  await expect(list()).rejects.toMatchObject({ message: 'there is no partner 5', code: 'not_found' });
  expect(pauses).toEqual([]);
});

it('a refusal of the API names the faulty fields, and the request id of an unforeseen error', async () => {
  answers = [failure('field_invalid', 400, { fields: FIELDS }), failure('internal_error', 500)];
  await expect(list()).rejects.toThrow(/^url must be https \(https_obrigatorio\)$/);
  await expect(list()).rejects.toThrow('(request_id r-1)');
});

it('an answer that the API cannot have given, or that fits no schema, is reported as such', async () => {
  answers = [NO_WORD, UNREAD];
  await expect(list()).rejects.toThrow('the answer 502 does not come from the API');
  await expect(list()).rejects.toThrow('this version cannot read the answer');
});

it('a read is tried up to three times if the API is busy, after the pause that the API asks for', async () => {
  answers = [failure('unavailable', 503, {}, { 'retry-after': '2' }), 'cut', units];
  expect(await list()).toEqual({ ok: true, units: [] });
  expect(pauses).toEqual([2000, 1000]);
  answers = [1, 2, 3, 4].map(() => failure('timed_out', 504));
  await expect(list()).rejects.toMatchObject({ code: 'timed_out' });
  expect(answers).toHaveLength(1);
});

it('a change is not sent again if the API is busy or the answer is lost: it may have been made', async () => {
  answers = [failure('unavailable', 503), revoked];
  await expect(revoke(true)).rejects.toMatchObject({ code: 'unavailable' });
  answers = ['cut', revoked];
  await expect(revoke(true)).rejects.toMatchObject({ code: 'outcome_unknown' });
  expect(seen).toHaveLength(2);
});

it('a change that was throttled has reached nobody, and is sent again', async () => {
  answers = [failure('too_many_requests', 429, {}, { 'retry-after': '1' }), revoked];
  expect(await revoke(true)).toMatchObject({ state: 'revoked' });
  expect(pauses).toEqual([1000]);
});

describe('a change whose answer was lost', () => {
  const LOST: [string, Told | 'cut', RegExp][] = [
    ['is cut off', 'cut', /its answer was lost$/],
    ['does not come from the API', NO_WORD, /the answer 502 does not come from the API/],
    ['does not fit its schema', UNREAD, /this version cannot read the answer/],
  ];

  it.each(LOST)('a change is reported as in doubt, by the panel too, if the answer %s', async (_, told, why) => {
    answers = [told, told];
    const refused = await revoke(true).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AdministrationRefusal);
    expect(refused).toMatchObject({ code: 'outcome_unknown', answer: undefined });
    expect(verdict(refused).line).toMatch(/^it is not known whether the change was made, look before you repeat it: /);
    expect(verdict(refused).line).toMatch(why);
    const error = expect.stringMatching(why);
    const body = { ok: false, code: 'outcome_unknown', error, request_id: 'panel' };
    expect(await revokeByPanel()).toEqual({ status: 500, body });
  });

  it('a lost answer leaves no doubt about an audited read or a preview: both can be repeated', async () => {
    answers = ['cut', UNREAD, UNREAD];
    const find = () => client.ask('find-leads', { cpf: '900.000.001-75' }, { reason: 'INC-1' });
    for (const line of [/^nothing answers there/, /^this version cannot read the answer/])
      expect(verdict(await find().catch((error: unknown) => error)).line).toMatch(line);
    await expect(client.ask('redrive-dead-letters', { max: 3 }, { isDry: true })).rejects.toThrow(
      /^this version cannot read the answer/,
    );
  });

  it('a change that reached nobody is not in doubt, because nothing was sent', async () => {
    await server.close();
    const refused = await revoke(true).catch((error: unknown) => error);
    expect(refused).not.toBeInstanceOf(AdministrationRefusal);
    expect(verdict(refused).line).toMatch(/^nothing answers there/);
    server = await serve((_, response) => response.destroy());
  });
});

describe('callApi', () => {
  const listByPanel = () => callApi(client)('list-units', { query: { partner_id: '5' } });

  it('a call of the panel keeps its params, query and body, and returns the answer of the API', async () => {
    answers = [revoked, units];
    expect(await revokeByPanel()).toEqual(revoked);
    expect(await listByPanel()).toEqual(units);
    expect(seen).toEqual([
      { method: 'POST', url: '/prod/v1/keys/a1B2c/revoke', body: REVOKE },
      { method: 'GET', url: '/prod/v1/units?partner_id=5' },
    ]);
  });

  it('a refusal reaches the panel with its status, sentence, fields and request id', async () => {
    const { status, body } = failure('field_invalid', 400, { fields: FIELDS });
    answers = [{ status, body }];
    expect(await listByPanel()).toEqual({ status, body });
  });

  it('a preview of the panel is repeated if the API is busy, a change is not', async () => {
    answers = [failure('unavailable', 503), previewed, failure('unavailable', 503), revoked];
    const preview = await callApi(client)('redrive-dead-letters', { body: { dry_run: true } });
    expect(preview.status).toBe(200);
    expect(seen).toHaveLength(2);
    expect((await revokeByPanel()).status).toBe(503);
    expect(seen).toHaveLength(3);
  });
});
