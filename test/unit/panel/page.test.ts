import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Sent } from '#bin/manager/administration-client.ts';
import { helpHtml, helpText } from '#bin/manager/panel/bundle.ts';
import { PANEL_OPERATIONS } from '#bin/manager/panel/forward.ts';
import { ask, CallError, emptyText, preview, runPages, transport } from '#bin/manager/panel/page/api.ts';
import { type Approval, approvedCall, openFirst, waitingFor } from '#bin/manager/panel/page/approved-call.ts';
import { auditPage, KEY_TEXT, keyIdIn, WHOLE_AUDIT } from '#bin/manager/panel/page/audit-search.ts';
import { actionShown, callerShown, targetShown, userShown } from '#bin/manager/panel/page/audit-words.ts';
import { failingPage } from '#bin/manager/panel/page/failing-pages.ts';
import { failureText, isRequest } from '#bin/manager/panel/page/failure-text.ts';
import { calledAddress, hostOf, shortened } from '#bin/manager/panel/page/long-text.ts';
import { dateTime, distance, secretTimeline, zoneAt } from '#bin/manager/panel/page/moments.ts';
import { choiceText, partnersNamed, unitShown } from '#bin/manager/panel/page/partners-named.ts';
import { type PersonSearch, searchPerson, searchText } from '#bin/manager/panel/page/person-search.ts';
import { keyStartHref, personHref, placeOf } from '#bin/manager/panel/page/router.ts';
import * as words from '#bin/manager/panel/page/words.ts';
import { causeText, FAILURE, fieldReasonText, keptText, stateOf } from '#bin/manager/panel/page/words.ts';
import { APPROVABLE } from '#shared/administration/approvals.ts';
import { rateFaultFields } from '#shared/administration/bank-rates.ts';
import { ADMINISTRATION_CODES, ADMINISTRATION_FAILURES, IN_DOUBT } from '#shared/administration/failures.ts';
import * as fields from '#shared/administration/fields.ts';
import { CORRECTION_REFUSED } from '#shared/administration/leads.ts';
import { ADMINISTRATION_OPERATIONS, operationNamed } from '#shared/administration/operations.ts';
import { readKeyStart } from '#shared/domain/partners/key-start.ts';
import {
  confirmationFaults,
  confirmationOf,
  publicationFaults,
} from '#shared/domain/simulations/pricing/tables/publication-faults.ts';
import type { RatePublication } from '#shared/domain/simulations/pricing/tables/publications.ts';
import type { RateEvidence, StillShown } from '#shared/domain/simulations/pricing/tables/table.ts';
import { dayOf } from '#shared/domain/values/clock.ts';
import { idOf, type PartnerId } from '#shared/domain/values/ids.ts';
import { RETRY_WAITS, retrySpan } from '#shared/domain/webhooks/delivery.ts';
import { fieldNames } from '#test/makers/field-names.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';

const HOUR = 3_600_000;
const RATE_DAY = dayOf('2026-12-01');
const doubted = (doubt: string) => `Taxa: ${doubt}: corrija, ou diga em “Por que está certa” por que ela vale`;
const NOW = Date.parse('2026-11-21T12:00:00Z');

it.each([
  [words.keptEventsText, 'espera guardado', 'esperam guardados'],
  [words.releasedEventsText, '1 evento guardado vai', '2 eventos guardados vão'],
  [words.movedEventsText, '1 evento que espera', '2 eventos que esperam'],
])('the panel has its own sentence for a single event that waits, and another for two: %#', (text, single, two) => {
  expect(text(1)).toContain(single);
  expect(text(2)).toContain(two);
});

it('shortened returns both ends of a long text and its length, and cuts no character in two', () => {
  expect(shortened('a'.repeat(96))).toBeUndefined();
  expect(shortened(`${'a'.repeat(40)}${'é'.repeat(1_900)}${'😀'.repeat(20)}`)).toEqual({
    text: `${'a'.repeat(40)}…${'😀'.repeat(20)}`,
    length: 1_960,
  });
});

it('hostOf returns the host to which an address leads, not one that only looks like it', () => {
  const { href } = new URL('https://bom.example@mau.example:8443/bom.example');
  expect(hostOf(href)).toBe('mau.example:8443');
  expect(hostOf(calledAddress('https://bücher.example/eventos'))).toBe('xn--bcher-kva.example');
  expect(calledAddress('nenhum')).toBe('nenhum');
  expect(hostOf('nenhum')).toBeUndefined();
});

it('keptText says "ou mais" only for the largest number that the service counts to', () => {
  expect([0, 9_999, 10_000].map(keptText)).toEqual(['0', '9999', '10000 ou mais']);
});

it('unitShown returns name and number, the number while the name is unknown, and a dash for no unit', () => {
  const units = [{ unit_id: 7, name: 'Centro' }];
  expect(unitShown(7, units)).toEqual({ name: 'Centro', number: 7 });
  expect(unitShown(8, units)).toEqual({ name: undefined, number: 8 });
  expect(unitShown(7)).toEqual({ name: undefined, number: 7 });
  expect(unitShown(null, units)).toEqual({ name: '—', number: undefined });
});

describe('ask and preview', () => {
  const { call } = transport;
  afterEach(() => {
    transport.call = call;
  });

  /** Answers each call in place of the administration. `sent` is what the last call carried. */
  function answering(status: number, body: unknown) {
    const last: { sent?: Sent } = {};
    transport.call = async (_, sent) => {
      last.sent = sent;
      return { status, body };
    };
    return last;
  }

  it('ask leaves the undefined fields of a body out, which a strict schema would refuse', async () => {
    const last = answering(200, {});
    await ask('create-partner', { body: { name: 'Aurora', reason: 'INC-7', confirm: undefined } });
    expect(last.sent?.body).toStrictEqual({ name: 'Aurora', reason: 'INC-7' });
  });

  it('preview leaves the undefined fields of a body out, which a strict schema would refuse', async () => {
    const last = answering(200, {});
    await preview('replay-deliveries', { body: { partner_id: 7, unit_id: undefined } });
    expect(last.sent?.body).toStrictEqual({ partner_id: 7, dry_run: true });
  });

  it('ask throws a CallError with the code and the fields that the administration answers', async () => {
    const fields = [{ field: 'name', reason: 'must not be empty' }];
    answering(400, { ok: false, code: 'field_invalid', error: 'Fields.', fields, request_id: 'abc' });
    const refused = ask('create-partner', { body: { name: '', reason: 'INC-7' } });
    await expect(refused).rejects.toMatchObject({ code: 'field_invalid', fields, requestId: 'abc' });
  });

  it('ask throws a CallError with the code internal_error if a failure has no form that the page knows', async () => {
    answering(500, 'nothing to read');
    const refused = ask('list-partners');
    await expect(refused).rejects.toMatchObject({ code: 'internal_error', fields: [], requestId: undefined });
  });
});

