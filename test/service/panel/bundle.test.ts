import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { bundlePage, type PageFile } from '#bin/manager/panel/bundle.ts';
import { PANEL_OPERATIONS } from '#bin/manager/panel/forward.ts';

const LARGEST_PAGE = 120 * 1024;

let files: ReadonlyMap<string, PageFile>;
beforeAll(async () => {
  files = await bundlePage();
});
/** Returns the text of the file with this name, not counting the hash of its content in the name. */
const text = (name: string) => {
  const [base, ending] = name.split('.');
  const found = [...files].find(([one]) =>
    new RegExp(`^${base}(-[0-9a-f]{16})?${ending ? `\\.${ending}` : ''}$`).test(one),
  )!;
  return Buffer.from(found[1].content).toString();
};

it('all files of the panel’s page together have at most 120 KB when compressed', () => {
  const sizes = [...files.values()].map(({ content }) => gzipSync(content).length);
  const sum = sizes.reduce((all, size) => all + size, 0);
  expect(sum).toBeGreaterThan(10_000);
  expect(sum).toBeLessThanOrEqual(LARGEST_PAGE);
});

it('the panel’s page has no inline script or style, and loads only its own files', () => {
  const page = text('');
  expect(page).not.toMatch(/<script(?![^>]* src="painel\/)|<style|\son\w+="|\sstyle="/);
  const loaded = [...page.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
  expect(loaded.length).toBeGreaterThan(2);
  for (const path of loaded) expect(files.get(path.slice('painel/'.length))?.maxAge).toBe(31_536_000);
  expect(files.get('')!.maxAge).toBe(0);
});

it('the panel’s page names no other host, stores only its sign-in in the browser and evaluates no text', () => {
  const code = text('panel.js') + text('panel.css');
  const hosts = [...code.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
  // www.w3.org is in names of vocabularies, which are never called. hooks.parceiro.com.br is an example in a form.
  expect(hosts.filter((host) => host !== 'www.w3.org' && host !== 'hooks.parceiro.com.br')).toEqual([]);
  // The session storage is used only for the state that waits for the return from the sign-in.
  expect(code.match(/sessionStorage\.\w+\([^)]{1,9}/g)!.map((use) => use.replace(/\(.*/, ''))).toEqual(
    ['getItem', 'removeItem', 'setItem'].map((use) => `sessionStorage.${use}`),
  );
  expect(code).not.toMatch(/localStorage|indexedDB|document\.cookie|\beval\(|new Function|@import|url\(/);
});

it('the panel’s page uses every operation that the panel forwards', () => {
  const code = text('panel.js');
  // An operation is named in its list and in the table of words. Each further mention is a call.
  const unused = PANEL_OPERATIONS.filter(
    (name) => code.split(`"${name}"`).length + code.split(`\`${name}\``).length < 5,
  );
  expect(unused).toEqual([]);
});

it('the panel’s help has a section for each link to it', () => {
  const code = text('panel.js');
  const linked = [...code.matchAll(/help:"(\w+)"/g)].map(([, section]) => section!);
  expect(linked.length).toBeGreaterThan(5);
  for (const section of [...linked, 'validacao', 'unidades', 'chaves', 'webhook', 'entregas', 'auditoria']) {
    expect(code).toContain(`<h2 id="${section}" tabindex="-1">`);
  }
});
