import MiniSearch, { type Options, type Query, type SearchOptions, type SearchResult } from 'minisearch';
import SYNONYMS from './synonyms.json' with { type: 'json' };

// These are few rules for Portuguese. A full stemmer would be ten times as long, and find no further page here.

const STOP = new Set(
  'a o as os um uma de do da dos das em no na nos nas por pela pelo para pra com e ou que se ao aos qual quais como onde quando quanto e eu me meu minha seu sua ha faz faco fazer posso pode the how to is of'.split(
    ' ',
  ),
);

/** Endings of verbs and of the nouns made from them: `autenticar`, `autenticação`, `deprecated`. Longest first. */
const ENDING =
  /(?:[aei]coes|[aei]cao|adores|ador|ation|ated|ando|endo|indo|ad[ao]|id[ao]|ar|er|ir|am|em|ing|ed|a|e|o)$/;
/** Least length of the rest of a word. A shorter rest would match unrelated words. */
const LEAST = 3;

/** Returns a word without accents, capitals, plural and ending. Null for a word of STOP. */
export function termOf(word: string): string | null {
  const folded = word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[sz]ao$/, 'cao');
  if (STOP.has(folded)) return null;
  // A number or a short name is kept as it is written.
  if (folded.length <= LEAST || /\d/.test(folded)) return folded;
  const singular = folded.endsWith('coes') ? folded : folded.replace(/s$/, '');
  const stem = singular.replace(ENDING, '');
  return stem.length >= LEAST ? stem : singular;
}

/**
 * For each term, all terms of its groups in synonyms.json, including the term itself. The terms are Portuguese and
 * English.
 */
const byTerm = new Map<string, readonly string[]>();
for (const group of SYNONYMS) {
  const terms = group.split(' ').flatMap((word) => termOf(word) ?? []);
  for (const term of terms) byTerm.set(term, Array.from(new Set((byTerm.get(term) ?? []).concat(terms))));
}

const synonymsOf = (term: string): string[] => (byTerm.get(term) ?? []).filter((other) => other !== term);

export interface Hit {
  /** Last part of the page's address, with its fragment. */
  readonly address: string;
  readonly title: string;
  readonly page: string;
  /** Words by which people look for the section although it does not contain them. */
  readonly words: string;
  readonly text: string;
  /** Factor of the section's score. A section of the guide has 1. */
  readonly weight: number;
}

const CODE = /[a-z]+(?:_[a-z]+)+/g;
const wordsOf: (text: string) => string[] = MiniSearch.getDefault('tokenize');
/** Also returns codes (`divergencia_titular`) as a whole, which few sections have. */
const tokenize = (text: string): string[] => wordsOf(text).concat(text.match(CODE) ?? []);

/** The index must be built and searched with the same options. */
export const SEARCH: Options<Hit> = {
  tokenize,
  idField: 'address',
  fields: ['title', 'page', 'words', 'text'],
  storeFields: ['title', 'page', 'text', 'weight'],
  processTerm: termOf,
  searchOptions: { boost: { title: 4, words: 4, page: 1 } },
};

/** A hit, and the terms of the index by which it was found. */
export type Found = Omit<Hit, 'words' | 'weight'> & { readonly terms: readonly string[] };

export type Suggestion = Pick<Hit, 'address' | 'title'>;

const MOST = 8;
const MOST_OF_PAGE = 2;
/** Number of first results that must be of different pages. A reader who meant another topic then sees it at once. */
const IN_FRONT = 3;
const SUGGESTIONS = 3;
const FIRST_PAGES = ['inicio', 'fluxo', 'erros'];

const MATCHING: SearchOptions = {
  // A query holds terms already, and an ending must be removed only once.
  processTerm: (term) => term,
  tokenize: (term) => [term],
  prefix: (term) => term.length > 2,
  boostDocument: (_address, _term, stored) => Number(stored?.['weight']),
};
/**
 * Allows about one wrong letter in five, but none in a term of up to three letters: too many words would resemble it.
 */
