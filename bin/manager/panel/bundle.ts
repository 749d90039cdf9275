import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import MarkdownIt from 'markdown-it';
import { withNumbers } from '#shared/partner/docs/numbers.ts';
import { ASSET_AGE, hashOf, type SiteFile } from '#shared/partner/docs/pack.ts';

export type PageFile = Omit<SiteFile, 'policy'>;

const PAGE = join(import.meta.dirname, 'page');

export const helpText = (): string => withNumbers(readFileSync(join(PAGE, 'help.md'), 'utf8'));

/** Returns the help as HTML. A heading that ends in `{#name}` gets this id, so that it can be linked to and focused. */
export const helpHtml = (): string =>
  new MarkdownIt().render(helpText()).replace(/<(h\d)>(.*?) \{#([\w-]+)\}</g, '<$1 id="$3" tabindex="-1">$2<');

/** The operations' schemas import some modules of Node, but only the service's own process calls them. */
const withoutNode: Plugin = {
  name: 'without-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'without-node' }));
    onLoad({ filter: /./, namespace: 'without-node' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** The page itself has an empty name. Names of the other files have a hash of the content. */
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
  const bundled = (name: string) => {
    const output = outputFiles.find(({ path }) => path.endsWith(name));
    if (output === undefined) throw new Error(`esbuild wrote no file ${name}`);
    return output.contents;
  };
  const assets: readonly (readonly [name: string, type: string, content: Uint8Array])[] = [
    ['panel.js', 'text/javascript', bundled('panel.js')],
    ['panel.css', 'text/css', bundled('style.css')],
    ['icon.svg', 'image/svg+xml', readFileSync(join(PAGE, 'icon.svg'))],
  ];
  const files = new Map<string, PageFile>();
  let page = readFileSync(join(PAGE, 'index.html'), 'utf8');
  for (const [name, type, content] of assets) {
    const hashed = name.replace('.', `-${hashOf(content)}.`);
    files.set(hashed, { type: `${type}; charset=utf-8`, content, maxAge: ASSET_AGE });
    page = page.replaceAll(`"painel/${name}"`, `"painel/${hashed}"`);
  }
  return files.set('', {
    type: 'text/html; charset=utf-8',
    content: Buffer.from(page),
    maxAge: 0,
  });
}
