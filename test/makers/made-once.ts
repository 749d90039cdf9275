import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Milliseconds between two looks for a value that another worker makes. */
const LOOKS_EVERY = 20;
/** Time in milliseconds after which a worker makes the value itself, because the other one may have failed. */
const WAITS_AT_MOST = 60_000;

/** Whether this worker is the first that asks for a value of this title. */
function isFirst(claim: string): boolean {
  try {
    closeSync(openSync(claim, 'wx'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Returns a value that can be written as JSON and that takes seconds to make. In a run of all tests, the first
 * worker that asks for it makes it, and the other workers read it from the run's folder.
 */
export function madeOnce<Value>(title: string, make: () => Value): Value {
  const folder = inject('shared');
  if (folder === undefined) return make();
  const file = join(folder, `${title}.json`);
  if (!isFirst(`${file}.claim`)) {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let waited = 0; waited < WAITS_AT_MOST && !existsSync(file); waited += LOOKS_EVERY)
      Atomics.wait(pause, 0, 0, LOOKS_EVERY);
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  }
  const value = make();
  // A file that is renamed is never read half written.
  const half = `${file}.${process.pid}`;
  writeFileSync(half, JSON.stringify(value));
  renameSync(half, file);
  return value;
}
