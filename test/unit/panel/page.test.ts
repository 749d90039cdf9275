import { describe, expect, it } from 'vitest';
import { CallError } from '../../../bin/manager/panel/page/api.ts';
import { failureText } from '../../../bin/manager/panel/page/failure-text.ts';
import { distance } from '../../../bin/manager/panel/page/moments.ts';
import { placeOf } from '../../../bin/manager/panel/page/router.ts';
import { runPages } from '../../../bin/manager/panel/page/run-pages.ts';
import { secretTimeline } from '../../../bin/manager/panel/page/secret-timeline.ts';
import { causeText, FAILURE, FIELD_REASON } from '../../../bin/manager/panel/page/words.ts';
import { ADMINISTRATION_CODES, ADMINISTRATION_FAILURES } from '../../../shared/administration/failures.ts';
import * as fields from '../../../shared/administration/fields.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');

describe('a failure in words', () => {
  const failed = (code: keyof typeof FAILURE, more: object = {}) =>
    failureText(new CallError('revoke-key', { code, error: ADMINISTRATION_FAILURES[code].error, ...more }));

  it('is a sentence in Portuguese for every code', () => {
    for (const code of ADMINISTRATION_CODES) expect(failed(code).sentence).toMatch(/^[A-ZÀ-Ú].+[.:]$|\.$/);
    expect(Object.keys(FAILURE).sort()).toEqual([...ADMINISTRATION_CODES].sort());
  });

  it('names who may do what this person may not', () => {
    expect(failed('forbidden').sentence).toBe(
      'Suas funções não permitem isto. Peça a quem tem a função gestão ou segurança.',
    );
  });

  it('says more in one operation than the code alone, with the service’s own sentence below', () => {
    expect(failed('refused')).toMatchObject({
      sentence: 'Só uma chave ativa pode ser revogada.',
      detail: ADMINISTRATION_FAILURES.refused.error,
    });
  });

  it('names the fields in fault, and the call', () => {
    const fault = { field: 'reason', reason: 'has at most 500 characters' };
    expect(failed('field_invalid', { fields: [fault], request_id: 'abc' })).toMatchObject({
      fields: ['Motivo: tem no máximo 500 caracteres'],
      requestId: 'abc',
    });
  });

  it('says how a panel that was closed is opened again', () => {
    const closed = new CallError('list-keys', { code: 'panel_closed', error: '' });
    expect(failureText(closed).sentence).toContain('npm run manager -- panel');
  });

  it('knows the sentences of the fields that people fill in', () => {
    const values: readonly (readonly [keyof typeof fields, unknown])[] = [
      ['reason', ' '],
      ['reason', 'x'.repeat(501)],
      ['reason', 'ana@exemplo.com.br'],
      ['cpf', '123'],
      ['name', ''],
      ['name', 'x'.repeat(201)],
      ['name', 'a\nb'],
      ['id', 0],
      ['eventId', 'evt_1'],
      ['keyId', '?'],
      ['momentMeant', 'ontem'],
    ];
    for (const [name, value] of values) {
      const schema = (fields[name] as (what: string) => ReturnType<typeof fields.reason>)('');
      const issues = schema.safeParse(value).error?.issues ?? [];
      expect(issues.length, name).toBeGreaterThan(0);
      for (const { message } of issues) expect(FIELD_REASON).toHaveProperty([message]);
    }
  });
});

it.each([
  ['http_4xx 410', 'O parceiro recusou (HTTP 410)'],
  ['dns', 'O nome do endereço não foi encontrado'],
  ['something new 7', 'something new 7'],
])('%s is a cause in words', (cause, text) => expect(causeText(cause)).toBe(text));

describe('the address', () => {
  it.each([
    ['', { screen: 'partners' }],
    ['#/parceiros', { screen: 'partners' }],
    ['#/parceiros/12', { screen: 'partner', partnerId: 12, tab: 'resumo' }],
    ['#/parceiros/12/chaves', { screen: 'partner', partnerId: 12, tab: 'chaves' }],
    ['#/parceiros/12/constructor', { screen: 'nowhere' }],
    ['#/parceiros/x', { screen: 'nowhere' }],
    ['#/parceiros/12/chaves/1', { screen: 'nowhere' }],
    ['#/entregas/evt_a', { screen: 'delivery', eventId: 'evt_a' }],
    ['#/ajuda/webhook', { screen: 'help', section: 'webhook' }],
    ['#/nada', { screen: 'nowhere' }],
  ])('%s leads to its screen', (hash, place) => expect(placeOf(hash)).toEqual(place));
});

describe('the overlap of two secrets', () => {
  const until = (hours: number) => new Date(NOW + hours * HOUR).toISOString();

  it('stands where the clock stands in its 24 hours', () => {
    expect(secretTimeline(until(18), NOW)).toEqual({ from: until(-6), until: until(18), passed: 0.25 });
  });

  it('is none before a rotation, and none after its end', () => {
    expect(secretTimeline(null, NOW)).toBeUndefined();
    expect(secretTimeline(until(0), NOW)).toBeUndefined();
  });
});

it.each([
  [-90, 'agora'],
  [-5 * 60_000, 'há 5 minutos'],
  [-3 * HOUR, 'há 3 horas'],
  [15 * HOUR, 'em 15 horas'],
  [-50 * HOUR, 'há 2 dias'],
])('%d ms from now is %s', (milliseconds, text) => {
  expect(distance(new Date(NOW + milliseconds).toISOString(), NOW)).toBe(text);
});

describe('a work of many pages', () => {
  const paged = (next: (string | null)[]) => async () => ({ next_cursor: next.shift()! });

  it('hands each cursor on until there is none', async () => {
    const cursors: (string | undefined)[] = [];
    const answers = paged(['a', 'b', null]);
    await runPages(
      (cursor) => {
        cursors.push(cursor);
        return answers();
      },
      () => {},
    );
    expect(cursors).toEqual([undefined, 'a', 'b']);
  });

  it('stops where it may not go on', async () => {
    const seen: unknown[] = [];
    await runPages(
      paged(['a', 'b', null]),
      (page) => seen.push(page),
      () => seen.length < 2,
    );
    expect(seen).toHaveLength(2);
  });
});
