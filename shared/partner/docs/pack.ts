import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzipSync } from 'node:zlib';
import type { Seconds } from '#shared/domain/values/time.ts';
import { hasPlaceholder } from './facts.ts';
import { LARGEST_PLAIN, LIST, type Packed, type PackedFile } from './packed.ts';

/** A file before it is packed. */
export interface SiteFile {
  readonly content: string | Uint8Array;
  readonly type: string;
  readonly maxAge: Seconds;
  readonly policy?: string;
}

/** How long a browser keeps a file that has its content's hash in its name. */
export const ASSET_AGE: Seconds = 31_536_000;

// At 11, the renderer's script is 0.94 MB instead of 1.06, and packing takes twelve seconds longer; the rest is quick at 10.
const qualityOf = (content: string | Uint8Array) => (content.length > 1e6 ? 7 : 10);

/** What names a content. */
export const hashOf = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 16);

/**
 * The files to put beside the function that serves them, by name: each file in Brotli, large ones in gzip too, and their
 * list. A text with a place for a fact of the deployment gets it as it is served.
 */
export async function packFiles(files: ReadonlyMap<string, SiteFile>): Promise<ReadonlyMap<string, Uint8Array>> {
  const compress = promisify(brotliCompress);
  const packed = new Map<string, Uint8Array>();
  const list: Record<string, PackedFile> = {};
  await Promise.all(
    [...files].map(async ([name, { content, type, maxAge, policy }]) => {
      const stored = `${name || 'inicio.html'}.br`;
      const facts = typeof content === 'string' && hasPlaceholder(content);
      const large = Buffer.byteLength(content) > LARGEST_PLAIN;
      const gzipped = large && !facts ? `${name}.gz` : undefined;
      if (gzipped) packed.set(gzipped, gzipSync(content, { level: 9 }));
      // JSON leaves out what is undefined.
      list[name] = {
        stored,
        large: large || undefined,
        gzipped,
        type,
        hash: hashOf(content),
        maxAge,
        policy,
        facts: facts || undefined,
      };
      packed.set(stored, await compress(content, { params: { [constants.BROTLI_PARAM_QUALITY]: qualityOf(content) } }));
    }),
  );
  const sorted: Packed = Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
  packed.set(LIST, Buffer.from(JSON.stringify(sorted)));
  return packed;
}
