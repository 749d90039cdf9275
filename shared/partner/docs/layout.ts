import { ENGLISH, EXPLORER, isGuidePage, PAGES, pageSource, REFERENCE } from './contents.ts';
import { escaped, PLACEHOLDERS } from './facts.ts';
import { expand, type RenderedPage, render } from './markdown.ts';
import { pagesBeside, REFERENCE_SOURCES } from './reference-source.ts';

const REFERENCE_PAGES = Object.keys(REFERENCE_SOURCES);
export const ALL_PAGES: readonly string[] = [...PAGES, ...REFERENCE_PAGES];

/** Addresses below /docs. */
export interface Assets {
  readonly style: string;
  readonly script: string;
  readonly icon: string;
  readonly index: string;
}

interface Frame {
  readonly title: string;
  readonly description: string;
  readonly name: string;
  readonly assets: Assets;
}

export interface Page extends RenderedPage {
  readonly name: string;
  readonly title: string;
  /** Plain Markdown with the includes filled in. */
  readonly source: string;
}

/**
 * Addresses are relative, since the path of an API stage may come before /docs. `fluxo.md` becomes the address of its
 * page; other names are files.
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
<nav class="links" aria-label="Seções"><a href="${href('inicio.md')}"${current(isGuidePage(name))}>Guia</a><a href="${href(REFERENCE)}"${current(!isGuidePage(name))}>Referência</a></nav>
<div id="aviso" class="unseen" role="status"></div>
</header>`;
}

const scripts = (names: readonly string[], href: (link: string) => string) =>
  names.map((name) => `<script src="${href(name)}" defer></script>`).join('\n');

/** Throws an Error if there is no page of that name. */
function titleOf(name: string, pages: readonly Page[]): string {
  const page = pages.find((candidate) => candidate.name === name);
  if (!page) throw new Error(`no page ${name}`);
  return page.title;
}

const listedBeside = (name: string): readonly string[] =>
  isGuidePage(name) ? [...PAGES, REFERENCE] : [...pagesBeside(name), PAGES[0]];

export function textPage(page: Page, pages: readonly Page[], frame: Omit<Frame, 'name' | 'title'>): string {
  const { name, title, html } = page;
  const framed: Frame = { name, title, ...frame };
  const href = hrefFrom(name);
  const item = (listed: string) =>
    `<li><a href="${href(`${listed}.md`)}"${listed === name ? ' aria-current="page"' : ''}>${escaped(titleOf(listed, pages))}</a></li>`;
  const list = `<ol>${listedBeside(name).map(item).join('')}</ol>`;
  const sequence: readonly string[] = isGuidePage(name) ? PAGES : REFERENCE_PAGES;
  const index = sequence.indexOf(name);
  const step = (other: string | undefined, word: string) =>
    other
      ? `<a href="${href(`${other}.md`)}"><small>${word}</small>${escaped(titleOf(other, pages))}</a>`
      : '<span></span>';
  const before = step(sequence[index - 1], 'Anterior');
  const after = step(sequence[index + 1], 'Próxima');
  const parts = page.sections.filter(({ level }) => level === 2);
  return `${head(framed, href)}
<body>
${top(framed, href)}
<div class="columns">
<nav class="pages" aria-label="Páginas">${list}</nav>
<main id="conteudo" tabindex="-1">
<details class="menu"><summary>${escaped(title)}</summary><nav aria-label="Menu de páginas">${list}</nav></details>
<article${name === ENGLISH ? ' lang="en"' : ''}>
${html}
</article>
<nav class="steps" aria-label="Página anterior e próxima">${before}${after}</nav>
<footer><a href="${sourceFrom(name)}">Esta página em Markdown</a> · <a href="${href('../openapi.json')}">OpenAPI</a> · <a href="${href('../llms.txt')}">llms.txt</a></footer>
</main>
<nav class="parts" aria-label="Nesta página">${parts.length > 1 ? `<p>Nesta página</p><ul>${parts.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join('')}</ul>` : ''}</nav>
</div>
${scripts([frame.assets.script], href)}
</body>
</html>
`;
}

/** Throws an Error if the source has no heading. */
function pageOf(name: string, source: string): Page {
  const { html, sections } = render(source, hrefFrom(name));
  const [top] = sections;
  if (!top) throw new Error(`the page ${name} has no heading`);
  return { name, title: top.title, source, html, sections };
}

/** Throws an Error if a page includes something that does not exist. */
export function renderedPages(): readonly Page[] {
  const guide = PAGES.map((name) => pageOf(name, expand(pageSource(name))));
  const reference = Object.entries(REFERENCE_SOURCES).map(([name, source]) => pageOf(name, source));
  return guide.concat(reference);
}

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
