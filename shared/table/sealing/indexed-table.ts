import * as z from 'zod/mini';
import type { IndexedTable } from '#shared/domain/sealing/ports.ts';
import type { IndexKeys, OlderRows, Reindexing, RetirementPage } from '#shared/domain/sealing/rotation.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { ChangedMeanwhile, SafeError } from '#shared/runtime/log.ts';
import { getRow } from '../rows/client.ts';
import { forgetServiceKeys, serviceKeys } from '../rows/encryption.ts';
import { confirmIndexKeys } from '../rows/index-keys.ts';
import { cursorKey } from '../rows/keys.ts';
import { approximateRows, COUNTING_PACE, keyFormat, paceOf, storePlace } from '../rows/table-scan.ts';
import { countOlderRows, reindexRows } from './reindexing.ts';
import { retireIndexKey } from './service-keys.ts';

const countsFormat = z.object({ seen: z.number(), cpfs: z.number(), records: z.number(), recordsEndAt: z.number() });
const placeFormat = z.extend(countsFormat, { next: z.string(), after: keyFormat });
const RETIRING = cursorKey('retire-index');

const NONE: OlderRows = { seen: 0, cpfs: 0, records: 0, recordsEndAt: 0 };

/**
 * Work on the rows that are found by hashes under the index keys. Each work continues while `inTime` returns true, and
 * does at least one page.
 */
export class TableIndexedTable implements IndexedTable {
  rows(): Promise<number> {
    return approximateRows();
  }

  async reindex(
    newer: string,
    { unitsPerSecond }: { readonly unitsPerSecond: number },
    inTime: () => boolean,
  ): Promise<Reindexing> {
    // This container may still hold the keys from before a rotation.
    forgetServiceKeys();
    await requireNewer(newer);
    for await (const run of reindexRows(paceOf(unitsPerSecond))) if (run.done || !inTime()) return run;
    throw new Error('no row was looked at');
  }

  async count(
    after: string | undefined,
    now: Instant,
    inTime: () => boolean,
  ): Promise<OlderRows & { readonly next: string | undefined }> {
    forgetServiceKeys();
    const from = after === undefined ? undefined : keyFormat.parse(JSON.parse(after));
    for await (const { after: last, ...counts } of countOlderRows(COUNTING_PACE, now, from))
      if (!last || !inTime()) return { ...counts, next: last && JSON.stringify(last) };
    throw new Error('no row was looked at');
  }

  /**
   * Retires the older key once every row was looked at and none lies under it. Throws a SafeError if rows still lie
   * under it, and a ChangedMeanwhile if the keys were rotated or retired since the caller saw them. Place and counts are stored here, not by the caller: a caller that left rows out would end a key by which
   * people are found. Place and counts hold for this rotation. After another rotation the look begins again with the
   * first row.
   */
  async retire(
    { name, next }: IndexKeys,
    { now, goesOn }: RetirementPage,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly retired: boolean }> {
    forgetServiceKeys();
    await requireNewer(next?.name);
    const kept = placeFormat.safeParse(goesOn ? await getRow(RETIRING) : undefined);
    const from = kept.success && kept.data.next === next?.name ? kept.data : undefined;
    for await (const { after, ...page } of countOlderRows(COUNTING_PACE, now, from?.after)) {
      const counts = sumOf(from ?? NONE, page);
      const { seen } = counts;
      if (!after) {
        const refusal = olderKeyRefusal(counts);
        if (refusal === undefined) {
          // The row INDEXED_BY must name the remaining key before the other key goes. The sweeper may not have written
          // that name yet.
          await confirmIndexKeys();
          await retireIndexKey(name, now);
        }
        await storePlace(RETIRING, undefined);
        if (refusal !== undefined) throw new SafeError(refusal);
        return { seen, retired: true };
      }
      if (inTime()) continue;
      await storePlace(RETIRING, { next: next?.name, after, ...counts });
      return { seen, retired: false };
    }
    throw new Error('no row was looked at');
  }
}

/** Throws a ChangedMeanwhile unless this is the newer of two index keys. */
async function requireNewer(name: string | undefined): Promise<void> {
  const { nextIndex } = await serviceKeys();
  if (nextIndex === undefined)
    throw new ChangedMeanwhile('the older index key was retired meanwhile: look at the keys again');
  if (nextIndex.key.name !== name)
    throw new ChangedMeanwhile('the index key was rotated again meanwhile: look at the keys again');
}

const sumOf = (a: OlderRows, b: OlderRows): OlderRows => ({
  seen: a.seen + b.seen,
  cpfs: a.cpfs + b.cpfs,
  records: a.records + b.records,
  recordsEndAt: Math.max(a.recordsEndAt, b.recordsEndAt),
});

/** Returns why the older index key must stay: what lies under it. Undefined if nothing does. */
function olderKeyRefusal({ cpfs, records, recordsEndAt }: OlderRows): string | undefined {
  if (cpfs > 0) return `${cpfs} CPFs are found by the older index key: keys reindex first`;
  if (records === 0) return undefined;
  const at = new Date(recordsEndAt).toISOString().slice(0, 16);
  return `${records} Idempotency-Keys and ends of consents are remembered under the older index key, the last until ${at}Z`;
}
