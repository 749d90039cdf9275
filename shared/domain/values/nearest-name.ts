/** A name without what spellings differ in: case, accents, blanks and punctuation. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * The fewest characters to insert, delete, replace or swap with their neighbour that turn one text into the other
 * (optimal string alignment: Damerau 1964, no part edited twice). Takes the product of the lengths in steps: bound them.
 */
export function editDistance(one: string, other: string): number {
  // Stryker disable next-line ArrayDeclaration: the first row has nothing to be swapped with, and never reads it
  let twoAbove: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  let distance = other.length;
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let left = row;
    let diagonal = row - 1;
    for (const [index, up] of above.slice(1).entries()) {
      const isSame = one[row - 1] === other[index];
      const isSwapped = one[row - 1] === other[index - 1] && one[row - 2] === other[index];
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
 * The candidate that a mistyped name most probably means: the nearest by edit distance, the first of equally near ones;
 * undefined where none lies within a quarter of the longer name's length, or one character of a short name.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const plain = plainName(name);
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const other = plainName(candidate);
    const [short, long] = [Math.min(plain.length, other.length), Math.max(plain.length, other.length)];
    const most = Math.min(Math.max(1, Math.floor(long / 4)), short - 1);
    // A caller's name may be of any length: the distance is only measured where it can be small.
    // Stryker disable next-line ConditionalExpression,EqualityOperator: without it the answer is the same, and late
    if (long - short > most) continue;
    const distance = editDistance(plain, other);
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Text without accents, in lower case, with single spaces: how names are compared. */
export const fold = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
