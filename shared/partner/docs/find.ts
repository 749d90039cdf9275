import MiniSearch, { type Options, type Query, type SearchOptions, type SearchResult } from 'minisearch';
import SYNONYMS from './synonyms.json' with { type: 'json' };

// How a word becomes what the index holds and queries ask for. Portuguese in half a page: a full stemmer would be ten
// times as long and, over a guide of this size, finds no page more.

/** Words that say nothing of what is looked for. */
const STOP = new Set(
  'a o as os um uma de do da dos das em no na nos nas por pela pelo para pra com e ou que se ao aos qual quais como onde quando quanto e eu me meu minha seu sua ha faz faco fazer posso pode the how to is of'.split(
    ' ',
  ),
);

/** Endings of verbs and of the nouns made from them: `autenticar`, `autenticação`, `deprecated`. Longest first. */
const ENDING =
  /(?:[aei]coes|[aei]cao|adores|ador|ation|ated|ando|endo|indo|ad[ao]|id[ao]|ar|er|ir|am|em|ing|ed|a|e|o)$/;
/** A shorter rest would stand for unrelated words. */
const LEAST = 3;

/** A word without accents, capitals, plural and ending; null for a word that says nothing. */
export function termOf(word: string): string | null {
  const folded = word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[sz]ao$/, 'cao');
  if (STOP.has(folded)) return null;
  // A number or a short name is meant as it is written.
  if (folded.length <= LEAST || /\d/.test(folded)) return folded;
  const singular = folded.endsWith('coes') ? folded : folded.replace(/s$/, '');
  const stem = singular.replace(ENDING, '');
  return stem.length >= LEAST ? stem : singular;
}

/** By term, those of synonyms.json: groups of words of one meaning, Portuguese and English. */
const byTerm = new Map<string, readonly string[]>();
for (const group of SYNONYMS) {
  const terms = group.split(' ').flatMap((word) => termOf(word) ?? []);
  for (const term of terms) byTerm.set(term, Array.from(new Set((byTerm.get(term) ?? []).concat(terms))));
}

/** Other terms for the same thing; none for a term without any. */
const synonymsOf = (term: string): string[] => (byTerm.get(term) ?? []).filter((other) => other !== term);

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
  searchOptions: { boost: { title: 4, words: 4, page: 1 } },
};

/** A hit, and the terms of the index that it was found by. */
export type Found = Omit<Hit, 'words' | 'weight'> & { readonly terms: readonly string[] };

/** A page to try where nothing was found. */
export type Suggestion = Pick<Hit, 'address' | 'title'>;

const MOST = 8;
const MOST_OF_PAGE = 2;
/** Places in front, each of another page: a reader who was meant otherwise sees so at once. */
const IN_FRONT = 3;
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
const SYNONYM_WEIGHT = 0.45;

/** The index from its JSON. */
export const loadIndex = (json: string): MiniSearch<Hit> => MiniSearch.loadJSON<Hit>(json, SEARCH);

/** A term or one of its synonyms, which count for less. */
function eitherOf(term: string): Query {
  const others: Query = { combineWith: 'OR', queries: synonymsOf(term), boostTerm: () => SYNONYM_WEIGHT };
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

/**
 * What a term finds: as it is written; else as two words; else differing by a letter, or by two swapped, and what the term that
 * it is most like is a synonym of.
 */
function foundBy(index: MiniSearch<Hit>, term: string): readonly SearchResult[] {
  const found = index.search(eitherOf(term), MATCHING);
  if (found.length > 0) return found;
  const parts = partsOf(index, term);
  if (parts) return index.search(parts, MATCHING);
  const guessed = index.search(withSwaps(term), FORGIVING);
  const meant = guessed[0]?.terms[0];
  return meant ? index.search({ combineWith: 'OR', queries: [withSwaps(term), eitherOf(meant)] }, FORGIVING) : guessed;
}

const tokenize: (text: string) => string[] = MiniSearch.getDefault('tokenize');
const sumOf = <T>(all: readonly T[], value: (one: T) => number) => all.reduce((sum, one) => sum + value(one), 0);
const termsOf = (query: string) => Array.from(new Set(tokenize(query).flatMap((word) => termOf(word) ?? [])));

/**
 * What a query finds, best first, at most 8, of each page at most 2, of which the second comes after the best of three pages.
 * A section with half of its words counts for about a quarter: more where it has the rare ones.
 */
export function find(index: MiniSearch<Hit>, query: string): readonly Found[] {
  const asked = termsOf(query).map((term) => {
    const hits = foundBy(index, term);
    return { hits, rarity: Math.sqrt(Math.log(1 + index.documentCount / Math.max(1, hits.length))) };
  });
  const whole = sumOf(asked, ({ rarity }) => rarity);
  const byAddress = Map.groupBy(
    asked.flatMap(({ hits, rarity }) => hits.map((hit) => ({ ...hit, rarity }))),
    ({ id }) => String(id),
  );
  const scored = Array.from(byAddress, ([address, hits]) => {
    const stored = index.getStoredFields(address);
    return {
      address,
      title: String(stored?.['title']),
      page: String(stored?.['page']),
      text: String(stored?.['text']),
      terms: hits.flatMap(({ terms }) => terms),
      score: sumOf(hits, ({ score }) => score) * (sumOf(hits, ({ rarity }) => rarity) / whole) ** 2,
    };
  });
  const best = scored.sort((a, b) => b.score - a.score);
  const byPage = Array.from(Map.groupBy(best, ({ page }) => page).values());
  const ofPages = new Set(byPage.flatMap((hits) => hits.slice(0, MOST_OF_PAGE)));
  const found = best.filter((hit) => ofPages.has(hit));
  // A map keeps the order of its first entries: the pages are in the order of their best hits.
  const inFront = byPage.flatMap((hits) => hits.slice(0, 1)).slice(0, IN_FRONT);
  return inFront.concat(found.filter((hit) => !inFront.includes(hit))).slice(0, MOST);
}

/** Three pages for a query that finds nothing: those with words most like its own, then those that most readers need. */
export function suggestPages(index: MiniSearch<Hit>, query: string): readonly Suggestion[] {
  const alike = index.search({ combineWith: 'OR', queries: termsOf(query) }, { ...MATCHING, fuzzy: 0.4 });
  const pages = alike.map(({ id }) => String(id).replace(/#.*/, '')).concat(FIRST_PAGES);
  return Array.from(new Set(pages))
    .flatMap((address) => {
      const stored = index.getStoredFields(address);
      return stored ? [{ address, title: String(stored['title']) }] : [];
    })
    .slice(0, SUGGESTIONS);
}
