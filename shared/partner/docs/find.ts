import MiniSearch, { type Options, type Query, type QueryCombination, type SearchOptions } from 'minisearch';
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
  if (term.length <= 3 || /\d/.test(term)) return eitherOf(term);
  const queries = Array.from(
    { length: term.length - 1 },
    (_, at) => `${term.slice(0, at)}${term[at + 1]}${term[at]}${term.slice(at + 2)}`,
  );
  return { combineWith: 'OR', queries: [eitherOf(term), { combineWith: 'OR', queries, fuzzy: false }] };
}

const tokenize = MiniSearch.getDefault('tokenize') as (text: string) => string[];
const termsOf = (query: string) => [...new Set(tokenize(query).flatMap((word) => termOf(word) ?? []))];

/**
 * What a query finds, best first, at most 8: sections with all of its words; else with words that differ from them by a
 * letter, or by two swapped; else with any of them.
 */
export function find(index: MiniSearch<Hit>, query: string): readonly Found[] {
  const terms = termsOf(query);
  const guessed = terms.map(withSwaps);
  const tries: [asked: QueryCombination, matching: SearchOptions][] = [
    [{ combineWith: 'AND', queries: terms.map(eitherOf) }, MATCHING],
    [{ combineWith: 'AND', queries: guessed }, FORGIVING],
    [{ combineWith: 'OR', queries: guessed }, FORGIVING],
  ];
  for (const [asked, matching] of tries) {
    const found = index.search(asked, matching).slice(0, MOST);
    if (found.length > 0) {
      return found.map((hit) => ({ ...(hit as unknown as Hit), address: String(hit.id), terms: hit.terms }));
    }
  }
  return [];
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
