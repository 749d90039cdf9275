import { readFileSync } from 'node:fs';
import { extname, join, parse } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import { build } from 'esbuild';
import fastify from 'fastify';
import type { Seconds } from '#shared/domain/values/time.ts';
import { clientPackages, packageBytes } from '../client/packages.ts';
import document from '../openapi/openapi.json' with { type: 'json' };
import { DOWNLOADS, ENGLISH, EXPLORER, isGuidePage, PAGES, SAMPLES } from './contents.ts';
import { hasPlaceholder, PLACEHOLDERS } from './facts.ts';
import { type Assets, explorerPage, type Page, renderedPages, textPage } from './layout.ts';
import { ASSET_AGE, hashOf, packFiles, type SiteFile } from './pack.ts';
import { searchIndex } from './search.ts';

const PAGE_AGE: Seconds = 300;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// The renderer writes its style sheet into the page.
const EXPLORER_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
  "img-src 'self'",
  "img-src 'self' data:; font-src 'self' data:",
);

const HTML = 'text/html; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.tgz': 'application/gzip',
  '.whl': 'application/zip',
};

const typeOf = (name: string) => TYPES[extname(name)] ?? 'text/plain; charset=utf-8';

class Site {
  readonly files = new Map<string, SiteFile>();

  add(name: string, content: string | Uint8Array, options: Partial<SiteFile> = {}): void {
    if (this.files.has(name)) throw new Error(`the documentation has two files called ${name}`);
    this.files.set(name, { content, type: typeOf(name), maxAge: PAGE_AGE, ...options });
  }

  /** Browsers may keep a file whose name has its content's hash for good, unless facts are filled into the file. */
  asset(name: string, content: string): string {
    const { name: base, ext } = parse(name);
    const hashed = `${base}-${hashOf(content)}${ext}`;
    this.add(hashed, content, { maxAge: hasPlaceholder(content) ? PAGE_AGE : ASSET_AGE });
    return hashed;
  }
}

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
  const named = (name: string) => {
    const file = outputFiles.find(({ path }) => path.endsWith(`${name}.js`));
    if (!file) throw new Error(`esbuild made no ${name}.js`);
    return file.text;
  };
  return { page: named('page'), reference: named('reference') };
}

/**
 * Returns the script of the Fastify plugin: the renderer's own package would bring 265 other packages for the same
 * script.
 */
async function renderer(): Promise<string> {
  const app = fastify();
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await app.inject('/reference/js/scalar.js');
  if (statusCode !== 200) throw new Error(`the plugin has no renderer at this address: ${statusCode}`);
  return body;
}

const browserFile = (name: string) => readFileSync(join(import.meta.dirname, 'browser', name), 'utf8');
const firstSentence = ({ sections: [top] }: Page) => (top?.text ?? '').replace(/\. .*/s, '').slice(0, 200);

function summaryForMachines(pages: readonly Page[]): string {
  const line = (name: string, title: string) => `- [${title}](docs/${name})`;
  const lines = (listed: readonly Page[]) => listed.map(({ name, title }) => line(`${name}.md`, title)).join('\n');
  const files = DOWNLOADS.map(({ name, about }) => `${line(name, name)}: ${about}`).concat(
    Object.keys(SAMPLES).map((name) => line(name, name)),
  );
  return `# ${document.info.title}

> ${document.info.summary}

Guia e referência para integrar. Os caminhos são relativos ao endereço que serve este arquivo.

## Guia

${lines(pages.filter(({ name }) => isGuidePage(name)))}
${line('guia.md', 'O guia inteiro em um arquivo')}

## Referência

${lines(pages.filter(({ name }) => !isGuidePage(name)))}
- [Documento OpenAPI 3.1](openapi.json)
- [O mesmo em OpenAPI 3.0, para geradores de código](openapi-3.0.json)

## Arquivos

${files.join('\n')}
`;
}

/** Where to report a weakness. Source: RFC 9116. */
const SECURITY = `Contact: mailto:${PLACEHOLDERS.supportEmail}
Expires: ${PLACEHOLDERS.contactUntil}T00:00:00Z
Preferred-Languages: pt, en
Canonical: ${PLACEHOLDERS.baseUrl}/.well-known/security.txt
`;

async function site(): Promise<Site> {
  const docs = new Site();
  const pages = renderedPages();
  const { page: pageScript, reference } = await scripts();
  const assets: Assets = {
    style: docs.asset('pagina.css', browserFile('base.css') + browserFile('page.css')),
    script: docs.asset('pagina.js', pageScript),
    icon: docs.asset('icone.svg', browserFile('icon.svg')),
    index: docs.asset('busca.json', searchIndex(pages)),
  };

  for (const page of pages) {
    const html = textPage(page, pages, { description: firstSentence(page), assets });
    docs.add(page.name === PAGES[0] ? '' : page.name, html, { type: HTML, policy: POLICY });
    docs.add(`${page.name}.md`, page.source);
  }
  const guide = pages.filter(({ name }) => isGuidePage(name) && name !== ENGLISH);
  docs.add('guia.md', guide.map(({ source }) => source).join('\n\n'));
  docs.add('llms.txt', summaryForMachines(pages));
  docs.add('security.txt', SECURITY);
  for (const [name, content] of Object.entries(SAMPLES)) docs.add(name, content);
  for (const { name, content } of DOWNLOADS) docs.add(name, content());
  for (const each of clientPackages())
    docs.add(`pacotes/${each.name}`, packageBytes(each), { maxAge: ASSET_AGE, asIs: true });

  const loaded = [docs.asset('scalar.js', await renderer()), docs.asset('referencia.js', reference)];
  const description = document.info.summary;
  const frame = { title: 'Referência interativa', description, name: EXPLORER, assets };
  docs.add(EXPLORER, explorerPage(frame, loaded), { type: HTML, policy: EXPLORER_POLICY });
  return docs;
}

/** Throws an Error if a page includes something that does not exist. */
export const docsFiles = async (): Promise<ReadonlyMap<string, Uint8Array>> => packFiles((await site()).files);
