import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import { build } from 'esbuild';
import fastify from 'fastify';
import document from '../openapi/openapi.json' with { type: 'json' };
import { DOWNLOADS, EXPLORER, PAGES, SAMPLES } from './contents.ts';
import { hasPlaceholder, PLACEHOLDERS } from './facts.ts';
import { ALL_PAGES, type Assets, explorerPage, renderedPages, textPage } from './layout.ts';
import type { RenderedPage } from './markdown.ts';
import { ASSET_AGE, hashOf, packFiles, type SiteFile } from './pack.ts';
import { searchIndex } from './search.ts';

const PAGE_AGE = 300;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// The renderer writes its style sheet into the page.
const EXPLORER_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
  "img-src 'self'",
  "img-src 'self' data:; font-src 'self' data:",
);

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
};

const typeOf = (name: string) => TYPES[name.split('.').at(-1)!] ?? 'text/plain; charset=utf-8';

/** Every file of /docs and beside it, by the last part of its address. */
class Site {
  readonly files = new Map<string, SiteFile>();

  add(name: string, content: string | Uint8Array, options: Partial<SiteFile> = {}): void {
    if (this.files.has(name)) throw new Error(`the documentation has two files called ${name}`);
    this.files.set(name, { content, type: typeOf(name), maxAge: PAGE_AGE, ...options });
  }

  /** Adds a file with its content's hash in its name, so that browsers may keep it for good unless facts belong in it. Gives its name. */
  asset(name: string, content: string): string {
    const [base, extension] = name.split('.') as [string, string];
    const hashed = `${base}-${hashOf(content)}.${extension}`;
    // What facts are filled into may change while its name does not.
    this.add(hashed, content, { maxAge: hasPlaceholder(content) ? PAGE_AGE : ASSET_AGE });
    return hashed;
  }
}

/** The scripts for the reader's browser, bundled. */
async function scripts(): Promise<Readonly<Record<'page' | 'reference', string>>> {
  const { outputFiles } = await build({
    absWorkingDir: join(import.meta.dirname, 'browser'),
    entryPoints: ['page.ts', 'reference.ts'],
    outdir: 'out',
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    logLevel: 'silent',
  });
  const named = (name: string) => outputFiles.find(({ path }) => path.endsWith(`${name}.js`))!.text;
  return { page: named('page'), reference: named('reference') };
}

/** The reference's renderer, as its Fastify plugin serves it: the renderer's own package brings 265 others for the same script. */
async function renderer(): Promise<string> {
  const app = fastify();
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await app.inject('/reference/js/scalar.js');
  if (statusCode !== 200) throw new Error(`the plugin has no renderer at this address: ${statusCode}`);
  return body;
}

const browserFile = (name: string) => readFileSync(join(import.meta.dirname, 'browser', name), 'utf8');
const firstParagraph = ({ sections }: RenderedPage) => sections[0]!.text.split('. ')[0]!.slice(0, 200);

function summaryForMachines(titles: Readonly<Record<string, string>>): string {
  const line = (name: string, title: string) => `- [${title}](docs/${name})`;
  const lines = (names: readonly string[]) => names.map((name) => line(`${name}.md`, titles[name]!)).join('\n');
  return `# ${document.info.title}

> ${document.info.summary}

Guia e referência para integrar. Os caminhos são relativos ao endereço que serve este arquivo.

## Guia

${lines(PAGES)}
${line('guia.md', 'O guia inteiro em um arquivo')}

## Referência

${lines(ALL_PAGES.slice(PAGES.length))}
- [Documento OpenAPI 3.1](openapi.json)
- [O mesmo em OpenAPI 3.0, para geradores de código](openapi-3.0.json)

## Arquivos

${[...DOWNLOADS.map(({ name, about }) => `${line(name, name)}: ${about}`), ...Object.keys(SAMPLES).map((name) => line(name, name))].join('\n')}
`;
}

/** Where who found a weakness turns to. Source: RFC 9116. */
const SECURITY = `Contact: mailto:${PLACEHOLDERS.supportEmail}
Expires: ${PLACEHOLDERS.contactUntil}T00:00:00Z
Preferred-Languages: pt, en
Canonical: ${PLACEHOLDERS.baseUrl}/.well-known/security.txt
`;

async function site(): Promise<Site> {
  const docs = new Site();
  const { sources, pages, sections, titles } = renderedPages();
  const { page, reference } = await scripts();
  const assets: Assets = {
    style: docs.asset('pagina.css', browserFile('base.css') + browserFile('page.css')),
    script: docs.asset('pagina.js', page),
    icon: docs.asset('icone.svg', browserFile('icon.svg')),
    index: docs.asset('busca.json', searchIndex(sections)),
  };

  for (const name of ALL_PAGES) {
    const frame = { title: titles[name]!, description: firstParagraph(pages[name]!), name, titles, assets };
    const html = textPage(frame, pages[name]!.html, sections[name]!);
    docs.add(name === PAGES[0] ? '' : name, html, { type: TYPES['html']!, policy: POLICY });
    docs.add(`${name}.md`, sources[name]!);
  }
  docs.add('guia.md', PAGES.map((name) => sources[name]).join('\n\n'));
  docs.add('llms.txt', summaryForMachines(titles));
  docs.add('security.txt', SECURITY);
  for (const [name, content] of Object.entries(SAMPLES)) docs.add(name, content);
  for (const { name, content } of DOWNLOADS) docs.add(name, content());

  const loaded = [docs.asset('scalar.js', await renderer()), docs.asset('referencia.js', reference)];
  const description = document.info.summary;
  const frame = { title: 'Referência interativa', description, name: EXPLORER, titles, assets };
  docs.add(EXPLORER, explorerPage(frame, loaded), { type: TYPES['html']!, policy: EXPLORER_POLICY });
  return docs;
}

/** The files of the documentation as packFiles gives them. Throws where a page includes something that does not exist. */
export const docsFiles = async (): Promise<ReadonlyMap<string, Uint8Array>> => packFiles((await site()).files);
