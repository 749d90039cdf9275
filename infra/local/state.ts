import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROW_VERSION } from '#shared/table/rows/row-format.ts';
import { endNoted } from './aws/dynamodb.ts';
import { commandOf } from './command-of.ts';
import { StartError } from './listen.ts';

const FRESH = 'fresh-';
const LOCK = 'run.pid';
const LAYOUT = 'layout';
/** Every run with kept data has written this file. */
const DATA = 'secrets.json';

/**
 * A fresh run gets a folder of its own below `.local`. Removes the folders of killed fresh runs. `release` gives the
 * folder up, and deletes the folder of a fresh run. Throws a StartError if another run uses `.local`, or if this
 * version cannot read the rows in it.
 */
export function claimState(root: string, fresh: boolean): { folder: string; release(): void } {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(root)) {
    if (!name.startsWith(FRESH) || isAlive(Number(name.slice(FRESH.length)))) continue;
    endNoted(join(root, name));
    rmSync(join(root, name), { recursive: true, force: true });
  }
  if (fresh) {
    const folder = join(root, `${FRESH}${process.pid}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { folder, release: () => rmSync(folder, { recursive: true, force: true }) };
  }
  const lock = join(root, LOCK);
  if (existsSync(lock)) {
    const pid = Number(readFileSync(lock, 'utf8').trim());
    if (pid !== process.pid && isAlive(pid) && commandOf(pid).includes('dev.ts')) {
      throw new StartError(`another run (process ${pid}) uses .local: end it, or start with --fresh`);
    }
  }
  const layout = join(root, LAYOUT);
  const kept = existsSync(layout) ? readFileSync(layout, 'utf8').trim() : 'none';
  if (existsSync(join(root, DATA)) && !(Number(kept) >= 1 && Number(kept) <= ROW_VERSION)) {
    throw new StartError(
      `the rows in .local have layout ${kept}, this version reads layouts up to ${ROW_VERSION}: start with --fresh, or delete .local`,
    );
  }
  writeFileSync(layout, `${ROW_VERSION}\n`, { mode: 0o600 });
  writeFileSync(lock, `${process.pid}\n`, { mode: 0o600 });
  return { folder: root, release: () => rmSync(lock, { force: true }) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The file is replaced as a whole or not at all, and only this user can read it. */
export function writePrivate(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
