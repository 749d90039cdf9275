import { expect, it } from 'vitest';
import { visibleText } from '#shared/domain/values/visible-text.ts';
import { UNSEEN } from '#test/makers/spellings.ts';

it.each(UNSEEN)('visibleText removes %j', (character) => {
  expect(visibleText(`${character}An${character}a${character}`)).toBe('Ana');
});

it.each(['\u00a0', '\u2003', '\u2028', '\u2029', '\u3000', '\u2800', '\u3164', '\uffa0', '\u115f'])(
  'visibleText makes a space of the blank %j',
  (blank) => {
    expect(visibleText(`Ana${blank}Lima`)).toBe('Ana Lima');
  },
);

it('visibleText keeps letters, accents, signs, tabs and line breaks', () => {
  const text = "Zoë\tD’Ávila-Núñez (2ª)\n'Ana' 中 🙂";
  expect(visibleText(text)).toBe(text);
});
