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
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        above[column]! + 1,
        current[column - 1]! + 1,
        above[column - 1]! + (same ? 0 : 1),
        swapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
    above = current;
  }
  return above[other.length]!;
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
