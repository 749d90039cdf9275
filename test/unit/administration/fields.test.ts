import { describe, expect, it } from 'vitest';
import { name, reason, token } from '../../../shared/administration/fields.ts';
import { PERSONAL_TEXTS } from '../../makers/personal-texts.ts';

const HIDDEN: readonly (readonly [what: string, sign: string])[] = [
  ['a NUL', '\u0000'],
  ['an escape', '\u001b'],
  ['a control character of C1', '\u0085'],
  ['text turned around', '\u202e'],
  ['an isolate', '\u2066'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a byte order mark in a word', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a Hangul filler', '\u3164'],
  ['an empty Braille cell', '\u2800'],
  ['half a surrogate pair', '\ud800'],
];

describe.each(HIDDEN)('%s', (_, sign) => {
  it.each(Object.entries({ name: name(''), reason: reason() }))('stands in no %s', (_field, schema) => {
    expect(schema.safeParse(`Imobiliária${sign}Sol`).success).toBe(false);
    expect(schema.parse(' Imobiliária Sol nº 3 – “Açaí” ')).toBe('Imobiliária Sol nº 3 – “Açaí”');
  });
});

it('a reason of several lines is kept on one', () => {
  expect(reason().parse('chamado 7:\n\ttroca  de chave\r\n')).toBe('chamado 7: troca de chave');
  expect(reason().safeParse(' \n ').success).toBe(false);
});

it('a reason holds nothing that identifies a person', () => {
  const held = PERSONAL_TEXTS.filter(([, kept]) => kept.includes('***')).map(([text]) => text);
  expect([...held, 'pedido de @joao'].filter((text) => reason().safeParse(text).success)).toEqual([]);
  expect(reason().parse('INC-4242: proposta 12345678901, R$ 1.500.000,00')).toContain('INC-4242');
});

it('a token cannot be guessed: 16 to 255 characters', () => {
  const taken = [15, 16, 255, 256].map((length) => token('').safeParse('x'.repeat(length)).success);
  expect(taken).toEqual([false, true, true, false]);
});
