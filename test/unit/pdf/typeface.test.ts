import { expect, it } from 'vitest';
import { drawable } from '#shared/pdf/typeface.ts';

it('drawable draws nothing for invisible characters, which leads of earlier days may have', () => {
  expect(drawable('\u202eAna\u200b D’Ávi\u00adla\u3164Re\u034fis\u2060')).toBe('Ana D’Ávila Reis');
});

it('drawable keeps the letters of the fonts, and replaces other letters by their base letters or by ?', () => {
  expect(drawable('Joa\u0303o  da\tConceição')).toBe('João da Conceição');
  expect(drawable('Ǻna 中')).toBe('Ana ?');
});
