import MiniSearch from 'minisearch';
import { ENGLISH, isGuidePage, type PageName } from './contents.ts';
import { type Hit, SEARCH } from './find.ts';
import type { Page } from './layout.ts';
import SEARCH_WORDS from './search-words.json' with { type: 'json' };

/** Words by which people look for a section although the section does not contain them, by the section's address. */
const WORDS: Readonly<Record<string, string>> = SEARCH_WORDS;

/** Weights of hits. The guide counts more, because it explains; the reference lists. */
const WEIGHT = { section: 1, row: 0.6, operation: 0.6, part: 0.1 } as const;
const ERRORS: PageName = 'erros';

function weightOf(page: string, level: number): number {
  if (!isGuidePage(page)) return level === 1 ? WEIGHT.operation : WEIGHT.part;
  return level === 4 && page !== ERRORS ? WEIGHT.row : WEIGHT.section;
}

/** The search finds a field of the reference by the part of the page that has the field. */
function hitsOf(page: Page): Hit[] {
  return page.sections.map(({ id, title, level, text }): Hit => {
    const address = id ? `${page.name}#${id}` : page.name;
    const words = WORDS[address] ?? '';
    return { address, title, page: page.title, words, text, weight: weightOf(page.name, level) };
  });
}

/**
 * The page in English is left out: the search knows Portuguese words. Throws an Error if words are listed for a section
 * that no page has.
 */
export function searchIndex(pages: readonly Page[]): string {
  const hits = pages.filter(({ name }) => name !== ENGLISH).flatMap(hitsOf);
  const addresses = new Set(hits.map(({ address }) => address));
  const unknown = Object.keys(WORDS).filter((address) => !addresses.has(address));
  if (unknown.length > 0) throw new Error(`search words for sections that are not there: ${unknown.join(', ')}`);
  const index = new MiniSearch<Hit>(SEARCH);
  index.addAll(hits);
  return JSON.stringify(index);
}
