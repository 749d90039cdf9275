import { expect, it } from 'vitest';
import {
  contactOrEmpty,
  id,
  idText,
  name,
  nameOrEmpty,
  pastDay,
  reason,
  token,
  webhookUrl,
} from '#shared/administration/fields.ts';
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

const SECRET = 'pmc_sandbox_00000001za1B2c0123';

it.each([
  ['a name', name],
  ['a name that may be empty', nameOrEmpty],
  ['a contact', contactOrEmpty],
  ['a reason', reason],
] as const)('%s that holds a CPF, or more of a key than its start, is refused with the cure', (_, field) => {
  const faultOf = (text: string) => field('').safeParse(text).error?.issues[0]?.message;
  expect(faultOf('Sol 529.982.247-25')).toContain('is kept for good: leave CPFs');
  expect(faultOf(`Sol ${SECRET}`)).toContain('only the start that lists show');
  expect(faultOf(`Sol ${SECRET}`)).not.toContain('0123');
  expect(field('').parse('Sol pmc_sandbox_00000001za1B2c…wXyZ')).toContain('wXyZ');
});

it('a contact may be an e-mail address and a telephone number, and a name may not', () => {
  const contact = 'seguranca@parceiro.com.br, +55119 8765 4321';
  expect(contactOrEmpty('').parse(contact)).toBe(contact);
  expect(nameOrEmpty('').safeParse(contact).success).toBe(false);
});

it('the address of a webhook that holds the secret of a webhook is refused', () => {
  expect(webhookUrl('').safeParse('https://parceiro.com.br/hooks/whsec_c2VjcmV0').success).toBe(false);
  expect(webhookUrl('').safeParse('https://parceiro.com.br/hooks?chave=7').success).toBe(true);
});

it('a reason that identifies a person is refused', () => {
  const held = PERSONAL_TEXTS.filter(([, kept]) => kept.includes('***')).map(([text]) => text);
  expect([...held, 'pedido de @joao'].filter((text) => reason().safeParse(text).success)).toEqual([]);
  expect(reason().parse('INC-4242: proposta 12345678901, R$ 1.500.000,00')).toContain('INC-4242');
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