describe('failureText', () => {
  const failed = (code: keyof typeof FAILURE, more: object = {}, operation: CallError['operation'] = 'revoke-key') =>
    failureText(new CallError(operation, { code, error: ADMINISTRATION_FAILURES[code].error, ...more }));

  it('failureText returns a Portuguese sentence for every code of a failure', () => {
    for (const code of ADMINISTRATION_CODES) expect(failed(code).sentence).toMatch(/^[A-ZÀ-Ú].+[.:]$|\.$/);
    expect(Object.keys(FAILURE).sort()).toEqual([...ADMINISTRATION_CODES].sort());
  });

  const fault = { field: 'reason', reason: 'has at most 500 characters' };
  const IN_FAULT = { fields: ['Motivo: tem no máximo 500 caracteres'], requestId: 'abc' };
  const { error } = ADMINISTRATION_FAILURES.refused;
  const ONLY_ACTIVE = { sentence: 'Só uma chave ativa pode ser revogada.', detail: error };
  const WHO = expect.stringMatching(/isto\. Peça a quem tem a função gestão ou segurança\.$/);
  const SIGN_IN_AGAIN = { sentence: 'Sua entrada terminou. Recarregue a página para entrar de novo.' };
  it.each<[string, object, ReturnType<typeof failed>]>([
    ['who may do it', { sentence: WHO }, failed('forbidden')],
    ['more for one operation than the code itself', ONLY_ACTIVE, failed('refused')],
    [
      'which fields are faulty, and the request id',
      IN_FAULT,
      failed('field_invalid', { fields: [fault], request_id: 'abc' }),
    ],
    ['no request id that the page has made', { requestId: undefined }, failed('unavailable', { request_id: 'panel' })],
    [
      'that the page itself has failed, and with which error',
      { sentence: 'O painel falhou.', fields: [], detail: 'TypeError: x is not a function', requestId: undefined },
      failureText(new TypeError('x is not a function')),
    ],
    [
      'that the sign-in has ended, and what to do',
      { ...SIGN_IN_AGAIN, fields: [], detail: undefined, requestId: undefined },
      failureText(new CallError('list-keys', { code: 'signed_out', error: 'English', request_id: 'abc' })),
    ],
  ])('failureText says %s', (_, text, told) => expect(told).toMatchObject(text));

  it.each([
    ['discard-dead-letters', 'not_found', /^Nada foi feito: .*Veja como está/],
    ['replay-deliveries', 'not_found', /^Nada foi enviado: /],
    ['replay-deliveries', 'refused', /menos de um minuto/],
  ] as const)('failureText says what has happened if %s answers %s', (operation, code, text) => {
    expect(failed(code, {}, operation).sentence).toMatch(text);
  });

  it('failureText says only in Portuguese why a correction is refused', () => {
    for (const error of Object.values(CORRECTION_REFUSED))
      expect(failed('refused', { error }, 'correct-lead')).toMatchObject({
        sentence: expect.not.stringContaining('O estado atual'),
        detail: undefined,
      });
  });

  it('failureText says in Portuguese that a change waits for another person, and isRequest takes it for no failure', () => {
    const { sentence, detail } = failed('approval_needed', { error: 'Nothing was done: approve apr_1.' }, 'create-key');
    expect(sentence).toContain('Pedido feito');
    expect(sentence).toContain('com um clique');
    expect(detail).toBeUndefined();
    expect(isRequest(new CallError('create-key', { code: 'approval_needed', error: '' }))).toBe(true);
    expect(isRequest(new CallError('create-key', { code: 'refused', error: '' }))).toBe(false);
  });

  it('failureText advises to repeat a change in doubt from its dialog, if the dialog has a token', () => {
    for (const operation of ['create-key', 'rotate-key', 'rotate-webhook-secret'] as const)
      for (const code of IN_DOUBT) {
        const { sentence, detail } = failed(code, {}, operation);
        expect(sentence, `${operation} ${code}`).toContain('sem fechar esta janela');
        expect(detail, `${operation} ${code}`).toBeUndefined();
      }
    expect(failed('timed_out').sentence).toContain('veja se a mudança aconteceu');
  });

  it('failureText shows the sentence of the gateway for a call that it cut off and that may have been made', () => {
    const error = 'The service gave no answer: a change may have been made, so look before you repeat it.';
    for (const code of ['internal_error', 'unavailable'] as const)
      expect(failed(code, { error })).toMatchObject({ detail: error, sentence: expect.stringContaining('veja antes') });
  });

  it('fieldReasonText has Portuguese words for each refusal by a schema of the administration', () => {
    const english = new Set<string>();
    for (const { operation, params, query, body } of ADMINISTRATION_OPERATIONS)
      for (const [field, schema] of [params, query, body, NOTES].flatMap((part) => Object.entries(part?.shape ?? {})))
        for (const message of refusalsBy(schema))
          if (fieldReasonText(message) === undefined) english.add(`${operation} ${field}: ${message}`);
    expect(Array.from(english)).toEqual([]);
  });

  it('fieldReasonText has Portuguese words for each refusal of a field in the code of the administration', () => {
    const messages = sourcesOf('functions/administration', 'shared/administration', 'shared/http/administration')
      .flatMap((source) => Array.from(source.matchAll(REFUSED_FIELD)))
      .map(([, called, named]) => called ?? named ?? '');
    expect(messages.length).toBeGreaterThan(12);
    const demanded = 'must be 123: it cannot be undone';
    expect(messages.concat(demanded).filter((message) => fieldReasonText(message) === undefined)).toEqual([]);
  });

  it.each<[string, Partial<RatePublication>, Partial<RatePublication['rate']>, Partial<StillShown>, string]>([
    ['today', { from: RATE_DAY }, {}, {}, 'Em uso desde: 01/12/2026 não é depois de hoje: escolha de amanhã em diante'],
    ['in two years', { from: dayOf('2028-12-01') }, {}, {}, 'Em uso desde: 01/12/2028 é daqui a mais de um ano'],
    [
      'of no such segment',
      { bank: 'brb', segment: 'alta_renda' },
      {},
      {},
      'Segmento: este banco não tem taxa própria para Alta renda: publique a do Padrão',
    ],
    ['as in use', {}, { value: '13.69' }, {}, 'Taxa: 13,69 já é a taxa em uso: use Confirmar'],
    ['too high', {}, { value: '49.13' }, {}, 'Taxa: 49,13 é maior que 30: confira a vírgula'],
    ['too low', {}, { value: '1.3' }, {}, 'Taxa: 1,3 é menor que 4: confira a vírgula'],
    [
      'of no day',
      {},
      { date: '2026-13' },
      {},
      'Taxa: em “Publicada em” não há uma data que existe: escreva como 12/2026 ou 01/12/2026',
    ],
    ['of the future', {}, { date: '2026-12-02' }, {}, 'Taxa: “Publicada em” é 02/12/2026, depois de 01/12/2026'],
    [
      'of another bank',
      {},
      { source: 'página do banco' },
      {},
      'Taxa: a fonte não diz o nome do banco: escreva Itaú em “Fonte”',
    ],
    [
      'on a lookalike page',
      {},
      {},
      { address: 'https://itau.com.br.taxas.example/' },
      'Página do banco: https://itau.com.br.taxas.example/ não é um endereço https de Itaú: use uma página do próprio banco',
    ],
    ['seen tomorrow', {}, {}, { date: '2026-12-02' }, 'Vista em: 02/12/2026 está no futuro'],
    ['that jumps', {}, { value: '12.00' }, {}, doubted('difere de 13,69 em mais de 1,5 ponto')],
    ['that is old', {}, { date: '2026-05' }, {}, doubted('é de 05/2026, e a taxa em uso é de 07/2026')],
    ['like a CET', {}, { value: '14.09' }, {}, doubted('está 0,40 acima de 13,69, como o CET dela pode estar')],
    ['that is nominal', {}, { value: '12.90' }, {}, doubted('é 13,69 como taxa nominal')],
    ['with TR', { bank: 'santander' }, { value: '13.79', source: 'Santander' }, {}, doubted('é 11,79 com a TR de 2')],
    ['of a CET', {}, { source: 'Itaú, CET' }, {}, doubted('tem a fonte “Itaú, CET”: um CET não é uma taxa')],
    [
      'including TR',
      {},
      { source: 'Itaú, já com TR' },
      {},
      doubted('tem a fonte “Itaú, já com TR”: a taxa não inclui a TR'),
    ],
    [
      'of a nominal source',
      {},
      { source: 'Itaú, nominal' },
      {},
      doubted('tem a fonte “Itaú, nominal”: a taxa em uso não é nominal'),
    ],
    [
      'of a minimum',
      {},
      { source: 'Itaú, a partir de' },
      {},
      doubted('tem a fonte “Itaú, a partir de”: a taxa em uso não é “a partir de”'),
    ],
    [
      'of an average',
      {},
      { source: 'Itaú, média' },
      {},
      doubted('tem a fonte “Itaú, média”: a taxa em uso não é uma média'),
    ],
    [
      'of a promotion',
      {},
      { source: 'Itaú, promoção' },
      {},
      doubted('tem a fonte “Itaú, promoção”: a taxa em uso não é promocional'),
    ],
    [
      'above the ordinary',
      { segment: 'intermediario' },
      { value: '13.79' },
      {},
      doubted('não é menor que a do Padrão, 13,69'),
    ],
    [
      'below the highest',
      { segment: 'intermediario' },
      { value: '11.60' },
      {},
      doubted('é menor que a da Alta renda, 11,7'),
    ],
    [
      'below another segment',
      {},
      { value: '11.90' },
      {},
      doubted('a do segmento Intermediário não é menor que a do Padrão, 11,9'),
    ],
  ])('a rate %s is refused in Portuguese, with its field and the cure', (_, changes, rate, evidence, text) => {
    const publication: RatePublication = {
      ...{ bank: 'itau', segment: 'padrao', from: dayOf('2026-12-05'), ...changes },
      rate: { value: '13.49', date: '2026-12-01', source: 'Itaú, página do banco', ...rate },
    };
    const address = `https://www.${publication.bank}.com.br/taxas`;
    const proposed = { publication, evidence: { date: RATE_DAY, address, ...evidence } };
    const faults = rateFaultFields(publicationFaults([], proposed, RATE_DAY, FROZEN_TABLES));
    expect(failed('refused', { fields: faults }, 'publish-bank-rate').fields).toContain(text);
  });

  it.each([
    ['2026-07-31', 'Vista em: 31/07/2026 não é depois de 07/2026, quando o banco a publicou'],
    ['2026-12-01', 'Vista em: a taxa já vale até 01/12/2027, e este dia não a estende: veja a página mais tarde'],
  ])('a confirmation by a page of %s is refused in Portuguese', (date, text) => {
    const evidence = { date, address: 'https://www.itau.com.br/taxas' };
    const confirmed = (on: RateEvidence, publications: readonly RatePublication[]) => {
      const publication = confirmationOf(
        publications,
        { bank: 'itau', segment: 'padrao' },
        on,
        RATE_DAY,
        FROZEN_TABLES,
      );
      if (publication === undefined) throw new Error('itau has no rate');
      return publication;
    };
    const first = [confirmed({ ...evidence, date: '2026-12-01' }, [])];
    const publication = confirmed(evidence, first);
    const faults = confirmationFaults(first, { publication, evidence }, RATE_DAY, 365, FROZEN_TABLES);
    expect(failed('refused', { fields: rateFaultFields(faults) }, 'confirm-bank-rate').fields).toContain(text);
  });

  it('FIELD has a Portuguese name for each field of an operation that the panel calls', () => {
    const names = PANEL_OPERATIONS.map(operationNamed).flatMap(({ params, query, body }) =>
      [params, query, body, NOTES].flatMap((part) => Object.keys(part?.shape ?? {})),
    );
    expect(Array.from(new Set(names)).filter((field) => !(field in words.FIELD) && !UNTYPED.includes(field))).toEqual(
      [],
    );
  });

  it('fieldReasonText leaves the words of the check of addresses as they are, which are Portuguese already', () => {
    const fault = { field: 'url', reason: 'o endereço não é público' };
    expect(failed('field_invalid', { fields: [fault] }, 'set-webhook').fields).toEqual([
      'Endereço: o endereço não é público',
    ]);
  });
});

