import type { Options } from 'minisearch';

/** Something that the search finds. */
export interface Hit {
  /** Last part of the page's address, and what stands after #. */
  readonly address: string;
  readonly title: string;
  readonly page: string;
  readonly text: string;
}

/** How the index is made and asked: accents and capitals count for nothing, a word's beginning finds it. */
export const SEARCH: Options<Hit> = {
  idField: 'address',
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'text'],
  processTerm: (term) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
  searchOptions: { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 4, page: 2 } },
};
