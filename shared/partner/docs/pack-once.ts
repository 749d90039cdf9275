import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';

type Files = ReadonlyMap<string, Uint8Array>;

/** Folders whose files site.ts imports or reads, and the installed packages. Node's version counts, too. */
export const SOURCES = [
  'shared/contract/**',
  'shared/domain/**',
  'shared/partner/**',
  'package-lock.json',
  'node_modules/.package-lock.json',
];

/** Path of the copy from the top of the project. `npm ci` removes the whole cache folder. */
const COPY = 'node_modules/.cache/partner-docs';

const HASH = 'sha256';
const HASH_BYTES = 32;
const hashOf = (bytes: Uint8Array) => createHash(HASH).update(bytes).digest();

function keyOf(project: string): Buffer {
  const hash = createHash(HASH).update(process.version);
  const found = globSync(SOURCES, { cwd: project, withFileTypes: true, exclude: ['shared/**/node_modules'] });
  const paths = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) {
    const content = readFileSync(path);
    hash.update(`\0${path.slice(project.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest();
}

/** Undefined if there is no copy, if it was made from other sources, or if it is damaged. */
function read(copy: string, key: Buffer): Files | undefined {
  if (!existsSync(copy)) return undefined;
  const bytes = readFileSync(copy);
  const madeFrom = bytes.subarray(0, HASH_BYTES);
  const checksum = bytes.subarray(HASH_BYTES, 2 * HASH_BYTES);
  const content = bytes.subarray(2 * HASH_BYTES);
  if (!madeFrom.equals(key) || !checksum.equals(hashOf(content))) return undefined;
  return deserialize(content);
}

/** Replaces the copy in one step, since another synthesis may be reading it. */
function write(copy: string, key: Buffer, files: Files): void {
  const content = serialize(files);
  const draft = `${copy}.${process.pid}`;
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(draft, Buffer.concat([key, hashOf(content), content]));
  renameSync(draft, copy);
}

/** Packing takes more than a second, so a copy is kept until a source, a package or Node's version changes. */
export async function packOnce(project: string, pack: () => Promise<Files>): Promise<Files> {
  const copy = join(project, COPY);
  const key = keyOf(project);
  const kept = read(copy, key);
  if (kept) return kept;
  const files = await pack();
  write(copy, key, files);
  return files;
}