/** The fields that a change has in addition to its own. */
const NOTES = z.object({ reason: fields.reason(), confirm: fields.confirm() });
/** Fields of which the page itself fills in the value, so that no person can mistype it. */
const UNTYPED = ['cursor', 'token', 'replaces', 'role', 'drop_previous', 'overlap'];
/** Calls that refuse a field with words of their own: `invalidField('until', 'must be after since')`. */
const REFUSED_FIELD = /(?:invalidField|missing)\(\s*'?\w+'?,\s*'([^']+)'|\breason(?::| =) '([^']+)'/g;

/** Values of each type, and texts that are empty, too long, or have the wrong form. */
const VALUES: readonly unknown[] = [
  ...[undefined, null, true, 0, -1, 1.5, 1e9, [], {}, ['x'], Array.from({ length: 300 }, () => 1)],
  ...[
    '',
    ' ',
    '?',
    'x',
    'a\nb',
    'ana@exemplo.com.br',
    'whsec_S3CRET',
    'x'.repeat(5_000),
    '9'.repeat(17),
    '1',
    '1800-01-01',
  ],
];

/** Returns the words with which a schema, or a schema inside of it, refuses VALUES. */
function refusalsBy(schema: z.core.$ZodType): readonly string[] {
  const inner =
    schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniDefault || schema instanceof z.ZodMiniNullable
      ? [schema.def.innerType]
      : schema instanceof z.ZodMiniArray
        ? [schema.def.element]
        : schema instanceof z.ZodMiniObject
          ? Object.values(schema.def.shape)
          : [];
  const own = VALUES.flatMap((value) => z.safeParse(schema, value).error?.issues ?? []);
  return own.map(({ message }) => message).concat(inner.flatMap(refusalsBy));
}

const ROOT = join(import.meta.dirname, '../../..');
/** Returns the text of each TypeScript file in folders. */
const sourcesOf = (...folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
  );

describe('reads that fail', () => {
  const PAGE = join(ROOT, 'bin/manager/panel/page');
  const read = (file: string) => readFileSync(join(PAGE, file), 'utf8');
  const count = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern)).length;
  /** A file whose failed read has another way on, and this way. */
  const OTHERWISE = new Map([
    // Named and NamedUnit show the number of a partner whose name cannot be read.
    ['parts/partner-picker.tsx', '<FailedRead of={search} />'],
  ]);

  it('each screen shows a button that reads again if its read has failed', () => {
    const files = ['screens', 'parts'].flatMap((folder) =>
      readdirSync(join(PAGE, folder)).map((file) => `${folder}/${file}`),
    );
    const reading = files.filter((file) => /\buse(Answer|Typed)\(/.test(read(file)));
    expect(reading.length).toBeGreaterThan(9);
    const stuck = reading.filter((file) => {
      const text = read(file);
      const otherwise = OTHERWISE.get(file);
      if (otherwise !== undefined) return !text.includes(otherwise);
      return count(text, /<FailedRead\b/g) < count(text, /\buse(Answer|Typed)\(/g);
    });
    expect(stuck).toEqual([]);
    expect(read('parts/table.tsx')).toContain('<FailedRead of={of} />');
  });
});

it.each([
  ['http_4xx 410', 'O parceiro recusou (HTTP 410)'],
  ['dns', 'O nome do endereço não foi encontrado'],
  ['something new 7', 'something new 7'],
])('causeText returns Portuguese words for the cause %s', (cause, text) => expect(causeText(cause)).toBe(text));

it.each([
  ['', { screen: 'partners' }],
  ['#/parceiros/12', { screen: 'partner', partnerId: 12, tab: 'resumo' }],
  ['#/parceiros/12/chaves', { screen: 'partner', partnerId: 12, tab: 'chaves' }],
  ['#/parceiros/12/constructor', { screen: 'nowhere' }],
  ['#/parceiros/x', { screen: 'nowhere' }],
  ['#/parceiros/12/chaves/1', { screen: 'nowhere' }],
  [
    '#/parceiros/123/chaves/pmc_sandbox_00000001za1',
    {
      screen: 'partner',
      partnerId: 123,
      tab: 'chaves',
      keyStart: {
        kind: 'partner',
        start: 'pmc_sandbox_00000001za1',
        partnerId: 123,
        environment: 'sandbox',
        idStart: 'a1',
      },
    },
  ],
  ['#/parceiros/124/chaves/pmc_sandbox_00000001za1', { screen: 'nowhere' }],
  ['#/parceiros/123/chaves/pmc_00000001za1B2cS3CRET', { screen: 'nowhere' }],
  ['#/parceiros/123/chaves/pmc_000', { screen: 'nowhere' }],
  ['#/parceiros/123/webhook/pmc_00000001za1B2c', { screen: 'nowhere' }],
  ['#/mortas', { screen: 'nowhere' }],
  ['#/pessoas', { screen: 'people' }],
  [
    '#/pessoas/12/3/producao/7/conjuge',
    {
      screen: 'people',
      person: { partner_id: 12, unit_id: 3, environment: 'producao', lead_id: 7, role: 'spouse' },
    },
  ],
  ['#/pessoas/12/3/producao/7', { screen: 'nowhere' }],
  ['#/pessoas/12/3/teste/7/titular', { screen: 'nowhere' }],
  ['#/pessoas/12/3/producao/90000000175x/titular', { screen: 'nowhere' }],
  ['#/entregas/evt_a', { screen: 'delivery', eventId: 'evt_a' }],
  ['#/ajuda/webhook', { screen: 'help', section: 'webhook' }],
])('placeOf returns the screen of the address "%s"', (hash, place) => expect(placeOf(hash)).toEqual(place));

it('keyStartHref leads to the keys of the partner, and has nothing of the secret part of a key', () => {
  const start = readKeyStart('pmc_00000001za1B2c0123456789');
  if (start.kind !== 'key') throw new Error('the start names a key');
  expect(keyStartHref(start)).toBe('#/parceiros/123/chaves/pmc_00000001za1B2c');
  expect(placeOf(keyStartHref(start))).toMatchObject({ screen: 'partner', partnerId: 123, tab: 'chaves' });
});

it.each([
  [
    'pmc_00000001',
    'de uma chave de produção são precisos 13 caracteres, e para achar a própria chave 18; foram dados 12.',
  ],
  [
    'pmc_sandbox_0000',
    'de uma chave de sandbox são precisos 21 caracteres, e para achar a própria chave 26; foram dados 16.',
  ],
  [
    'pmc_',
    'de uma chave são precisos 13 caracteres, e para achar a própria chave 18 (sandbox: 21 e 26); foram dados 4.',
  ],
  ['pmc_00000001z-', 'Nenhuma chave começa assim'],
])('keyStartText says how many characters of a key are needed if "%s" is given', (given, text) => {
  const start = readKeyStart(given);
  if (start.kind === 'key' || start.kind === 'partner') throw new Error('the start names a partner');
  expect(words.keyStartText(start)).toContain(text);
});

it('placeOf returns the person of an address that personHref has made', () => {
  for (const role of ['holder', 'spouse'] as const) {
    const person = { partner_id: 12, unit_id: 3, environment: 'sandbox', lead_id: 7, role } as const;
    expect(placeOf(personHref(person))).toEqual({ screen: 'people', person });
  }
});

it('dateTime and zoneAt say the offset of the clock that they use', () => {
  expect(dateTime('2026-11-21T12:15:00Z')).toMatch(/^2[012]\/11\/2026, \d\d:15 GMT([+-]\d+)?$/);
  expect(zoneAt(NOW)).toMatch(/^GMT([+-]\d+)?$/);
});

describe('failingPage', () => {
  type Answer = Awaited<ReturnType<NonNullable<Parameters<typeof failingPage>[1]>>>;
  const webhook = (partner: number): Answer['webhooks'][number] => ({
    partner_id: idOf<PartnerId>(partner),
    environment: 'producao',
    url: 'https://a.example/e',
    enabled: false,
    failures: 3,
    failing_since: null,
    disabled_because: 'gone',
  });

  it('failingPage reads the disabled webhooks too if the page of the failing ones is short', async () => {
    const answers: Readonly<Record<string, Answer>> = {
      first: { webhooks: [webhook(1)], next_cursor: 'disabled' },
      disabled: { webhooks: [webhook(2)], next_cursor: null },
    };
    const page = await failingPage(undefined, async ({ cursor }) => answers[cursor ?? 'first']!);
    expect(page).toEqual({ rows: [webhook(1), webhook(2)], next: null });
  });

  it('failingPage stops after fifty rows, or after ten pages, and returns where the next page begins', async () => {
    const full = Array.from({ length: 50 }, (_, index) => webhook(index + 1));
    const long = await failingPage(undefined, async () => ({ webhooks: full, next_cursor: 'more' }));
    expect(long).toEqual({ rows: full, next: 'more' });
    let calls = 0;
    const none = await failingPage('a', async () => ({ webhooks: [], next_cursor: `page ${++calls}` }));
    expect(none).toEqual({ rows: [], next: 'page 10' });
  });
});

describe('the audit in words', () => {
  const ROLE = 'arn:aws:sts::123456789012:assumed-role/partner-credit-prod-administration-privacy';
  const BIA = `${ROLE}/CognitoIdentityCredentials/sa-east-1_AbC:7f-a1/bia@exemplo.com.br`;

  it.each([
    [BIA, 'bia@exemplo.com.br / privacidade'],
    ['arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Ops_1a2b/caio', 'caio / AWSReservedSSO_Ops_1a2b'],
    ['arn:aws:iam::123456789012:user/bruno', 'bruno'],
    ['role/bia', 'role/bia'],
  ])('callerShown shows %s as %s', (arn, text) => expect(callerShown(arn)).toBe(text));

  it.each([
    [BIA, 'bia@exemplo.com.br / privacidade'],
    ['bia@exemplo.com.br / manager, support', 'bia@exemplo.com.br / gestão, suporte'],
    ['ana / security', 'ana / segurança'],
    ['auditor', 'auditoria'],
    ['local', 'local'],
  ])('userShown shows the caller %s at the top of the panel as %s', (caller, text) => {
    expect(userShown(caller)).toBe(text);
  });

  it('actionShown says of a preview that nothing changed, and targetShown does not repeat it', () => {
    const target = { dry_run: true, lead: 9 };
    expect(actionShown({ action: 'erase-lead', target })).toBe('Apagar dados de pessoa: só consulta, nada mudou');
    expect(actionShown({ action: 'erase-lead', target: { lead: 9 } })).toBe('Apagar dados de pessoa');
    expect(targetShown(target, [])).toEqual(['lead 9']);
  });

  it('targetShown has the same order of facts in each row, and a fact without a name comes last', () => {
    const facts = ['chave a1B2c', 'no lugar de Z9y8x', 'unknown 1'];
    expect(targetShown({ unknown: 1, replaced: 'Z9y8x', key: 'a1B2c' }, [])).toEqual(facts);
    expect(targetShown({ key: 'a1B2c', replaced: 'Z9y8x', unknown: 1 }, [])).toEqual(facts);
  });

  it.each([
    ['a1B2c', 'a1B2c'],
    ['pmc_00000001za1B2c', 'a1B2c'],
    [' pmc_sandbox_00000001za1B2c…wXyZ', 'a1B2c'],
  ])('keyIdIn reads the id of a key from %s, which the field of the filter accepts', (text, id) => {
    expect(keyIdIn(text)).toBe(id);
    expect(text).toMatch(new RegExp(`^(?:${KEY_TEXT})$`, 'v'));
  });

  it('targetShown names the person of each fact that is a caller, and never shows an ARN', () => {
    const facts = { unit: 7, environment: 'producao', scopes: 'all', approval: 'apr_1' };
    const target = { ...facts, approved_by: BIA, asked_by: BIA, pending: 0, host: '' };
    expect(targetShown(target, [{ unit_id: 7, name: 'Centro' }])).toEqual([
      'unidade 7 (Centro)',
      'ambiente Produção',
      'escopos Todos',
      'pendentes 0',
      'aprovação apr_1',
      'aprovado por bia@exemplo.com.br / privacidade',
      'pedido por bia@exemplo.com.br / privacidade',
    ]);
  });

  type Query = Parameters<NonNullable<Parameters<typeof auditPage>[3]>>[0];
  const row = (action: string) => ({
    at: '2026-11-21T12:00:00Z',
    partner_id: null,
    action,
    outcome: 'done' as const,
    who: BIA,
    target: {},
    reason: 'INC-1',
  });
  /** Answers each call with the next of these pages, then with empty pages without an end. `asked` lists the calls. */
  function pagesOf(...pages: readonly (readonly [actions: string[], next: string | null])[]) {
    const asked: Query[] = [];
    const list = async (query: Query) => {
      const [actions, next_cursor] = pages[asked.length] ?? [[], 'more'];
      asked.push(query);
      return { entries: actions.map(row), next_cursor };
    };
    return { asked, list };
  }

  it('auditPage reads pages until enough rows are wanted, and returns where the next page begins', async () => {
    const many = Array.from({ length: 50 }, () => 'set-rate');
    const { asked, list } = pagesOf([['create-key'], 'a'], [many, 'b']);
    const search = { ...WHOLE_AUDIT, operation: 'set-rate', since: '2026-11-20T00:00' };
    const page = await auditPage(7, search, undefined, list);
    expect(page.rows).toHaveLength(50);
    expect(page.next).toBe('b');
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, 'a']);
    expect(asked[0]).toMatchObject({ partner_id: '7', limit: '200', since: expect.stringMatching(/Z$/) });
    expect(asked[0]?.service).toBeUndefined();
  });

  it('auditPage reads one page of the service without a filter, and ten at most if no row is wanted', async () => {
    const whole = pagesOf([['set-rate', 'create-key'], null]);
    expect((await auditPage(undefined, WHOLE_AUDIT, 'x', whole.list)).rows).toHaveLength(2);
    expect(whole.asked).toMatchObject([{ service: 'true', limit: '50', cursor: 'x' }]);
    const none = pagesOf();
    expect(await auditPage(7, { ...WHOLE_AUDIT, who: 'ana' }, undefined, none.list)).toEqual({
      rows: [],
      next: 'more',
    });
    expect(none.asked).toHaveLength(10);
  });
});

