import { remembered } from '../domain/simulations/pricing/ratio.ts';

// The characters for which the fonts have glyphs: fonts/README.md. Soft hyphens and the like are not drawn at all.
const UNDRAWABLE =
  /[^\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u1ea0-\u1ef9\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2212]/u;
const INVISIBLE = /[\u00ad\p{Cf}]/gu;

/** Text as the fonts can draw it: spaces for control characters, and for a letter beyond them its base letters, else `?`. */
export function drawable(text: string): string {
  return Array.from(
    text
      .replace(INVISIBLE, '')
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

/** What pdfkit holds of a font that it embeds; its declared types leave it out. */
export interface EmbeddedFont {
  readonly id: string;
  /** The font's object, for the page's resources. */
  ref(): unknown;
  /** The glyphs of a text as hexadecimal numbers of the embedded subset. */
  encode(text: string): readonly [glyphs: readonly string[], positions: unknown];
  widthOfString(text: string, size: number): number;
}

/**
 * A font, one character at a time. Its features and kerning are left out (fonts/README.md), so that a text is as wide as
 * its characters together, and each is measured and looked up once: layouting every figure of a schedule anew took a
 * third of the time of a document.
 */
export function typeface(font: EmbeddedFont) {
  const advance = remembered((character: string) => font.widthOfString(character, 1));
  const glyph = remembered((character: string) => font.encode(character)[0].join(''));
  return {
    font,
    /** Width of a text at a size of 1, in points. */
    width(text: string): number {
      let sum = 0;
      for (const character of text) sum += advance(character);
      return sum;
    },
    /** A text as a string of the page's content: `<0001002a>`. What is asked for becomes a part of the embedded subset. */
    encoded(text: string): string {
      let glyphs = '';
      for (const character of text) glyphs += glyph(character);
      return `<${glyphs}>`;
    },
  };
}
