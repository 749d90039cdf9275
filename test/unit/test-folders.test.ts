import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GROWING, isNightly } from '../nightly.ts';
import { TEST_FOLDERS } from '../projects.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const isIn = (file: string, folder: string) => file.startsWith(`test/${folder}/`);

it('each test file is in the folder of a project, so that npm test or the nightly run plays it', () => {
  expect(FILES.length).toBeGreaterThan(250);
  expect(FILES.filter((file) => !TEST_FOLDERS.some(({ folder }) => isIn(file, folder)))).toEqual([]);
});

// A scene's operator is on this list because, with shared modules, every second run got no answer from it in time.
const NEEDS_OWN_MODULES = /\bvi\.(mock|doMock)\(|\bDate\.now = |\bscene\.(tick|submit)\(/;

it('no test file in a folder with shared modules replaces a module, or needs modules of its own', () => {
  const sharing = TEST_FOLDERS.filter(({ sharesModules }) => sharesModules);
  const files = FILES.filter((file) => sharing.some(({ folder }) => isIn(file, folder)));
  const own = files.filter((file) => NEEDS_OWN_MODULES.test(textOf(file)));
  expect(own).toEqual([]);
});

// The numbers of cases in makers/quote-request.ts and the schedules of makers/interleaved.ts depend on SOAK, too.
const GROWS = /process\.env\['SOAK'\]|\b(PRICING|COSTLY)_CASES\b|makers\/interleaved\.ts'/;

it('the nightly run plays each test file that SOAK=1 makes larger', () => {
  const growing = FILES.filter((file) => GROWS.test(textOf(file)));
  expect(growing.filter((file) => !isNightly(file))).toEqual(GROWING);
});