it('stateOf calls an exhausted delivery discarded, and no longer once it is sent again', () => {
  expect(stateOf({ state: 'esgotada', discarded_at: 'x' }).text).toBe('Descartada');
  expect(stateOf({ state: 'entregue', discarded_at: 'x' }).text).toBe('Entregue');
  expect(stateOf({ state: 'esgotada', discarded_at: null }).text).toBe('Esgotada');
});

it('secretTimeline returns how much of the 24 hours has passed, and undefined without an overlap', () => {
  const until = (hours: number) => new Date(NOW + hours * HOUR).toISOString();
  expect(secretTimeline(until(18), NOW)).toEqual({ from: until(-6), until: until(18), passed: 0.25 });
  for (const none of [null, until(0)]) expect(secretTimeline(none, NOW)).toBeUndefined();
});

it.each([
  [-90, 'agora'],
  [-5 * 60_000, 'há 5 minutos'],
  [-3 * HOUR, 'há 3 horas'],
  [15 * HOUR, 'em 15 horas'],
  [-50 * HOUR, 'há 2 dias'],
])('distance calls a moment %d ms from now "%s"', (milliseconds, text) => {
  expect(distance(new Date(NOW + milliseconds).toISOString(), NOW)).toBe(text);
});

const unseen = () => {};

