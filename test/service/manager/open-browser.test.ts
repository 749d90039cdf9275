import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openBrowser } from '#bin/manager/open-browser.ts';
import { startPanel } from '#bin/manager/panel/server.ts';
import { chromiumOrWarning, startBrowser } from '#test/makers/browser.ts';

const ADDRESS = 'http://127.3.4.5:4100/?token=the-token';

let bin: string;
let path: string | undefined;
let remove: (() => Promise<void>) | undefined;

/** Puts programs on the PATH, in place of those that open a browser, that note the arguments with which they run. */
beforeEach(async () => {
  bin = await mkdtemp(join(tmpdir(), 'openers-'));
  for (const name of ['xdg-open', 'open']) {
    await writeFile(
      join(bin, name),
      `#!/bin/sh\nprintf '%s' "$*" > '${bin}/part' && mv '${bin}/part' '${bin}/noted'\n`,
    );
    await chmod(join(bin, name), 0o755);
  }
  path = process.env['PATH'];
  process.env['PATH'] = `${bin}:${path}`;
});
afterEach(async () => {
  process.env['PATH'] = path;
  await remove?.();
  remove = undefined;
  await rm(bin, { recursive: true });
});

/** Opens an address, and returns the arguments with which the browser was started: the path of a file. */
async function opened(url: string): Promise<string> {
  remove = await openBrowser(url);
  const noted = join(bin, 'noted');
  await expect.poll(() => existsSync(noted)).toBe(true);
  return readFile(noted, 'utf8');
}

it('openBrowser starts the browser with a file, so that no process has the one-time address as an argument', async () => {
  const file = await opened(ADDRESS);
  expect(file).not.toContain('the-token');
  expect(await readFile(file, 'utf8')).toContain(`content="0; url=${ADDRESS}"`);
});

it('only the user who opens the panel may read the file and enter its folder', async () => {
  const file = await opened(ADDRESS);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
});

it('the file and its folder are gone once they are removed', async () => {
  const file = await opened(ADDRESS);
  await remove?.();
  await expect(stat(dirname(file))).rejects.toThrow('ENOENT');
});

it('openBrowser fails at nothing if no browser can be started', async () => {
  process.env['PATH'] = '/nowhere';
  remove = await openBrowser(ADDRESS);
  expect(remove).toBeTypeOf('function');
});

const chromium = chromiumOrWarning('whether the file of the panel leads a browser to the panel');

it.skipIf(!chromium)('the file leads a browser to the panel, which then knows this browser', async () => {
  const html = '<!doctype html><title>Aberto</title><script src="/painel/page.js"></script>';
  const js = "fetch('/painel/sobre').then((answer) => { document.title = 'Aberto ' + answer.status; });";
  const panel = await startPanel({
    call: () => Promise.reject(new Error('not called')),
    callsOfKey: () => Promise.reject(new Error('not called')),
    about: { stage: 'local', caller: 'local' },
    files: new Map([
      ['', { type: 'text/html; charset=utf-8', content: Buffer.from(html) }],
      ['page.js', { type: 'text/javascript; charset=utf-8', content: Buffer.from(js) }],
    ]),
    port: 0,
  });
  const visitor = await startBrowser(String(chromium));
  try {
    const { page } = await visitor.openPage('about:blank', { width: 800, dark: false });
    await page.goto(pathToFileURL(await opened(panel.url)).href);
    await expect.poll(() => page.evaluate('document.title')).toBe('Aberto 200');
  } finally {
    await visitor.close();
    await panel.close();
  }
});
