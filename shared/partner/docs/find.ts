import MiniSearch, { type Options, type Query, type SearchOptions, type SearchResult } from 'minisearch';
import { synonymsOf, termOf } from './search-terms.ts';

/** Something that the search finds. */
export interface Hit {
  /** Last part of the page's address, with its fragment. */
  readonly address: string;
  readonly title: string;
  readonly page: string;
  /** Words by which people look for it and which it does not contain. */
  readonly words: string;
  readonly text: string;
  /** How much its score counts, against 1 of a section of the guide. */
  readonly weight: number;
}

/** Options of the index, the same where it is made and where it is asked. */
export const SEARCH: Options<Hit> = {
  idField: 'address',
  fields: ['title', 'page', 'words', 'text'],
  storeFields: ['title', 'page', 'text', 'weight'],
  processTerm: termOf,
  searchOptions: { boost: { title: 4, words: 4, page: 1.5 } },
};

/** A hit, and the terms of the index that it was found by. */
export type Found = Omit<Hit, 'words' | 'weight'> & { readonly terms: readonly string[] };

/** A page to try where nothing was found. */
export type Suggestion = Pick<Hit, 'address' | 'title'>;

const MOST = 8;
const MOST_OF_PAGE = 2;
const SUGGESTIONS = 3;
/** Pages that most readers need first. */
const FIRST_PAGES = ['inicio', 'fluxo', 'erros'];

const MATCHING: SearchOptions = {
  // Queries hold terms already: an ending is taken off once.
  processTerm: (term) => term,
  prefix: (term) => term.length > 2,
  boostDocument: (_address, _term, stored) => Number(stored?.['weight']),
};
/** Letters that may be wrong: of a term without its ending some are gone already, and a shorter one is like too many words. */
const FORGIVING: SearchOptions = { ...MATCHING, fuzzy: (term) => (term.length > 3 ? 0.2 : false) };
const SYNONYM_WEIGHT = 0.6;

/** The index from its JSON. */
export const loadIndex = (json: string): MiniSearch<Hit> => MiniSearch.loadJSON<Hit>(json, SEARCH);

/** A term or one of its synonyms, which count for less. */
function eitherOf(term: string): Query {
  const others: Query = { combineWith: 'OR', queries: [...synonymsOf(term)], boostTerm: () => SYNONYM_WEIGHT };
  // A synonym is known to be a word of the guide: it is not guessed at.
  return { combineWith: 'OR', queries: [term, { ...others, prefix: false, fuzzy: false }] };
}

/** A term, or a word with two of its neighbours swapped (`wehbook`): one slip, which an index takes for two wrong letters. */
function withSwaps(term: string): Query {
  if (term.length <= 3 || /\d/.test(term)) return term;
  const queries = Array.from(
    { length: term.length - 1 },
    (_, at) => `${term.slice(0, at)}${term[at + 1]}${term[at]}${term.slice(at + 2)}`,
  );
  return { combineWith: 'OR', queries: [term, { combineWith: 'OR', queries, fuzzy: false }] };
}

/** The two words that a term may be run together of (`healthcheck`), where sections have both. */
function partsOf(index: MiniSearch<Hit>, term: string): Query | undefined {
  const whole = { ...MATCHING, prefix: false };
  const found = (word: string) => index.search(eitherOf(word), whole).length > 0;
  for (let at = 3; at <= term.length - 3; at++) {
    const queries = [term.slice(0, at), term.slice(at)].map((part) => termOf(part) ?? part);
    if (queries.every(found)) return { combineWith: 'AND', queries: queries.map(eitherOf) };
  }
  return undefined;
}

/** What a term finds: as it is written; else as two words; else differing by a letter, or by two swapped. */
function foundBy(index: MiniSearch<Hit>, term: string): readonly SearchResult[] {
  const found = index.search(eitherOf(term), MATCHING);
  if (found.length > 0) return found;
  const parts = partsOf(index, term);
  return parts ? index.search(parts, MATCHING) : index.search(withSwaps(term), FORGIVING);
}

const tokenize = MiniSearch.getDefault('tokenize') as (text: string) => string[];
const termsOf = (query: string) => [...new Set(tokenize(query).flatMap((word) => termOf(word) ?? []))];

/** What a query finds, best first, at most 8, of each page at most 2. A section with half of its words counts for a quarter. */
export function find(index: MiniSearch<Hit>, query: string): readonly Found[] {
  const asked = termsOf(query);
  const byAddress = Map.groupBy(
    asked.flatMap((term) => foundBy(index, term)),
    ({ id }) => String(id),
  );
  const scored = [...byAddress].map(([address, hits]) => ({
    ...(hits[0] as unknown as Hit),
    address,
    terms: hits.flatMap(({ terms }) => terms),
    score: hits.reduce((sum, { score }) => sum + score, 0) * (hits.length / asked.length) ** 2,
  }));
  const best = scored.sort((a, b) => b.score - a.score);
  const firstOf = Map.groupBy(best, ({ page }) => page);
  return best.filter((hit) => firstOf.get(hit.page)!.indexOf(hit) < MOST_OF_PAGE).slice(0, MOST);
}

/** Three pages for a query that finds nothing: those with words most like its own, then those that most readers need. */
export function suggestPages(index: MiniSearch<Hit>, query: string): readonly Suggestion[] {
  const alike = index.search({ combineWith: 'OR', queries: termsOf(query) }, { ...MATCHING, fuzzy: 0.4 });
  const pages = alike.map(({ id }) => String(id).split('#')[0]!);
  return [...new Set([...pages, ...FIRST_PAGES])]
    .flatMap((address) => {
      const stored = index.getStoredFields(address);
      return stored ? [{ address, title: String(stored['title']) }] : [];
    })
    .slice(0, SUGGESTIONS);
}
