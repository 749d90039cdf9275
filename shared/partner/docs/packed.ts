import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib';
import { type Facts, withFacts } from './facts.ts';

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
  /** Whether it has places for facts of the deployment. @default false */
  readonly facts?: true;
}

/** Files by the last part of their address; the page at /docs itself is under the empty name. */
export type Packed = Readonly<Record<string, PackedFile>>;

/** Folder of the packed files, beside the code, and the file in it that lists them. */
export const FOLDER = 'docs';
export const LIST = 'files.json';

const folder = join(import.meta.dirname, FOLDER);
let packed: Packed | undefined;

/** A file as it is answered: its content in base64, and its entity tag. */
interface Edition {
  readonly text: string;
  readonly tag: string;
}

// A page of 80 KB takes 2 ms, once in each container.
const QUALITY = 5;

/** Editions with facts in them, by stored name, with the facts of each as JSON. */
const filled = new Map<string, { readonly told: string; readonly plain: Buffer; readonly brotli: Buffer }>();

function filledFile({ stored, type }: PackedFile, facts: Facts) {
  const told = JSON.stringify(facts);
  const held = filled.get(stored);
  if (held?.told === told) return held;
  const plain = Buffer.from(
    withFacts(brotliDecompressSync(readFileSync(join(folder, stored))).toString(), type, facts),
  );
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
  const made = { told, plain, brotli };
  filled.set(stored, made);
  return made;
}

function editionOf(file: PackedFile, brotli: boolean, facts: Facts): Edition {
  const suffix = brotli ? '-br' : '';
  if (file.facts) {
    const made = filledFile(file, facts);
    return {
      text: (brotli ? made.brotli : made.plain).toString('base64'),
      tag: `"${file.hash}-${crc32(made.told).toString(16)}${suffix}"`,
    };
  }
  const bytes = readFileSync(join(folder, file.stored));
  return {
    text: (brotli ? bytes : brotliDecompressSync(bytes)).toString('base64'),
    tag: `"${file.hash}${suffix}"`,
  };
}

/**
 * A file's content in base64, with the deployment's facts in their places, its ETag and headers; undefined where the
 * documentation has no file of this name.
 */
export function fileNamed(name: string, { brotli, facts }: { readonly brotli: boolean; readonly facts: Facts }) {
  packed ??= JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as Packed;
  const file = Object.hasOwn(packed, name) ? packed[name] : undefined;
  if (!file) return undefined;
  const { type, maxAge, policy } = file;
  return {
    edition: editionOf(file, brotli, facts),
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
