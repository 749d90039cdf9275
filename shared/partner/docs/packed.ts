import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** A file of the documentation as it lies beside the function's code. */
export interface PackedFile {
  /** Name below `docs/`, the content in Brotli. */
  readonly stored: string;
  readonly type: string;
  /** Hash of the content. */
  readonly hash: string;
  /** Seconds for which a copy serves without asking again. */
  readonly maxAge: number;
  /** The page's Content-Security-Policy. */
  readonly policy?: string;
}

/** By the last part of the address; the page at /docs itself has none. */
export type Packed = Readonly<Record<string, PackedFile>>;

/** Folder of the packed files, beside the code, and the file in it that lists them. */
export const FOLDER = 'docs';
export const LIST = 'files.json';

const folder = join(import.meta.dirname, FOLDER);
let packed: Packed | undefined;

/** What answers for a name: its content in base64, tag and headers. Undefined where the documentation has no such file. */
export function fileNamed(name: string, { brotli }: { readonly brotli: boolean }) {
  packed ??= JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as Packed;
  const file = Object.hasOwn(packed, name) ? packed[name] : undefined;
  if (!file) return undefined;
  const { stored, type, hash, maxAge, policy } = file;
  const bytes = readFileSync(join(folder, stored));
  return {
    edition: {
      text: (brotli ? bytes : brotliDecompressSync(bytes)).toString('base64'),
      tag: `"${hash}${brotli ? '-br' : ''}"`,
    },
    maxAge,
    headers: {
      'Content-Type': type,
      Vary: 'Accept-Encoding',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy': policy ?? "default-src 'none'; frame-ancestors 'none'",
      ...(brotli && { 'Content-Encoding': 'br' }),
    },
  };
}
