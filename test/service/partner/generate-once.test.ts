import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PROJECT = join(import.meta.dirname, '../../..');
const PACKAGES = 'node_modules/.package-lock.json';
const TYPES = 'shared/partner/client/generated.ts';
const PYTHON = 'shared/partner/client/python/credito_imobiliario/__init__.py';
const ADMINISTRATION = 'shared/administration/document/openapi.json';

/** A copy of the sources, which these tests may change. */
const copy = fs.mkdtempSync(join(tmpdir(), 'partner-credit-generated-'));
afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

const textOf = (path: string) => fs.readFileSync(join(copy, path), 'utf8');
const inodeOf = (path: string) => fs.statSync(join(copy, path)).ino;
const generateOnce = () => execFileSync(process.execPath, [join(copy, 'bin/generate-once.ts')], { stdio: 'inherit' });

beforeAll(() => {
  const isSource = (path: string) => !path.includes('node_modules');
  fs.cpSync(join(PROJECT, 'shared'), join(copy, 'shared'), { recursive: true, filter: isSource });
  fs.mkdirSync(join(copy, 'bin'));
  fs.mkdirSync(join(copy, 'node_modules'));
  for (const file of ['package.json', 'bin/generate-once.ts', PACKAGES]) {
    fs.copyFileSync(join(PROJECT, file), join(copy, file));
  }
  const installed = fs.globSync(['node_modules/*', 'shared/partner/client/node_modules'], { cwd: PROJECT });
  for (const path of installed) if (path !== PACKAGES) fs.symlinkSync(join(PROJECT, path), join(copy, path));
  generateOnce();
});

describe('generateOnce', () => {
  it('generateOnce writes nothing if neither a source nor a generated file has changed', () => {
    const before = inodeOf(PYTHON);
    generateOnce();
    expect(inodeOf(PYTHON)).toBe(before);
  });

  it.each([
    ['shared/partner/client/python/transport.py', 'Uma resposta de sucesso', PYTHON],
    ['shared/partner/openapi/openapi.json', 'Registra o cliente', TYPES],
    ['shared/administration/units.ts', 'When the unit was created', ADMINISTRATION],
  ])('generateOnce generates again if %s changes', (source, words, made) => {
    expect(textOf(made).includes(words)).toBe(true);
    fs.writeFileSync(join(copy, source), textOf(source).replaceAll(words, 'Outro texto'));
    generateOnce();
    expect(textOf(made).includes(words)).toBe(false);
    expect(textOf(made).includes('Outro texto')).toBe(true);
  });

  it('generateOnce generates again if an installed package changes', () => {
    const before = inodeOf(PYTHON);
    fs.appendFileSync(join(copy, PACKAGES), '\n');
    generateOnce();
    expect(inodeOf(PYTHON)).not.toBe(before);
  });

  it('generateOnce replaces a changed file in one step, so that its readers have a whole file', () => {
    const text = textOf(PYTHON);
    fs.appendFileSync(join(copy, PYTHON), '# changed\n');
    const reader = fs.openSync(join(copy, PYTHON), 'r');
    generateOnce();
    expect(fs.readFileSync(reader, 'utf8')).toBe(`${text}# changed\n`);
    expect(textOf(PYTHON)).toBe(text);
    fs.closeSync(reader);
  });
});
