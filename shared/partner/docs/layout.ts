import { EXPLORER, PAGES, type PageName, pageSource, REFERENCE } from './contents.ts';
import { escaped, PLACEHOLDERS } from './facts.ts';
import { expand, type RenderedPage, render, type Section } from './markdown.ts';
import { pagesBeside, REFERENCE_SOURCES } from './reference-source.ts';

const REFERENCE_PAGES = Object.keys(REFERENCE_SOURCES);
/** Every page that is written in Markdown, in reading order. */
export const ALL_PAGES: readonly string[] = [...PAGES, ...REFERENCE_PAGES];

/** Addresses of the assets that pages load, below /docs. */
export interface Assets {
  readonly style: string;
  readonly script: string;
  readonly icon: string;
  readonly index: string;
}

interface Frame {
  readonly title: string;
  readonly description: string;
  /** This page's own name. */
  readonly name: string;
  readonly titles: Readonly<Record<string, string>>;
  readonly assets: Assets;
}

/**
 * Gives the function that turns a link into the address to write on the page `from`. Addresses are relative, since an
 * API stage may precede /docs; the first page is at /docs, all others below it. `fluxo.md` becomes the address of the page
 * made from it; other names are files.
 */
export function hrefFrom(from: string): (link: string) => string {
  const first = from === PAGES[0];
  return (link) => {
    if (/^(https?:|mailto:|#)/.test(link)) return link;
    if (link.startsWith('../../')) return first ? link.slice(3) : link;
    const [file = '', fragment] = link.split('#');
    const name = ALL_PAGES.find((page) => `${page}.md` === file) ?? file;
    const end = fragment === undefined ? '' : `#${fragment}`;
    if (name === PAGES[0]) return `${first ? 'docs' : '../docs'}${end}`;
    return `${first ? 'docs/' : ''}${name}${end}`;
  };
}

/** The address of a page's own Markdown. */
const sourceFrom = (name: string) => `${name === PAGES[0] ? 'docs/' : ''}${name}.md`;

function head({ title, description, name, assets }: Frame, href: (link: string) => string): string {
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Crédito imobiliário para parceiros</title>
<meta name="description" content="${escaped(description)}">
<link rel="icon" href="${href(assets.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${href(assets.style)}">
${name === EXPLORER ? '' : `<link rel="alternate" type="text/markdown" href="${sourceFrom(name)}">`}
</head>`;
}

const isGuide = (name: string) => PAGES.includes(name as PageName);

function top({ name, assets }: Frame, href: (link: string) => string): string {
  const current = (here: boolean) => (here ? ' aria-current="page"' : '');
  return `<a class="skip" href="#conteudo">Ir para o conteúdo</a>
<header class="top">
<a class="brand" href="${href('inicio.md')}"><img src="${href(assets.icon)}" alt="" width="24" height="24"><span>Crédito imobiliário <em>para parceiros</em></span></a>
<search class="search">
<input id="busca" type="search" placeholder="Buscar" aria-label="Buscar na documentação" autocomplete="off" aria-controls="resultados" data-index="${href(assets.index)}" data-base="${href('x').slice(0, -1)}" data-support="${PLACEHOLDERS.supportEmail}" aria-keyshortcuts="/">
<kbd title="A tecla / leva à busca" aria-hidden="true">/</kbd>
<div id="resultados" class="results" hidden></div>
</search>
<nav class="links" aria-label="Seções"><a href="${href('inicio.md')}"${current(isGuide(name))}>Guia</a><a href="${href(REFERENCE)}"${current(!isGuide(name))}>Referência</a></nav>
<div id="aviso" class="unseen" role="status"></div>
</header>`;
}

const scripts = (names: readonly string[], href: (link: string) => string) =>
  names.map((name) => `<script src="${href(name)}" defer></script>`).join('\n');

/** A page of the guide or of the reference: the list of its like, the text, and what is on the page. */
export function textPage(frame: Frame, html: string, sections: readonly Section[]): string {
  const href = hrefFrom(frame.name);
  const pages: readonly string[] = isGuide(frame.name) ? PAGES : REFERENCE_PAGES;
  const index = pages.indexOf(frame.name);
  const item = (page: string) =>
    `<li><a href="${href(`${page}.md`)}"${page === frame.name ? ' aria-current="page"' : ''}>${escaped(frame.titles[page]!)}</a></li>`;
  const [before, after] = [pages[index - 1], pages[index + 1]];
  const step = (page: string | undefined, word: string) =>
    page
      ? `<a href="${href(`${page}.md`)}"><small>${word}</small>${escaped(frame.titles[page]!)}</a>`
      : '<span></span>';
  const listed = pages === PAGES ? [...PAGES, REFERENCE] : [...pagesBeside(frame.name), PAGES[0]];
  const list = `<ol>${listed.map(item).join('')}</ol>`;
  const parts = sections.filter(({ level }) => level === 2);
  return `${head(frame, href)}
<body>
${top(frame, href)}
<div class="columns">
<nav class="pages" aria-label="Páginas">${list}</nav>
<main id="conteudo" tabindex="-1">
<details class="menu"><summary>${escaped(frame.titles[frame.name]!)}</summary><nav aria-label="Menu de páginas">${list}</nav></details>
<article>
${html}
</article>
<nav class="steps" aria-label="Página anterior e próxima">${step(before, 'Anterior')}${step(after, 'Próxima')}</nav>
<footer><a href="${sourceFrom(frame.name)}">Esta página em Markdown</a> · <a href="${href('../openapi.json')}">OpenAPI</a> · <a href="${href('../llms.txt')}">llms.txt</a></footer>
</main>
<nav class="parts" aria-label="Nesta página">${parts.length > 1 ? `<p>Nesta página</p><ul>${parts.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join('')}</ul>` : ''}</nav>
</div>
${scripts([frame.assets.script], href)}
</body>
</html>
`;
}

/** The pages by name, ready to be framed, served as Markdown and indexed. */
interface Rendered {
  /** Plain Markdown, includes filled in. */
  readonly sources: Readonly<Record<string, string>>;
  readonly pages: Readonly<Record<string, RenderedPage>>;
  readonly sections: Readonly<Record<string, readonly Section[]>>;
  readonly titles: Readonly<Record<string, string>>;
}

const byName = <T>(make: (name: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(ALL_PAGES.map((name) => [name, make(name)]));

/** Every page of the guide and of the reference. Throws where a page includes something that does not exist. */
export function renderedPages(): Rendered {
  const sources = byName((name) => REFERENCE_SOURCES[name] ?? expand(pageSource(name as PageName)));
  const pages = byName((name) => render(sources[name]!, hrefFrom(name)));
  const sections = byName((name) => pages[name]!.sections);
  return { sources, pages, sections, titles: byName((name) => sections[name]![0]!.title) };
}

/** The page of the interactive reference, which the renderer's scripts fill. */
export function explorerPage(frame: Frame, renderer: readonly string[]): string {
  const href = hrefFrom(frame.name);
  return `${head(frame, href)}
<body class="reference">
${top(frame, href)}
<div id="conteudo" tabindex="-1"><div id="referencia" data-document="${href('../openapi.json')}"></div></div>
<noscript><p>Esta página precisa de JavaScript. O mesmo conteúdo está na <a href="${href(REFERENCE)}">referência</a>.</p></noscript>
${scripts([frame.assets.script, ...renderer], href)}
</body>
</html>
`;
}
