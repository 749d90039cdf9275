import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, crc32, gzipSync } from 'node:zlib';
import type { Seconds } from '#shared/domain/values/time.ts';
import { type Facts, withFacts } from './facts.ts';

export interface PackedFile {
  /** Name of the file in the folder. Its content is in Brotli, unless it is answered `asIs`. */
  readonly stored: string;
  /** Whether the content is compressed already: it is answered as it is, whatever the caller accepts. @default false */
  readonly asIs?: true;
  /** Name of the file with the content in gzip. Set if the content is large and the same in each deployment. */
  readonly gzipped?: string;
  readonly type: string;
  readonly hash: string;
  /** How long a browser may use its copy without asking again. */
  readonly maxAge: Seconds;
  readonly policy?: string;
  readonly facts?: true;
}

/** Files by the last part of their address. The page at /docs itself has the empty name. */
export type Packed = Readonly<Record<string, PackedFile>>;

export const FOLDER = 'docs';
export const LIST = 'files.json';

/** Undefined if the content is not compressed. */
type Coding = 'br' | 'gzip' | undefined;

const folder = join(import.meta.dirname, FOLDER);
let packed: Packed | undefined;

interface Edition {
  readonly text: string;
  readonly tag: string;
}

// At this quality, a page of 80 KB takes 2 ms, once in each container.
const QUALITY = 5;

/** Contents with facts filled in, by the name of the stored file. `facts` is the JSON of these facts. */
const filled = new Map<string, { readonly facts: string; readonly plain: Buffer; readonly brotli: Buffer }>();

function filledFile({ stored, type }: PackedFile, facts: Facts) {
  const factsText = JSON.stringify(facts);
  const earlier = filled.get(stored);
  if (earlier?.facts === factsText) return earlier;
  const plain = Buffer.from(
    withFacts(brotliDecompressSync(readFileSync(join(folder, stored))).toString(), type, facts),
  );
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
  const edition = { facts: factsText, plain, brotli };
  filled.set(stored, edition);
  return edition;
}

function contentOf(file: PackedFile, coding: Coding, facts: Facts | undefined): Buffer {
  if (file.asIs) return readFileSync(join(folder, file.stored));
  if (coding === 'gzip') {
    if (file.gzipped) return readFileSync(join(folder, file.gzipped));
    return gzipSync(contentOf(file, undefined, facts));
  }
  if (file.facts) {
    if (!facts) throw new Error(`${file.stored} has places for facts of the deployment, and none are given`);
    const { brotli, plain } = filledFile(file, facts);
    return coding === 'br' ? brotli : plain;
  }
  const brotli = readFileSync(join(folder, file.stored));
  return coding === 'br' ? brotli : brotliDecompressSync(brotli);
}

function editionOf(file: PackedFile, coding: Coding, facts: Facts | undefined): Edition {
  const factsHash = file.facts ? `-${crc32(JSON.stringify(facts)).toString(16)}` : '';
  const tag = `"${file.hash}${factsHash}${coding ? `-${coding}` : ''}"`;
  return { text: contentOf(file, coding, facts).toString('base64'), tag };
}

/** Whether an Accept-Encoding header accepts a coding: it names the coding, without a weight of 0. */
const accepted = (coding: string) => new RegExp(`(^|[\\s,])${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`);

/**
 * Undefined if there is no file of this name. The content is compressed only if `accepts` (the header Accept-Encoding)
 * names a coding.
 */
export function fileNamed(name: string, { accepts, facts }: { readonly accepts: string; readonly facts?: Facts }) {
  const list: Packed = packed ?? JSON.parse(readFileSync(join(folder, LIST), 'utf8'));
  packed = list;
  const file = Object.hasOwn(list, name) ? list[name] : undefined;
  if (!file) return undefined;
  const coding = file.asIs ? undefined : (['br', 'gzip'] as const).find((name) => accepted(name).test(accepts));
  const plain = {
    'Content-Type': file.type,
    Vary: 'Accept-Encoding',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': file.policy ?? "default-src 'none'; frame-ancestors 'none'",
  };
  const headers = coding ? { ...plain, 'Content-Encoding': coding } : plain;
  return { edition: editionOf(file, coding, facts), maxAge: file.maxAge, headers };
}
