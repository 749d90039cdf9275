/**
 * Measures with Stryker which share of small changes to the code the unit tests notice, one folder of `shared/` after
 * the other. Ends with 1 if the share of a folder is below 90 %. Words on the command line name folders, such as
 * `domain/values`. Without any, the folders of PROVEN are measured.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** All folders of `domain/`, and `http`. The adapters have guards instead (guards.ts). */
const PROVEN = [
  'domain/analyses',
  'domain/audit',
  'domain/leads',
  'domain/partners',
  'domain/personal-data',
  'domain/sealing',
  'domain/simulations',
  'domain/values',
  'domain/webhooks',
  'http',
];

const PROJECT = join(import.meta.dirname, '../../..');
const STRYKER = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const CONFIG = join(import.meta.dirname, 'stryker.config.mjs');

const namedFolders = process.argv.slice(2);
const failedFolders = (namedFolders.length > 0 ? namedFolders : PROVEN).filter((folder) => {
  const { status } = spawnSync(process.execPath, [STRYKER, 'run', CONFIG], {
    cwd: PROJECT,
    env: { ...process.env, MUTANTS_OF: folder },
    stdio: 'inherit',
  });
  return status !== 0;
});
if (failedFolders.length > 0) console.error(`below the threshold, or not measured: ${failedFolders.join(', ')}`);
process.exit(failedFolders.length > 0 ? 1 : 0);