it('runPages asks with each next cursor until there is none', async () => {
  const [cursors, next] = [[] as unknown[], ['a', 'b', null]];
  const page = async (cursor: string | undefined) => {
    cursors.push(cursor);
    return { next_cursor: next.shift()! };
  };
  await runPages(page, unseen);
  expect(cursors).toEqual([undefined, 'a', 'b']);
});

it('ask returns an export as one answer, from all of its pages', async () => {
  const body = { partner_id: 12, unit_id: 3, environment: 'producao', lead_id: 7, reason: 'LGPD-1' } as const;
  const place = { parceiro: 12, unidade: 3, ambiente: 'producao' };
  const pages = [
    { ok: true, person: { ...place, simulacoes: [3, 2] }, next_cursor: 'a' },
    { ok: true, person: { ...place, simulacoes: [1] }, next_cursor: null },
  ];
  const asked: unknown[] = [];
  transport.call = async (_, sent) => {
    asked.push(sent.body);
    return { status: 200, body: pages.shift() };
  };
  const { person } = await ask('export-lead', { body });
  expect(person).toEqual({ ...place, simulacoes: [3, 2, 1] });
  expect(asked).toEqual([body, { ...body, cursor: 'a' }]);
});

describe('searchPerson', () => {
  const place = { partner_id: 12, unit_id: 3, environment: 'producao' } as const;
  type Answer = Awaited<ReturnType<NonNullable<Parameters<typeof searchPerson>[3]>>>;
  const page = (done: number, leads: number[], next: string | null): Answer =>
    ({ ok: true, found: leads.map((lead_id) => ({ ...place, lead_id })), done, total: 3, next_cursor: next }) as Answer;

  /** Searches through these pages, until `goesOn` is false. Returns the search and the calls that were made. */
  const searched = async (search: Parameters<typeof searchPerson>[0], goesOn: boolean, ...pages: Answer[]) => {
    const asked: unknown[] = [];
    const next = async (body: object) => {
      asked.push(body);
      return pages.shift()!;
    };
    return { asked, search: await searchPerson(search, unseen, () => goesOn, next) };
  };

  it('searchPerson returns each place with the CPF that was searched for, and passes each cursor on', async () => {
    const asking = { cpf: '900.000.001-75', partner_id: 12, reason: 'LGPD-7' };
    const { asked, search } = await searched(asking, true, page(1, [7], 'a'), page(3, [8, 9], null));
    expect(search.found).toEqual([7, 8, 9].map((lead_id) => ({ ...place, lead_id, cpf: asking.cpf })));
    expect(asked).toEqual([asking, { ...asking, cursor: 'a' }]);
  });

  it('searchPerson says how many partners were looked at if it is stopped', async () => {
    const first = await searched({ cpf: '1', reason: 'r' }, false, page(1, [7], 'a'));
    expect(first.search).toMatchObject({ found: [{}], stopped: { done: 1, total: 3 }, atOnePartner: false });
    const whole = await searched({ cpf: '1', partner_id: 12, reason: 'r' }, false, page(3, [], null));
    expect(whole.search).toEqual({ found: [], stopped: undefined, atOnePartner: true });
  });
});

