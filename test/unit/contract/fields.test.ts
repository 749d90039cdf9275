import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import * as wire from '#shared/contract/fields.ts';
import { readFields, withoutNulls } from '#shared/contract/read-fields.ts';
import { fold } from '#shared/domain/values/nearest-name.ts';
import { failureOf, JUNK, missingFields, refusalOf } from '#test/makers/bad-input.ts';
import { anyName, spellingsOf } from '#test/makers/spellings.ts';

const NOW = Date.parse('2026-11-24T16:20:00Z');
const messagesOf = (schema: z.ZodMiniType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ message }) => message);

it('a text is trimmed, and keeps the characters inside, joiners too', () => {
  expect(wire.line().parse('  Marina  Duarte\u00a0')).toBe('Marina  Duarte');
  expect(wire.line().parse('Zoë\u200d Núñez')).toBe('Zoë\u200d Núñez');
  expect(wire.prose(2000).parse('\n uma\n\tduas \r\n')).toBe('uma\n\tduas');
});

it('the name of a person is read as it looks, whatever invisible characters are in it', () => {
  const spelled = anyName.chain((name) => fc.tuple(fc.constant(name), spellingsOf(name)));
  fc.assert(
    fc.property(spelled, ([name, spelling]) => {
      const read = wire.personName().parse(spelling);
      expect(read).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u);
      expect(read).toBe(read.normalize('NFC').trim());
      expect(fold(read)).toBe(fold(name));
    }),
  );
  expect(wire.personName().parse(' \u202eZoë\u200d\u00a0D’Ávi\u00adla\u2060 ')).toBe('Zoë D’Ávila');
  expect(wire.personName().parse('Joa\u0303o')).toBe('João');
});

it('the name of a person is refused for what it shows: nothing, a control character, or more than 200 characters', () => {
  expect(messagesOf(wire.personName(), '\u200b\u2060')).toEqual(['não mostra nada; preencha ou omita o campo']);
  expect(messagesOf(wire.personName(), 'Ana\nLima')).toEqual(['contém caracteres de controle; retire-os']);
  expect(messagesOf(wire.personName(), 'a'.repeat(201))).toEqual(['aceita no máximo 200 caracteres; encurte']);
  expect(wire.personName().safeParse(`${'a'.repeat(200)}\u200b`).success).toBe(true);
});

it('a telephone and an e-mail are read without the invisible characters that a copied text has', () => {
  expect(wire.phone().parse('\u202a+55 11 90000\u20110001\u202c')).toBe('+55 11 90000\u20110001');
  expect(wire.email().parse('\u200bmarina@exam\u00adple.com\ufeff')).toBe('marina@example.com');
});

it.each(['\u200b\u200d\u2060', '\ufeff', '\u3164', '\u2800 \u200e', '\u00ad'])(
  'a text of only invisible characters is refused: %j',
  (text) => {
    for (const schema of [wire.line(), wire.prose(2000)]) expect(schema.safeParse(text).success).toBe(false);
  },
);

it('the length of a text is counted after the text is trimmed', () => {
  expect(wire.line().safeParse(`  ${'a'.repeat(200)}  `).success).toBe(true);
  expect(messagesOf(wire.line(), 'a'.repeat(201))).toEqual(['aceita no máximo 200 caracteres; encurte']);
});

it('a line accepts every character but control characters', () => {
  const shown = /[^\s\u2800\p{Default_Ignorable_Code_Point}]/u;
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((one) => shown.test(one));
  const isLine = (one: string) => !/\p{Cc}/u.test(one.trim()) && one.trim().length <= 200;
  fc.assert(fc.property(text, (one) => void expect(wire.line().safeParse(one).success).toBe(isLine(one))));
});

it('a text of several lines accepts line breaks and tabs, and no other control character', () => {
  expect(wire.prose(10).safeParse('a\nb\tc\rd').success).toBe(true);
  const bad = ['a\u0000', 'a\u000bb', 'a\u0085b', 'a\ud800', '', '\n', 'a'.repeat(11), 7, null];
  expect(bad.filter((one) => wire.prose(10).safeParse(one).success)).toEqual([]);
});

