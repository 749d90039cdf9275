import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { packOnce, SOURCES } from '#shared/partner/docs/pack-once.ts';

const PAGE = 'shared/partner/docs/pages/inicio.md';
const PACKED = new Map([['inicio.html.br', new Uint8Array([1, 2, 3])]]);

let project: string;
const at = (path: string) => join(project, path);
function put(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}
/** Asks for the files and returns how often they were packed for it. */
async function ask(): Promise<number> {
  const pack = vi.fn(async () => PACKED);
  const files = await packOnce(project, pack);
  expect([...files].map(([name, content]) => [name, ...content])).toEqual([['inicio.html.br', 1, 2, 3]]);
  return pack.mock.calls.length;
}

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'partner-credit-docs-'));
  put(PAGE, 'a page');
  put('shared/domain/values/bank.ts', 'banks');
  put('shared/contract/routes.ts', 'routes');
  put('package-lock.json', 'versions wanted');
  put('node_modules/.package-lock.json', 'versions installed');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

describe('packOnce', () => {
  it('packOnce packs the same content once', async () => {
    expect(await ask()).toBe(1);
    expect(await ask()).toBe(0);
    put(PAGE, 'another page');
    put(PAGE, 'a page');
    expect(await ask()).toBe(0);
  });

  const MADE_OF = ['shared/domain/values/bank.ts', 'shared/contract/routes.ts', 'node_modules/.package-lock.json'];
  it.each([PAGE, ...MADE_OF])('packOnce packs again if one byte of %s changes', async (path) => {
    await ask();
    appendFileSync(at(path), '.');
    expect(await ask()).toBe(1);
    expect(await ask()).toBe(0);
  });

  it('packOnce packs again if a source is added, removed or renamed', async () => {
    const sample = 'shared/partner/docs/samples/novo.sh';
    const rename = () => renameSync(at(PAGE), at(PAGE.replace('inicio', 'fluxo')));
    for (const change of [() => {}, () => put(sample, ''), () => rmSync(at(sample)), rename]) {
      change();
      expect(await ask()).toBe(1);
    }
  });
});

it('SOURCES has every file that the packing imports', async () => {
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '../../..'),
    outdir: 'out',
    logLevel: 'silent',
    entryPoints: ['shared/partner/docs/site.ts', 'shared/partner/docs/browser/page.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const imported = Object.keys(metafile.inputs);
  expect(imported.length).toBeGreaterThan(20);
  expect(imported.filter((path) => !SOURCES.some((source) => matchesGlob(path, source)))).toEqual([]);
});
