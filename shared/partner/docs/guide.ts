import { PAGES, type PageName, pageSource } from './contents.ts';
import { hrefFrom } from './layout.ts';
import { expand, type RenderedPage, render, type Section } from './markdown.ts';

/** The guide's pages, ready to be framed, served as Markdown and indexed. */
export interface Guide {
  /** Plain Markdown, includes filled in. */
  readonly sources: Readonly<Record<PageName, string>>;
  readonly pages: Readonly<Record<PageName, RenderedPage>>;
  readonly sections: Readonly<Record<PageName, readonly Section[]>>;
  readonly titles: Readonly<Record<PageName, string>>;
}

const byName = <T>(make: (name: PageName) => T) =>
  Object.fromEntries(PAGES.map((name) => [name, make(name)])) as Record<PageName, T>;

/** Every page of the guide. Throws where a page includes something that does not exist. */
export function renderedGuide(): Guide {
  const sources = byName((name) => expand(pageSource(name)));
  const pages = byName((name) => render(sources[name], hrefFrom(name)));
  const sections = byName((name) => pages[name].sections);
  return { sources, pages, sections, titles: byName((name) => sections[name][0]!.title) };
}
