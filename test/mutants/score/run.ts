/**
 * Measures with Stryker which share of small changes to the code the unit tests notice, one folder of `shared/` after
 * the other. Ends with 1 if the share of a folder is below its floor (floors.ts). Words on the command line name
 * folders, such as `domain/values`. `--today` takes the folders that the date draws, as far as its time allows. Without
 * any, all are measured.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const PROJECT = join(import.meta.dirname, '../../..');
const STRYKER = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const CONFIG = join(import.meta.dirname, 'stryker.config.mjs');
const DRAWN = 8;
/** `--today` begins no folder after this time, in milliseconds, so that the nightly run stays short. */
const LAST_START = 360_000;

/** Folders of `test/unit/` whose tests prove the folder of `shared/` with the same path. */
function provenFolders(): string[] {
  const foldersOf = (root: string, pattern: string) =>
    globSync(`${root}/**/${pattern}`, { cwd: PROJECT }).map((file) => relative(root, dirname(file)));
  const proving = new Set(foldersOf('test/unit', '*.test.ts'));
  return [...new Set(foldersOf('shared', '*.ts'))].filter((folder) => proving.has(folder)).sort();
}

/** Draws folders by the day since 1970, so that each folder is drawn every few days. */
function drawnToday(folders: readonly string[]): string[] {
  const first = Math.floor(Date.now() / 86_400_000) * DRAWN;
  return Array.from({ length: DRAWN }, (_, number) => folders[(first + number) % folders.length] ?? []).flat();
}

const words = process.argv.slice(2);
const folders = provenFolders();
const isNightly = words[0] === '--today';
const chosen = words.length === 0 ? folders : isNightly ? drawnToday(folders) : words;
const failedFolders = chosen.filter((folder) => {
  if (isNightly && performance.now() > LAST_START) {
    console.log(`no time left for ${folder}`);
    return false;
  }
  const { status } = spawnSync(process.execPath, [STRYKER, 'run', CONFIG], {
    cwd: PROJECT,
    env: { ...process.env, MUTANTS_OF: folder },
    stdio: 'inherit',
  });
  return status !== 0;
});
if (failedFolders.length > 0) console.error(`below the floor, or not measured: ${failedFolders.join(', ')}`);
process.exit(failedFolders.length > 0 ? 1 : 0);
