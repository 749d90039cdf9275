import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item } from '#shared/table/rows/client.ts';

const KEYS = readFileSync(join(import.meta.dirname, '../../shared/table/rows/keys.ts'), 'utf8');
const LINES = Array.from(KEYS.matchAll(/^ \* \| +([^|]+?) +\| ([^|]*?) +\| ([^|]*?) +\| ([^|]*?) +\| ([^|]*?) +\|$/gm))
  .map(([, kind = '', pk = '', sk = '', byList = '', byDue = '']) => ({ kind, pk, sk, byList, byDue }))
  .filter(({ kind }) => kind !== 'row');

/** Returns whether a key has the form that keys.ts writes: words in capitals are themselves, others are any text. */
function hasForm(form: string, key: string): boolean {
  const words = form.split('#').map((word) => (/^[A-Z]+$/.test(word) ? word : '[^#]+'));
  return new RegExp(`^${words.join('#')}$`).test(key);
}

/** The kinds of rows in the head of keys.ts. */
export const KINDS: readonly string[] = LINES.filter(({ pk }) => pk !== '').map(({ kind }) => kind);

/** Returns the kind of a row, by its key. Undefined if keys.ts has no such kind. */
export function kindOf({ pk, sk }: Item): string | undefined {
  const found = LINES.filter(
    (line) =>
      line.pk !== '' && line.pk.split(' or ').some((form) => hasForm(form, String(pk))) && hasForm(line.sk, String(sk)),
  );
  // A key whose words are all literal is the kind itself: LEAD#ERASURE is no `LEAD#any`.
  return (found.find(({ sk: form }) => form === sk) ?? found[0])?.kind;
}

/** First parts of the keys in the indexes, as the head of keys.ts lists them: `byDue DISABLED`. */
export const ENTRIES: readonly string[] = LINES.flatMap(({ byList, byDue }) =>
  [`byList ${byList.split('#')[0]?.split(' ')[0]}`, `byDue ${byDue.split('#')[0]?.split(' ')[0]}`].filter(
    (entry) => !entry.endsWith(' '),
  ),
);

/** Returns the entries that a row has in the indexes. */
export const entriesOf = ({ listPk, duePk }: Item): string[] => [
  ...(listPk === undefined ? [] : [`byList ${String(listPk).split('#')[0]}`]),
  ...(duePk === undefined ? [] : [`byDue ${String(duePk).split('#')[0]}`]),
];
