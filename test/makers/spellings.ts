import fc from 'fast-check';

/** Characters that nobody sees: zero-width ones, soft hyphen, direction marks, variation selector, byte order mark. */
export const UNSEEN: readonly string[] = [
  ...['\u00ad', '\u200b', '\u200c', '\u200d', '\u200e', '\u202a', '\u202c', '\u202e', '\u2060', '\u2066', '\ufeff'],
  ...['\u034f', '\u061c', '\u180e', '\ufe0f', '\u{e0041}'],
];

const APOSTROPHES = ["'", '’', '‘', '‛', 'ʼ', 'ʹ', '′', '´', '`', '＇'];
const HYPHENS = ['-', '\u2010', '\u2011', '\u2012', '–', '—', '\u2212', '\ufe63', '\uff0d'];
const BLANKS = [' ', '  ', '\u00a0', '\u2009', '\u202f', '\u3000', '\u2800', '\u3164', '\u2028'];

/** Ways to write one character of a name so that a person sees the same character, or one of another case. */
function waysOf(character: string): readonly string[] {
  if (character === "'") return APOSTROPHES;
  if (character === '-') return HYPHENS;
  if (character === ' ') return BLANKS;
  return [character, character.toUpperCase(), character.toLowerCase(), character.normalize('NFD')];
}

/**
 * Spellings of a name that look equal to it, but for the case of letters: other apostrophes, hyphens and blanks, accents
 * apart from their letters, and invisible characters anywhere. Give the name with `'`, `-` and single spaces.
 */
export function spellingsOf(name: string): fc.Arbitrary<string> {
  const unseen = fc.string({ unit: fc.constantFrom(...UNSEEN), maxLength: 2 });
  const written = Array.from(name, (character) => fc.tuple(fc.constantFrom(...waysOf(character)), unseen));
  return fc
    .tuple(unseen, fc.tuple(...written))
    .map(([start, characters]) => start + characters.map((parts) => parts.join('')).join(''));
}

/** Names with all that people's names have: accents, apostrophes, hyphens, blanks. */
export const anyName = fc
  .array(fc.constantFrom('João', "D'Ávila", 'Ana-Clara', 'Conceição', "Sant'Anna", 'Müller', 'de', 'Núñez'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join(' '));
