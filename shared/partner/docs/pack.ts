import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzipSync } from 'node:zlib';
import type { Seconds } from '#shared/domain/values/time.ts';
import { hasPlaceholder } from './facts.ts';
import { LIST, type Packed, type PackedFile } from './packed.ts';

export interface SiteFile {
  readonly content: string | Uint8Array;
  readonly type: string;
  readonly maxAge: Seconds;
  readonly policy?: string;
  /** Whether the content is compressed already, so that it is stored and answered as it is. @default false */
  readonly asIs?: true;
}

/** Bytes above which a content is stored in gzip too, since compressing it would delay an answer. */
const GZIPPED_FROM = 100_000;

/** How long a browser may keep a file whose name has its content's hash. */
export const ASSET_AGE: Seconds = 31_536_000;

// At quality 11 the renderer's script would be 0.94 MB instead of 1.06, but packing would take twelve seconds longer.
const qualityOf = (content: string | Uint8Array) => (content.length > 1e6 ? 7 : 10);

export const hashOf = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 16);

/** Packs each file in Brotli, large files in gzip too, and adds the list of the files. */
export async function packFiles(files: ReadonlyMap<string, SiteFile>): Promise<ReadonlyMap<string, Uint8Array>> {
  const compress = promisify(brotliCompress);
  const packed = new Map<string, Uint8Array>();
  const list: Record<string, PackedFile> = {};
  await Promise.all(
    [...files].map(async ([name, { content, type, maxAge, policy, asIs }]) => {
      const stored = asIs ? name.replace('/', '-') : `${name || 'inicio.html'}.br`;
      const facts = typeof content === 'string' && hasPlaceholder(content);
      const gzipped = Buffer.byteLength(content) > GZIPPED_FROM && !facts && !asIs ? `${name}.gz` : undefined;
      if (gzipped) packed.set(gzipped, gzipSync(content, { level: 9 }));
      list[name] = {
        stored,
        gzipped,
        type,
        hash: hashOf(content),
        maxAge,
        policy,
        facts: facts || undefined,
        asIs,
      };
      const params = { [constants.BROTLI_PARAM_QUALITY]: qualityOf(content) };
      packed.set(stored, asIs ? Buffer.from(content) : await compress(content, { params }));
    }),
  );
  const sorted: Packed = Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
  packed.set(LIST, Buffer.from(JSON.stringify(sorted)));
  return packed;
}