describe('schemas of single values', () => {
  const FRACTIONS = '2026-11-20T12:00:00.123456789+05:30';
  const asSent = (text: string) => [`a phone written ${text}`, wire.phone(), text, text] as const;

  it.each<readonly [string, z.ZodMiniType, unknown, unknown]>([
    ['a CPF with punctuation', wire.cpf(), ' 900.000.001-75 ', '90000000175'],
    ['a CPF with leading zeros', wire.cpf(), '000.000.001-91', '00000000191'],
    ['a CEP with a hyphen', wire.postalCode(), ' 01310-100', '01310100'],
    ['an e-mail', wire.email(), ' marina@example.com ', 'marina@example.com'],
    ['an e-mail of a couple', wire.email(), 'a&b@example.com', 'a&b@example.com'],
    [
      'an e-mail with the ASCII form of its domain',
      wire.email(),
      'maria@xn--aa-5ja8f.com.br',
      'maria@xn--aa-5ja8f.com.br',
    ],
    ['a phone', wire.phone(), ' +55 (11) 90000-0001 ', '+55 (11) 90000-0001'],
    ...[
      '(11) 99999–0000',
      '+55\u00a011\u00a099999\u20110000',
      '11_99999_0000',
      '[11] 99999-0000',
      '11·99999·0000',
      '~11|99999=0000',
    ].map(asSent),
    ['a day', wire.day(), ' 1988-02-29 ', '1988-02-29'],
    ['the first day', wire.day(), '1900-01-01', '1900-01-01'],
    ['an amount', wire.money(), 16500.5, 1650050],
    ['minus zero', wire.money(), -0, 0],
    ['one centavo', wire.money(), 0.01, 1],
    ['the largest amount', wire.money(), 100_000_000_000, 10_000_000_000_000],
    ['a whole number written as a fraction', wire.positiveInteger(), JSON.parse('360.0'), 360],
    ['the largest id', wire.positiveInteger(), Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['a state', wire.state(), 'SP', 'SP'],
    ['an address of version 4', wire.address(), ' 203.0.113.25 ', '203.0.113.25'],
    ['an address of version 6', wire.address(), '2001:db8::1', '2001:db8::1'],
    ['a moment in UTC', wire.moment(), ' 2026-11-20T12:00:00Z ', '2026-11-20T12:00:00Z'],
    ['a moment with an offset', wire.moment(), '2026-11-20T12:00:00-03:00', '2026-11-20T12:00:00-03:00'],
    ['a moment with fractions', wire.moment(), FRACTIONS, FRACTIONS],
    ['a moment without seconds', wire.moment(), '2026-11-20T12:00-03:00', '2026-11-20T12:00:00-03:00'],
  ])('the schema of a value reads %s', (_, schema, written, read) => expect(schema.parse(written)).toEqual(read));

  const UNQUOTED = expect.stringMatching(/^veio como texto; envie sem aspas: 350000\.50, com ponto/);
  it.each<readonly [string, z.ZodMiniType, unknown, string]>([
    ['CPF', wire.cpf(), 39053344705, 'veio como número; envie entre aspas: "ddd.ddd.ddd-dd"'],
    ['CEP', wire.postalCode(), 1310100, 'veio como número; envie entre aspas: "ddddd-ddd"'],
    ['day', wire.day(), 19880520, 'veio como número; envie entre aspas: "1988-05-20"'],
    ['term', wire.months(), '240', 'veio como texto; envie sem aspas: 240'],
    ['id', wire.positiveInteger(), '7', 'veio como texto; envie sem aspas: 123'],
    ['amount', wire.money(), '1.234,00', UNQUOTED],
  ])(
    'the fault of a %s of the wrong type says whether to quote it, and does not repeat it',
    (_, schema, sent, told) => {
      expect(messagesOf(schema, sent)).toEqual([told]);
    },
  );

  const AMOUNT = 'deve ser um número de 0 a R$ 100.000.000.000,00 com no máximo 2 casas decimais, sem aspas';
  it.each<readonly [string, z.ZodMiniType, string]>([
    ['oneOf', wire.oneOf(['SAC', 'PRICE']), 'deve ser um destes: SAC, PRICE'],
    ['state', wire.state(), 'deve ser a sigla de um dos 27 estados, em maiúsculas'],
    ['flag', wire.flag(), 'deve ser true ou false, sem aspas'],
    ['money', wire.money(), AMOUNT],
    ['positiveInteger', wire.positiveInteger(), 'deve ser um número inteiro maior que zero, sem aspas'],
    ['address', wire.address(), 'deve ser o endereço IP (v4 ou v6) do cliente final'],
    ['day', wire.day(), expect.stringContaining('AAAA-MM-DD que exista, de 1900 em diante, sem barras e sem hora')],
  ])('the fault of every other value says what %s expects', (_, schema, reason) => {
    for (const [, junk] of JUNK.filter(([what]) => what !== 'true'))
      expect(new Set(messagesOf(schema, junk))).toEqual(new Set([reason]));
  });

  const ZONES = ['::1%eth0', `fe80::1%${'a'.repeat(300)}`];
  it.each(['203.0.113', '203.0.113.256', '203.0.113.25:80', ...ZONES, 'localhost', ''])(
    '%s is not accepted as an IP address',
    (text) => {
      expect(wire.address().safeParse(text).success).toBe(false);
    },
  );

  const NO_TIMES = ['', 'T12:00:00', ' 12:00:00Z', 'T24:00:00Z', 'T12:60:00Z', 'T12:00:60Z', 'T12:00:00-15:00'];
  const NO_FRACTIONS = ['T12:00:00.Z', 'T12:00:00.1234567890Z'];
  it.each([
    ...[...NO_TIMES, ...NO_FRACTIONS].map((time) => `2026-11-20${time}`),
    '2026-02-30T12:00:00Z',
    '20/11/2026 12:00',
    '1763640000',
    '',
  ])('%s is not accepted as a moment', (text) => expect(wire.moment().safeParse(text).success).toBe(false));
});

it.each([
  ['2026-11-24', NOW, []],
  ['2026-11-25', NOW, ['nascimento']],
  [undefined, NOW, []],
  // In UTC the 25th has already begun.
  ['2026-11-25', Date.parse('2026-11-25T01:00:00Z'), ['nascimento']],
  ['2026-11-25', Date.parse('2026-11-25T03:00:00Z'), []],
])('the day %s has a fault only if it has not begun in São Paulo', (nascimento, now, fields) => {
  expect(wire.futureDays({ nascimento }, ['nascimento'], now).map(({ field }) => field)).toEqual(fields);
});

it.each([
  ['2026-11-24T16:25:00Z', false],
  ['2026-11-24T16:25:00.001Z', true],
  ['2026-11-24T13:25:01-03:00', true],
  ['2026-11-24T13:24:00-03:00', false],
])('isFutureMoment accepts up to 5 minutes ahead of the clock: %s, %s', (text, ahead) => {
  expect(wire.isFutureMoment(text, NOW)).toBe(ahead);
});

describe('parseBanks and bankNames', () => {
  it('the refusal of an unknown bank suggests the bank that was probably meant', () => {
    const reason = (name: string) => failureOf(() => wire.parseBanks([name])).fields?.[0]?.reason;
    expect(reason('santnder')).toContain('quis dizer santander? Use bradesco');
    expect(reason('caixa')).toContain('não é um banco da lista; use bradesco');
  });

  const UNKNOWN = ['', ' ', '99', 0, -1, 2.5, 'NaN', 'itau ú', 'itau\u0000', '\ud800', 'a'.repeat(9999)];
  it.each([...UNKNOWN, 'constructor', '__proto__'])(
    'an unknown bank is refused with its place in the list: %s',
    (name) => {
      const fields = ['bancos.1', 'bancos.3'];
      expect(refusalOf(() => wire.parseBanks(['itau', name, 'inter', name]))).toEqual({
        code: 'banco_invalido',
        fields,
      });
    },
  );

  it.each([
    ['no list', 'itau', ['']],
    ['an object', { 0: 'itau' }, ['']],
    ['an empty list', [], ['']],
    ['a list of 61 entries', Array(61).fill('itau'), ['']],
    ['a null inside', ['itau', null], ['1']],
    ['junk inside', [['itau'], {}, true], ['0', '1', '2']],
    ['a number above the range of a double', [JSON.parse('1e400')], ['0']],
  ])('bankNames accepts only a list of texts and numbers: %s', (_, value, paths) => {
    const { issues } = wire.bankNames().safeParse(value).error!;
    expect(issues.map(({ path }) => path.join('.'))).toEqual(paths);
  });
});

describe('withoutNulls and readFields', () => {
  const schema = z.object({ nome: wire.line(), renda: z.optional(wire.money()), bancos: wire.bankNames() });
  const good = { nome: 'Marina', bancos: ['itau'] };

  it('withoutNulls removes null fields, also in an object directly inside the body', () => {
    const kept = { b: 0, c: '', d: false, e: [null] };
    const sent = { a: null, ...kept, f: { g: null, h: { i: null } } };
    expect(withoutNulls(sent)).toEqual({ ...kept, f: { h: { i: null } } });
    const body = withoutNulls(JSON.parse('{"__proto__": {"nome": "x"}, "nome": null}'));
    expect('nome' in body).toBe(false);
  });

  it('readFields accepts a body without its optional fields, and drops unknown fields', () => {
    expect(readFields(schema, { ...good, outro: 1, renda: 0.5 })).toEqual({ ...good, renda: 50 });
  });

  it('readFields refuses a body with all its missing fields, whatever else is wrong', () => {
    const other = { field: 'outro', reason: 'é obrigatório porque sim' };
    const checks = { required: () => [other], faults: () => [] };
    const missing = ['nome', 'bancos'].map((field) => ({ field, reason: 'é obrigatório; preencha o campo' }));
    const failure = failureOf(() => readFields(schema, { renda: 'x' }, checks));
    expect(failure).toMatchObject({ code: 'campo_obrigatorio', fields: [...missing, other] });
  });

  it('readFields names each wrong field once, with its first reason', () => {
    const faults = () => ['nome', 'outro'].map((field) => ({ field, reason: 'segunda razão' }));
    const sent = { nome: 7, renda: -1, bancos: ['itau', {}] };
    const { code, fields } = failureOf(() => readFields(schema, sent, { faults }));
    expect(code).toBe('campo_invalido');
    expect(fields?.map(({ field }) => field)).toEqual(['nome', 'renda', 'bancos.1', 'outro']);
    expect(fields?.[0]?.reason).toBe('deve ser um texto; envie entre aspas');
  });

  it('readFields passes only valid fields to its cross checks, as the schema parsed them', () => {
    const faults = vi.fn((_valid: object) => []);
    readFields(schema, { ...good, nome: ' Marina ', renda: 0.5 }, { faults });
    failureOf(() => readFields(schema, { ...good, nome: 7 }, { faults }));
    expect(faults.mock.calls).toEqual([[{ ...good, renda: 50 }], [{ bancos: ['itau'] }]]);
  });

  it('readFields does not find a required field in a prototype', () => {
    const inherited = JSON.parse('{"__proto__": {"nome": "Marina", "bancos": ["itau"]}}') as Record<string, unknown>;
    expect(refusalOf(() => readFields(schema, inherited))).toEqual(missingFields('nome', 'bancos'));
    const inObject = z.object({ constructor: wire.line() });
    expect(refusalOf(() => readFields(inObject, {}))).toEqual(missingFields('constructor'));
  });
});
