import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** A file of the documentation, stored beside the function's code. */
export interface PackedFile {
  /** Its name in the folder; the content is in Brotli. */
  readonly stored: string;
  readonly type: string;
  /** Hash of the content. */
  readonly hash: string;
  /** Seconds for which a browser may use its copy without asking again. */
  readonly maxAge: number;
  /** The page's Content-Security-Policy. */
  readonly policy?: string;
}

/** Files by the last part of their address; the page at /docs itself is under the empty name. */
export type Packed = Readonly<Record<string, PackedFile>>;

/** Folder of the packed files, beside the code, and the file in it that lists them. */
export const FOLDER = 'docs';
export const LIST = 'files.json';

const folder = join(import.meta.dirname, FOLDER);
let packed: Packed | undefined;

/** A file's content in base64, its ETag and headers; undefined where the documentation has no file of this name. */
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
