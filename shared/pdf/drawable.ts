// The characters for which the fonts have glyphs: fonts/README.md. Soft hyphens and the like are not drawn at all.
const UNDRAWABLE =
  /[^\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u1ea0-\u1ef9\u2010-\u2014\u2018-\u201e\u2022\u2026\u20ac\u2212]/u;
const INVISIBLE = /[\u00ad\p{Cf}]/gu;

/** Text as the fonts can draw it: spaces for control characters, and for a letter beyond them its base letter, else `?`. */
export function drawable(text: string): string {
  return Array.from(
    text
      .replace(INVISIBLE, '')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .normalize('NFC')
      .trim(),
    (character) => {
      if (!UNDRAWABLE.test(character)) return character;
      if (/\p{M}/u.test(character)) return '';
      const [base = '?'] = character.normalize('NFKD');
      return UNDRAWABLE.test(base) ? '?' : base;
    },
  ).join('');
}
