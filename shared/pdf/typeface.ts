import { remembered } from '../domain/simulations/pricing/ratio.ts';
import { visibleText } from '../domain/values/visible-text.ts';

// Characters for which the fonts have no glyphs (fonts/README.md). Invisible characters are not drawn at all.
const UNDRAWABLE =
  /[^\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u1ea0-\u1ef9\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2212]/u;

/**
 * A control character becomes a space. A letter without a glyph becomes its base letters, or `?` if these have no
 * glyph.
 */
export function drawable(text: string): string {
  return Array.from(
    visibleText(text)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .replace(/[\u2010-\u2012]/g, '-')
      .normalize('NFC')
      .trim(),
    (character) => {
      if (!UNDRAWABLE.test(character)) return character;
      if (/\p{M}/u.test(character)) return '';
      const base = character.normalize('NFKD').replace(/\p{M}/gu, '');
      return UNDRAWABLE.test(base) ? '?' : base;
    },
  ).join('');
}

export interface EmbeddedFont {
  readonly id: string;
  ref(): unknown;
  encode(text: string): readonly [glyphs: readonly string[], positions: unknown];
  widthOfString(text: string, size: number): number;
}

/**
 * Measures and encodes each character once: the fonts have no features and no kerning (fonts/README.md). The layout by
 * pdfkit took a third of the time of a document.
 */
export function typeface(font: EmbeddedFont) {
  const advance = remembered((character: string) => font.widthOfString(character, 1));
  const glyph = remembered((character: string) => font.encode(character)[0].join(''));
  return {
    font,
    width(text: string): number {
      let sum = 0;
      for (const character of text) sum += advance(character);
      return sum;
    },
    /** Returns a string of the page's content: `<0001002a>`. Its characters become part of the embedded subset. */
    encoded(text: string): string {
      let glyphs = '';
      for (const character of text) glyphs += glyph(character);
      return `<${glyphs}>`;
    },
  };
}
