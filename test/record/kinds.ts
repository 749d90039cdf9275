import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item } from '#shared/table/rows/client.ts';

const KEYS = readFileSync(join(import.meta.dirname, '../../shared/table/rows/keys.ts'), 'utf8');
const LINES = Array.from(KEYS.matchAll(/^ \* \| +([^|]+?) +\| ([^|]*?) +\| ([^|]*?) +\| ([^|]*?) +\| ([^|]*?) +\|$/gm))
  .map(([, kind = '', pk = '', sk = '', byList = '', byDue = '']) => ({ kind, pk, sk, byList, byDue }))
  .filter(({ kind }) => kind !== 'row');

/**
 * The head of keys.ts writes keys as words with # between them. A word in capitals, or one of these, is a part of the key.
 * Any other word is a placeholder, for example for an id.
 */
const LITERAL: ReadonlySet<string> = new Set(['all', 'service', 'sandbox', 'release', 'retention', 'erasure']);

/** Returns whether a key has a form of the head of keys.ts. */
function hasForm(form: string, key: unknown): boolean {
  const words = form.split('#').map((word) => (/^[A-Z]+$/.test(word) || LITERAL.has(word) ? word : '[^#]+'));
  return new RegExp(`^${words.join('#')}$`).test(String(key));
}

/** The kinds of rows in the head of keys.ts. */
export const KINDS: readonly string[] = LINES.filter(({ pk }) => pk !== '').map(({ kind }) => kind);

/** Returns the kind of a row, by its key. Undefined if keys.ts has no such kind. */
export function kindOf({ pk, sk }: Item): string | undefined {
  const found = LINES.filter(
    (line) => line.pk !== '' && line.pk.split(' or ').some((form) => hasForm(form, pk)) && hasForm(line.sk, sk),
  );
  // A key whose words are all literal is the kind itself: LEAD#ERASURE is no `LEAD#any`.
  return (found.find(({ sk: form }) => form === sk) ?? found[0])?.kind;
}

/** Returns the forms of entries in the two indexes, as the head of keys.ts writes them, of which the rows have no entry. */
export function formsWithoutEntry(rows: readonly Item[]): string[] {
  const partitionOf = (form: string): string => form.split(' ')[0] ?? '';
  return LINES.flatMap(({ byList, byDue }) => {
    const missing: string[] = [];
    if (byList !== '' && !rows.some(({ listPk }) => hasForm(partitionOf(byList), listPk))) missing.push(byList);
    if (byDue !== '' && !rows.some(({ duePk }) => hasForm(partitionOf(byDue), duePk))) missing.push(byDue);
    return missing;
  });
}
