/**
 * The share of small changes to the code that the unit tests notice, by Stryker, folder by folder of `shared/`. Ends with
 * 1 where a folder's share is below 90 %. Words name folders, such as `domain/values`; without any, those of PROVEN.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** All of `domain/`, and `http`. The guards of the adapters are in guards.ts. */
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

const asked = process.argv.slice(2);
const failed = (asked.length > 0 ? asked : PROVEN).filter((folder) => {
  const { status } = spawnSync(process.execPath, [STRYKER, 'run', CONFIG], {
    cwd: PROJECT,
    env: { ...process.env, MUTANTS_OF: folder },
    stdio: 'inherit',
  });
  return status !== 0;
});
if (failed.length > 0) console.error(`below the threshold, or not measured: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
