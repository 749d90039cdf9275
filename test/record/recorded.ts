import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECORDS } from '#infra/local/rehearsal/recorded-release.ts';
import manifest from '../../package.json' with { type: 'json' };

const RELEASED = join(import.meta.dirname, '../..', RECORDS);

/** A file of a record. The seal is added later. */
type RecordFile = 'rows.json' | 'resources.json' | 'formats.json' | 'openapi.json' | 'outcomes.openapi.json';

/** Returns a value in which bytes are written as `{ "bytes": base64 }`. Throws an Error for a set, which JSON cannot hold. */
function writable(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (value instanceof Set) throw new Error('a record cannot hold a set');
  if (Array.isArray(value)) return value.map(writable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, writable(part)]));
}
/** Reads bytes back that `writable` has written. */
const bytesBack = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'bytes' in value && typeof value.bytes === 'string'
    ? Buffer.from(value.bytes, 'base64')
    : value;

/** Returns a value as it is after it was written to a record and read again. */
export const asRecorded = <T>(value: T): T => JSON.parse(textOf(value), bytesBack);

const textOf = (value: unknown): string => `${JSON.stringify(writable(value), null, 1)}\n`;

/** Returns a file of a release's record. */
export const readRecord = <T>(version: string, file: RecordFile): T =>
  JSON.parse(readFileSync(join(RELEASED, version, file), 'utf8'), bytesBack);

/**
 * Writes a file of the record of package.json's version, if this run was started by `npm run record`. Throws an Error
 * if the file is there already, since a record never changes.
 */
export function record(file: RecordFile, value: unknown): void {
  if (process.env['RECORD'] === undefined) return;
  const folder = join(RELEASED, manifest.version);
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(folder, file))) {
    throw new Error(`release ${manifest.version} has ${file} already: a record never changes, so raise the version`);
  }
  writeFileSync(join(folder, file), textOf(value), { flag: 'wx' });
}
