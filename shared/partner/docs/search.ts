import MiniSearch from 'minisearch';
import { PAGES, type PageName } from './contents.ts';
import { type Hit, SEARCH } from './find.ts';
import type { Section } from './markdown.ts';
import SEARCH_WORDS from './search-words.json' with { type: 'json' };

/** By address of a section: words by which people look for it and which it does not contain. */
const WORDS: Readonly<Record<string, string>> = SEARCH_WORDS;

/** The guide explains; the reference lists. */
const WEIGHT = { section: 1, row: 0.6, operation: 0.6, part: 0.1 } as const;
const ERRORS: PageName = 'erros';

/**
 * What a section counts for, by its page and the level of its heading: of the guide a row of a table less, but for the codes of
 * errors; of the reference a page less, and its parts, which hold every field's name, hardly.
 */
function weightOf(page: string, level: number): number {
  if (!PAGES.includes(page as PageName)) return level === 1 ? WEIGHT.operation : WEIGHT.part;
  return level === 4 && page !== ERRORS ? WEIGHT.row : WEIGHT.section;
}

/** Sections as the search finds them. A field of the reference is found by the part of its page that holds it. */
function hitsOf(page: string, sections: readonly Section[]): Hit[] {
  return sections.map(({ id, title, level, text }): Hit => {
    const address = id ? `${page}#${id}` : page;
    const words = WORDS[address] ?? '';
    return { address, title, page: sections[0]!.title, words, text, weight: weightOf(page, level) };
  });
}

/** The search's index as JSON, of pages by name. Throws where words are listed for a section that is not there. */
export function searchIndex(pages: Readonly<Record<string, readonly Section[]>>): string {
  const hits = Object.entries(pages).flatMap(([page, sections]) => hitsOf(page, sections));
  const addresses = new Set(hits.map(({ address }) => address));
  const lost = Object.keys(WORDS).filter((address) => !addresses.has(address));
  if (lost.length > 0) throw new Error(`search words for sections that are not there: ${lost.join(', ')}`);
  const index = new MiniSearch<Hit>(SEARCH);
  index.addAll(hits);
  return JSON.stringify(index);
}
