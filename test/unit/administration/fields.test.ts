import { expect, it } from 'vitest';
import { id, idText, name, pastDay, reason, token } from '#shared/administration/fields.ts';
import { PERSONAL_TEXTS } from '#test/makers/personal-texts.ts';

// Control characters, characters that turn or isolate text, invisible joiners and fillers, and half a surrogate pair.
const HIDDEN = [...'\u0000\u001b\u0085\u202e\u2066\u200b\u200d\ufeff\u00ad\u3164\u2800\ud800'];

it.each(HIDDEN)('a name and a reason with the invisible character %j are refused', (sign) => {
  for (const schema of [name(''), reason()]) {
    expect(schema.safeParse(`Imobiliária${sign}Sol`).success).toBe(false);
    expect(schema.parse(' Imobiliária Sol nº 3 – “Açaí” ')).toBe('Imobiliária Sol nº 3 – “Açaí”');
  }
});

it('a reason of several lines is kept on one line', () => {
  expect(reason().parse('chamado 7:\n\ttroca  de chave\r\n')).toBe('chamado 7: troca de chave');
  expect(reason().safeParse(' \n ').success).toBe(false);
});

it('a reason that identifies a person is refused', () => {
  const held = PERSONAL_TEXTS.filter(([, kept]) => kept.includes('***')).map(([text]) => text);
  expect([...held, 'pedido de @joao'].filter((text) => reason().safeParse(text).success)).toEqual([]);
  expect(reason().parse('INC-4242: proposta 12345678901, R$ 1.500.000,00')).toContain('INC-4242');
});

it('a reason that holds more of a key than its start, or the secret of a webhook, is refused', () => {
  const start = 'pmc_sandbox_00000001za1B2c';
  for (const held of [`leaked: ${start}0123`, `leaked: whsec_S3CRET`]) {
    const { error } = reason().safeParse(held);
    expect(error?.issues).toMatchObject([{ message: expect.stringContaining('only the start that lists show') }]);
    expect(JSON.stringify(error?.issues)).not.toMatch(/0123|S3CRET/);
  }
  expect(reason().parse(`leaked: ${start}…wXyZ`)).toBe(`leaked: ${start}…wXyZ`);
});

it('a token has 16 to 255 characters, so that nobody can guess it', () => {
  const taken = [15, 16, 255, 256].map((length) => token('').safeParse('x'.repeat(length)).success);
  expect(taken).toEqual([false, true, true, false]);
});

it.each([0, -1, 1.5, 2 ** 53, Number.NaN, '7', null])('%s is not accepted as an id in a body', (value) => {
  expect(id('').safeParse(value).error?.issues).toMatchObject([{ message: 'must be a positive whole number' }]);
});

it.each(['0', '-1', '1.5', '9007199254740992', '', '7 '])('%j is not accepted as an id in a path', (text) => {
  expect(idText('').safeParse(text).success).toBe(false);
});

it('the largest safe integer is accepted as an id in a body', () => {
  expect(id('').parse(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
});

it('the text of the largest safe integer is accepted as an id in a path', () => {
  expect(idText('').parse('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
});

it.each([
  ['1900-02-29', 'must be a day that exists, YYYY-MM-DD'],
  ['1899-12-31', 'must be from 1900 on'],
])('the day %s is refused with the sentence "%s"', (text, message) => {
  expect(pastDay().safeParse(text).error?.issues).toMatchObject([{ message }]);
});

it('1900-01-01 is the first day that a body may name', () => {
  expect(pastDay().parse('1900-01-01')).toBe('1900-01-01');
});