describe('a list that is not read to its end', () => {
  it('searchText says that nobody is known only if every partner was looked at', () => {
    const found = [{ lead_id: 7, cpf: '1' }] as unknown as PersonSearch['found'];
    const stopped = { done: 3, total: 9 };
    const said = (search: Partial<PersonSearch>) =>
      searchText({ found: [], stopped: undefined, atOnePartner: false, ...search });
    expect(said({})).toMatch(/^Nenhum lead é de quem tem este CPF, nem o cita como cônjuge\./);
    expect(said({ atOnePartner: true })).toMatch(/^Nenhum lead deste parceiro é/);
    expect(said({ found })).toBeUndefined();
    for (const some of [[], found])
      expect(said({ found: some, stopped })).toMatch(/^A busca parou em 3 de 9 parceiros: .*não foram vistos/);
  });

  it('emptyText says that a list is empty only if no page follows', () => {
    expect(emptyText('Nenhuma.', false)).toBe('Nenhuma.');
    expect(emptyText('Nenhuma.', true)).toMatch(/a lista continua/);
    const folder = join(import.meta.dirname, '../../../bin/manager/panel/page/screens');
    const paged = readdirSync(folder).filter((file) => readFileSync(join(folder, file), 'utf8').includes('usePages('));
    expect(paged.length).toBeGreaterThan(2);
    // A list tells its table whether a page follows.
    for (const file of paged) expect(readFileSync(join(folder, file), 'utf8'), file).toContain('<List\n');
  });

  type Picked = Awaited<ReturnType<NonNullable<Parameters<typeof partnersNamed>[2]>>>['partners'];
  /**
   * Looks for a name in pages with these numbers of partners and next cursors. Empty pages follow without an end.
   * Returns the result, and the cursors that were asked for.
   */
  const named = async (goesOn: boolean, ...counts: readonly (readonly [number, string | null])[]) => {
    const asked: (string | undefined)[] = [];
    const list = async (cursor: string | undefined) => {
      const [length, next_cursor] = counts[asked.length] ?? [0, 'on'];
      asked.push(cursor);
      const partners = Array.from({ length }, (_, index) => ({ partner_id: index + 1, name: 'Casa' })) as Picked;
      return { partners, next_cursor };
    };
    return { ...(await partnersNamed('casa', () => goesOn, list)), asked };
  };

  it('partnersNamed reads pages until there are enough partners to choose from, or no more pages', async () => {
    const few = await named(true, [0, 'a'], [0, 'b'], [2, null]);
    expect(few).toMatchObject({ found: [{ partnerId: 1 }, {}], more: false, asked: [undefined, 'a', 'b'] });
    const many = await named(true, [8, 'a']);
    expect(many.more).toBe(true);
    expect(many.asked).toHaveLength(1);
    expect(choiceText(many)).toContain('há mais');
    expect(await named(false, [0, 'a'])).toMatchObject({ found: [], more: true, asked: [undefined] });
  });

  it('partnersNamed stops after ten pages, and says that there are more', async () => {
    const none = await named(true);
    expect(none.asked).toHaveLength(10);
    expect(none.found).toEqual([]);
    expect(none.more).toBe(true);
    expect(choiceText(none)).toMatch(/há mais/);
    expect(choiceText({ found: [], more: false })).toBe('Nenhum parceiro com este nome.');
  });

  it('partnersNamed throws the failure of a page instead of finding nobody', async () => {
    const failed = new CallError('list-partners', { code: 'unavailable', error: '' });
    const list = () => Promise.reject(failed);
    await expect(partnersNamed('casa', () => true, list)).rejects.toBe(failed);
  });
});

