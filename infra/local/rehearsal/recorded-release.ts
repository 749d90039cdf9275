import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** Folder of a project with the records of its releases. */
export const RECORDS = 'test/released';
/** File of a record that names the release's commit and the hashes of the other files. The next commit adds it. */
export const SEAL = 'sealed.json';
export const sealFormat = z.strictObject({
  /** The commit that added the record. Its code is the release. */
  commit: z.string().check(z.regex(/^[0-9a-f]{40}$/)),
  /** SHA-256 of each other file of the record. */
  files: z.record(z.string(), z.string()),
});

/** Returns the versions that a project has records of, oldest first. */
export function recordedVersions(project: string): string[] {
  const folder = join(project, RECORDS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Returns the commit of the oldest release whose record is sealed. Undefined if there is none. */
export function oldestRelease(project: string): string | undefined {
  const seals = recordedVersions(project).map((version) => join(project, RECORDS, version, SEAL));
  const first = seals.find((file) => existsSync(file));
  return first && sealFormat.parse(JSON.parse(readFileSync(first, 'utf8'))).commit;
}
