import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the packages of every version, and the file in it with their SHA-256, as `sha256sum` writes it. */
export const PACKAGES = join(import.meta.dirname, 'packages');
export const SUMS = join(PACKAGES, 'SHA256SUMS');

export interface ClientPackage {
  readonly name: string;
  readonly sha256: string;
}

export function clientPackages(): ClientPackage[] {
  const lines = readFileSync(SUMS, 'utf8').matchAll(/^(\w+) {2}(.+)$/gm);
  const packages = Array.from(lines, ([, sha256 = '', name = '']) => ({ name, sha256 }));
  return packages.sort((a, b) => b.name.localeCompare(a.name, 'en', { numeric: true }));
}

export const packageBytes = ({ name }: ClientPackage): Uint8Array => readFileSync(join(PACKAGES, name));