it.each(
  Object.entries({
    scopes: words.SCOPE,
    'states of keys': words.KEY_STATE,
    steps: words.STEP,
    evidence: words.EVIDENCE,
    'states of deliveries': words.DELIVERY_STATE,
    'types of events': words.EVENT_TYPE,
    'classes of failures': words.FAILURE_CLASS,
    situations: words.SITUATION,
    'outcomes of polls': words.POLL_OUTCOME,
    'reasons of a disabled webhook': words.DISABLED_BECAUSE,
    'states of erasures': words.ERASURE_STATE,
    outcomes: words.OUTCOME,
    'states of approvals': words.APPROVAL_STATE,
    duties: words.DUTY,
    failures: words.FAILURE,
  }),
)('the panel has another text for each of the %s', (_, texts: Readonly<Record<string, unknown>>) => {
  const shown = Object.values(texts).map((text) => JSON.stringify(text));
  expect(shown.filter((text, index) => shown.indexOf(text) !== index)).toEqual([]);
});

/** Facts that plans add to the fields of a call which another person approves. */
const FACTS = ['disabled_at', 'missing', 'webhook.sandbox', 'webhook.producao', 'live_keys'];

it('the panel has a Portuguese name for each field of a call that another person approves', () => {
  const sent = APPROVABLE.flatMap((operation) => [
    'params' in operation ? fieldNames(operation.params) : [],
    fieldNames(operation.body),
  ]);
  const names = new Set(sent.flat().concat(FACTS));
  // The request does not show these fields.
  for (const name of ['token', 'replaces', 'replaces.name', 'replaces.creci', 'replaces.contact', 'cursor'])
    names.delete(name);
  const named: Readonly<Record<string, string>> = { ...words.FIELD, ...words.APPROVED_FIELD };
  expect(Array.from(names).filter((name) => named[name] === undefined)).toEqual([]);
});

