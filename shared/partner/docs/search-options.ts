import type { Options } from 'minisearch';
import { termOf } from './search-terms.ts';

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