const FORGIVING: SearchOptions = { ...MATCHING, fuzzy: (term) => (term.length > 3 ? 0.2 : false) };
const SYNONYM_WEIGHT = 0.45;

export const loadIndex = (json: string): MiniSearch<Hit> => MiniSearch.loadJSON<Hit>(json, SEARCH);

function eitherOf(term: string): Query {
  const others: Query = { combineWith: 'OR', queries: synonymsOf(term), boostTerm: () => SYNONYM_WEIGHT };
  // A synonym is a word that the guide has, so it needs no guessing.
  return { combineWith: 'OR', queries: [term, { ...others, prefix: false, fuzzy: false }] };
}

/** Two swapped letters (`wehbook`) are a single slip; the index would count two wrong letters. */
function withSwaps(term: string): Query {
  if (term.length <= 3 || /\d/.test(term)) return term;
  const queries = Array.from(
    { length: term.length - 1 },
    (_, at) => `${term.slice(0, at)}${term[at + 1]}${term[at]}${term.slice(at + 2)}`,
  );
  return { combineWith: 'OR', queries: [term, { combineWith: 'OR', queries, fuzzy: false }] };
}

/** Splits a term that may join two words (`healthcheck`). Undefined if no split has two known words. */
function partsOf(index: MiniSearch<Hit>, term: string): Query | undefined {
  const wholeWord = { ...MATCHING, prefix: false };
  const found = (word: string) => index.search(eitherOf(word), wholeWord).length > 0;
  for (let at = 3; at <= term.length - 3; at++) {
    const queries = [term.slice(0, at), term.slice(at)].map((part) => termOf(part) ?? part);
    if (queries.every(found)) return { combineWith: 'AND', queries: queries.map(eitherOf) };
  }
  return undefined;
}

/**
 * The first of these that finds something counts: the term or a synonym; the term as two words; a term that differs by
 * a letter or by two swapped letters, with the synonyms of the most similar term.
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

const sumOf = <T>(all: readonly T[], value: (item: T) => number) => all.reduce((sum, item) => sum + value(item), 0);
const termsOf = (text: string) => Array.from(new Set(wordsOf(text).flatMap((word) => termOf(word) ?? [])));

/** A code that the index has counts only as a whole. */
function askedTerms(index: MiniSearch<Hit>, query: string): readonly string[] {
  const known = (code: string) => index.search(termOf(code) ?? code, { ...MATCHING, prefix: false }).length > 0;
  const codes = (query.match(CODE) ?? []).filter(known);
  const others = codes.reduce((left, code) => left.replace(code, ' '), query);
  return codes.flatMap((code) => termOf(code) ?? []).concat(termsOf(others));
}

/**
 * Returns at most 8 hits, best first, and at most 2 of each page. The best hits of three pages come before any second
 * hit.
 */
export function find(index: MiniSearch<Hit>, query: string): readonly Found[] {
  const asked = askedTerms(index, query).map((term) => {
    const hits = foundBy(index, term);
    return { hits, rarity: Math.sqrt(Math.log(1 + index.documentCount / Math.max(1, hits.length))) };
  });
  const allRarity = sumOf(asked, ({ rarity }) => rarity);
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
      score: sumOf(hits, ({ score }) => score) * (sumOf(hits, ({ rarity }) => rarity) / allRarity) ** 2,
    };
  });
  const best = scored.sort((a, b) => b.score - a.score);
  const byPage = Array.from(Map.groupBy(best, ({ page }) => page).values());
  const ofPages = new Set(byPage.flatMap((hits) => hits.slice(0, MOST_OF_PAGE)));
  const found = best.filter((hit) => ofPages.has(hit));
  // A map keeps the order of its first entries, so the pages are in the order of their best hits.
  const inFront = byPage.flatMap((hits) => hits.slice(0, 1)).slice(0, IN_FRONT);
  return inFront.concat(found.filter((hit) => !inFront.includes(hit))).slice(0, MOST);
}

/** Returns three pages: first the pages with the most similar words, then the pages that most readers need. */
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
