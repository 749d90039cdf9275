import type { Options } from 'minisearch';

/** Something that the search finds. */
export interface Hit {
  /** Last part of the page's address, with its fragment. */
  readonly address: string;
  readonly title: string;
  readonly page: string;
  readonly text: string;
}

/** Options of the index and of its queries: accents and capitals are ignored, the beginning of a word finds it. */
export const SEARCH: Options<Hit> = {
  idField: 'address',
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'text'],
  processTerm: (term) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
  searchOptions: { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 4, page: 2 } },
};
