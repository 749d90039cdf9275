import { visibleText } from './visible-text.ts';

/** Names that differ only in case, accents, blanks and punctuation become equal. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * An edit inserts, deletes or replaces a character, or swaps two neighbours. No part is edited twice (optimal string
 * alignment; Damerau 1964). The time grows with the product of both lengths, so the caller must limit them.
 */
export function editDistance(from: string, to: string): number {
  // Stryker disable next-line ArrayDeclaration: the first row has no row two above it, so this value is never read
  let twoAbove: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  let distance = to.length;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    let left = row;
    let diagonal = row - 1;
    for (const [index, up] of above.slice(1).entries()) {
      const isSame = from[row - 1] === to[index];
      const isSwapped = from[row - 1] === to[index - 1] && from[row - 2] === to[index];
      const beforeSwap = isSwapped ? twoAbove[index - 1] : undefined;
      const edited = Math.min(up + 1, left + 1, diagonal + (isSame ? 0 : 1));
      left = beforeSwap === undefined ? edited : Math.min(edited, beforeSwap + 1);
      diagonal = up;
      current.push(left);
    }
    twoAbove = above;
    above = current;
    distance = left;
  }
  return distance;
}

/**
 * If several candidates are equally near, returns the first. The distance may be at most a quarter of the longer name's
 * length, or 1 if that is less than 1. At least one character of the shorter name must stay. Returns undefined if no
 * candidate is near enough.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const plain = plainName(name);
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const other = plainName(candidate);
    const [short, long] = [Math.min(plain.length, other.length), Math.max(plain.length, other.length)];
    const limit = Math.min(Math.max(1, Math.floor(long / 4)), short - 1);
    // Stryker disable next-line ConditionalExpression,EqualityOperator: the result is the same without it, only later
    if (long - short > limit) continue;
    const distance = editDistance(plain, other);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

const APOSTROPHES = /[`´\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u2018\u2019\u201b\u2032\u2035\ua78b\ua78c\uff07\uff40]/g;
const HYPHENS = /[\p{Pd}\u02d7\u2043\u2212]/gu;

/**
 * Names are compared in this form, so that names that look equal are equal: copied documents and telephones' keyboards
 * write `D’Ávila` for `D'Ávila`. Signs are replaced before NFKD, which splits `´` into a blank and an accent.
 */
export function fold(text: string): string {
  return visibleText(text)
    .replace(APOSTROPHES, "'")
    .replace(HYPHENS, '-')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
}
