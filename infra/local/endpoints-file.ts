import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where a run is found by those who work on it: the manager's command line, and the rehearsal of a restore. */
export interface Endpoints {
  /** The administration's API, with a token for each duty. */
  readonly administration: { readonly url: string; readonly tokens: object };
  /** The table's engine, for exports. */
  readonly table: string;
  /** The stand-in of the operator's system. */
  readonly operator: string;
}

/** Writes a JSON file for this user alone, whole or not at all. */
export function writePrivate(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