it.each([
  ['replaces', null, 'nenhum'],
  ['overlap', true, 'sim'],
  ['overlap', false, 'não'],
  ['scopes', 'all', 'Todos'],
  ['scopes', 'leads, analises', 'Leads, Análises'],
  ['environment', 'producao', 'Produção'],
  ['corrected', 'cpf,birth_date', 'CPF, nascimento'],
  [
    'live_keys',
    'a1B2c (sandbox, unit 4 Sul), Z9 (producao, unit 5 B)',
    'a1B2c (Sandbox, unidade 4 Sul), Z9 (Produção, unidade 5 B)',
  ],
  ['missing', 'lead, webhook', 'Cadastrou um lead, Recebeu um webhook e respondeu 2xx'],
  ['url', 'https://a.example/?b=c,d', 'https://a.example/?b=c,d'],
  ['unit_id', 7, '7'],
])('valueText shows the field %s with the value %s in words: %s', (field, value, text) => {
  expect(words.valueText(field, value)).toBe(text);
});

describe('approvedCall', () => {
  const TOKEN = 'c2a8a1d4-51f6-4d0c-8b6e-0f7a3d9e6c25';
  const field = (name: string, value: Approval['fields'][number]['value']) => ({
    field: name,
    value,
    name: null,
    replaces: null,
  });
  const approved = (operation: Approval['operation'], ...fields: Approval['fields']): Approval => ({
    approval_id: 'apr_0123456789abcdef0123456789abcdef',
    operation,
    partner_id: null,
    fields,
    reason: 'INC-7',
    state: 'approved',
    asked_by: 'arn',
    asked_by_you: true,
    asked_at: '2026-11-21T12:00:00Z',
    expires_at: '2026-11-22T12:00:00Z',
    decided_by: 'arn',
  });

  it('approvedCall makes a list and an object again from the single fields that the approver saw', () => {
    const request = approved(
      'create-key',
      field('partner_id', 7),
      field('unit_id', 8),
      field('environment', 'producao'),
      field('scopes', 'leads, analises'),
      field('consultant.id', 9),
      field('consultant.name', 'Ana, da Silva'),
    );
    const body = { partner_id: 7, unit_id: 8, environment: 'producao', scopes: ['leads', 'analises'] };
    const consultant = { id: 9, name: 'Ana, da Silva' };
    expect(approvedCall(request, TOKEN)).toEqual({
      params: {},
      body: { ...body, consultant, token: TOKEN, reason: 'INC-7' },
    });
  });

  it('approvedCall leaves out facts that the service found, and repeats the confirmation', () => {
    const request = approved(
      'rotate-key',
      field('key_id', 'a1B2c'),
      field('partner_id', 7),
      field('unit_id', 8),
      field('scopes', 'all'),
      field('consultant.id', null),
    );
    expect(approvedCall(request, TOKEN)).toEqual({
      params: { key_id: 'a1B2c' },
      body: { partner_id: 7, token: TOKEN, confirm: 'a1B2c', reason: 'INC-7' },
    });
  });

  it('approvedCall returns nothing for a call with a CPF, of which the request has only a keyed hash', () => {
    const fields = [field('partner_id', 7), field('unit_id', 8), field('environment', 'producao'), field('lead_id', 9)];
    const whole = approved('export-lead', ...fields, field('role', 'holder'), field('raw', false), field('cpf', null));
    expect(approvedCall(whole, TOKEN)?.body).toMatchObject({ lead_id: 9, role: 'holder' });
    expect(approvedCall(approved('export-lead', ...fields, field('cpf', 'k3YedHash')), TOKEN)).toBeUndefined();
  });

  it('approvedCall returns nothing for a request of an earlier release, which has other fields', () => {
    expect(approvedCall(approved('create-key', field('unit', 8), field('environment', 'producao')), TOKEN)).toBe(
      undefined,
    );
  });
});

it('openFirst puts open requests before used and refused ones, and otherwise keeps their order', () => {
  const states = ['used', 'approved', 'refused', 'asked', 'used', 'approved'] as const;
  expect(openFirst(states.map((state) => ({ state }))).map(({ state }) => state)).toEqual([
    ...['approved', 'asked', 'approved'],
    ...['used', 'refused', 'used'],
  ]);
});

it('waitingFor counts the open requests of others, and own requests that were approved', () => {
  const states = ['asked', 'approved', 'refused', 'used'] as const;
  const of = (isOwn: boolean) => states.map((state) => waitingFor([{ state, asked_by_you: isOwn }]));
  expect(of(false)).toEqual([1, 0, 0, 0]);
  expect(of(true)).toEqual([0, 1, 0, 0]);
});

it('the panel’s help says how many attempts production makes and in how many hours, by the schedule of the code', () => {
  const hoursInAll = Math.floor(retrySpan('producao') / 3_600_000);
  expect(helpText()).toContain(`(${RETRY_WAITS.producao.length} em produção, ao longo de ${hoursInAll} horas)`);
  expect(helpText()).not.toMatch(/[A-Z]_[A-Z]|TENTATIVAS/);
});

it('each screen’s link to the help leads to a section of it, and no mark of a section is shown', () => {
  const linked = sourcesOf('bin/manager/panel/page/screens').flatMap((text) =>
    Array.from(text.matchAll(/ help="([^"]+)"/g), ([, section = '']) => section),
  );
  expect(linked).toContain('webhooks-com-falha');
  const html = helpHtml();
  expect(linked.filter((section) => !html.includes(` id="${section}"`))).toEqual([]);
  expect(html).not.toContain('{#');
});
