import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { bundlePage, type PageFile } from '#bin/manager/panel/bundle.ts';
import { PANEL_OPERATIONS } from '#bin/manager/panel/forward.ts';

const LARGEST_PAGE = 120 * 1024;

let files: ReadonlyMap<string, PageFile>;
beforeAll(async () => {
  files = await bundlePage();
});
/** The text of the file that is called so but for the hash of its content. */
const text = (name: string) => {
  const [base, ending] = name.split('.');
  const found = [...files].find(([one]) =>
    new RegExp(`^${base}(-[0-9a-f]{16})?${ending ? `\\.${ending}` : ''}$`).test(one),
  )!;
  return Buffer.from(found[1].content).toString();
};

it('the panel’s page weighs at most 120 KB compressed in all', () => {
  const sizes = [...files.values()].map(({ content }) => gzipSync(content).length);
  const sum = sizes.reduce((all, size) => all + size, 0);
  expect(sum).toBeGreaterThan(10_000);
  expect(sum).toBeLessThanOrEqual(LARGEST_PAGE);
});

it('the panel’s page has no script or style beside its files, and loads these alone', () => {
  const page = text('');
  expect(page).not.toMatch(/<script(?![^>]* src="painel\/)|<style|\son\w+="|\sstyle="/);
  const loaded = [...page.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
  expect(loaded.length).toBeGreaterThan(2);
  for (const path of loaded) expect(files.get(path.slice('painel/'.length))?.maxAge).toBe(31_536_000);
  expect(files.get('')!.maxAge).toBe(0);
});

it('the panel’s page names no other host, keeps nothing in the browser, and evaluates no text', () => {
  const code = text('panel.js') + text('panel.css');
  const hosts = [...code.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
  // Names of vocabularies, not addresses to ask; the last is an example in a form.
  expect(hosts.filter((host) => host !== 'www.w3.org' && host !== 'hooks.parceiro.com.br')).toEqual([]);
  // What waits for the way back from the sign-in alone.
  expect(code.match(/sessionStorage\.\w+\([^)]{1,9}/g)!.map((use) => use.replace(/\(.*/, ''))).toEqual(
    ['getItem', 'removeItem', 'setItem'].map((use) => `sessionStorage.${use}`),
  );
  expect(code).not.toMatch(/localStorage|indexedDB|document\.cookie|\beval\(|new Function|@import|url\(/);
});

it('the panel’s page uses every operation that the panel sends on', () => {
  const code = text('panel.js');
  // Two mentions are this list and the table of words; another is a call.
  const unused = PANEL_OPERATIONS.filter(
    (name) => code.split(`"${name}"`).length + code.split(`\`${name}\``).length < 5,
  );
  expect(unused).toEqual([]);
});

it('the panel’s page has a section of the help for each link to one', () => {
  const code = text('panel.js');
  const linked = [...code.matchAll(/help:"(\w+)"/g)].map(([, section]) => section!);
  expect(linked.length).toBeGreaterThan(5);
  for (const section of [...linked, 'validacao', 'unidades', 'chaves', 'webhook', 'entregas', 'auditoria']) {
    expect(code).toContain(`<h2 id="${section}" tabindex="-1">`);
  }
});
