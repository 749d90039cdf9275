import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import MarkdownIt from 'markdown-it';

/** A file of the page as it is served. */
export interface PageFile {
  readonly type: string;
  readonly content: string | Uint8Array;
}

const PAGE = join(import.meta.dirname, 'page');

/** The help, as HTML; a heading that ends in `{#name}` can be linked to, and focused, by that name. */
const helpHtml = () =>
  new MarkdownIt()
    .render(readFileSync(join(PAGE, 'help.md'), 'utf8'))
    .replace(/<(h\d)>(.*?) \{#(\w+)\}</g, '<$1 id="$3" tabindex="-1">$2<');

/** The operations' schemas name modules of Node that only the service's own process calls: the page gets empty ones. */
const withoutNode: Plugin = {
  name: 'without-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'without-node' }));
    onLoad({ filter: /./, namespace: 'without-node' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** Bundles the page into the files that a browser loads, by their path. Takes about a tenth of a second. */
export async function bundlePage(): Promise<ReadonlyMap<string, PageFile>> {
  const { outputFiles } = await build({
    entryPoints: { panel: join(PAGE, 'main.tsx'), style: join(PAGE, 'page.css') },
    outdir: PAGE,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { HELP_HTML: JSON.stringify(helpHtml()) },
    plugins: [withoutNode],
    logLevel: 'silent',
  });
  const bundled = (name: string) => outputFiles.find(({ path }) => path.endsWith(name))!.contents;
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', content: readFileSync(join(PAGE, 'index.html')) }],
    ['/panel.js', { type: 'text/javascript; charset=utf-8', content: bundled('panel.js') }],
    ['/panel.css', { type: 'text/css; charset=utf-8', content: bundled('style.css') }],
    ['/icon.svg', { type: 'image/svg+xml', content: readFileSync(join(PAGE, 'icon.svg')) }],
  ]);
}
