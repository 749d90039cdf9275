import * as z from 'zod/mini';
import type { SealedTable } from '#shared/domain/sealing/ports.ts';
import type {
  Reencryption,
  RetirementPage,
  SealedPage,
  SealingKeys,
  SealingKeyUse,
} from '#shared/domain/sealing/rotation.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { ChangedMeanwhile, SafeError } from '#shared/runtime/log.ts';
import { getRow } from '../rows/client.ts';
import { forgetServiceKeys, serviceKeys } from '../rows/encryption.ts';
import { useOf } from '../rows/key-use.ts';
import { cursorKey } from '../rows/keys.ts';
import { approximateRows, COUNTING_PACE, keyFormat, paceOf, storePlace } from '../rows/table-scan.ts';
import { countSealed, forgetReencryption, reencryptRows } from './reencryption.ts';
import { retireSealingKey } from './service-keys.ts';

const placeFormat = z.object({
  version: z.number(),
  settledAt: z.number(),
  after: keyFormat,
  seen: z.number(),
  sealed: z.number(),
});
const RETIRING = cursorKey('retire');

/**
 * Work on the rows that the sealing keys have sealed. Each work continues while `inTime` returns true, and does at
 * least one page of rows.
 */
export class TableSealedTable implements SealedTable {
  rows(): Promise<number> {
    return approximateRows();
  }

  async reencrypt(
    current: number,
    { restart, unitsPerSecond }: { readonly restart: boolean; readonly unitsPerSecond: number },
    inTime: () => boolean,
  ): Promise<Reencryption> {
    // This container may still hold the keys from before a rotation.
    forgetServiceKeys();
    const { current: now } = await serviceKeys();
    if (now !== current)
      throw new ChangedMeanwhile(`version ${now} is the current sealing key by now: look at the keys again`);
    if (restart) await forgetReencryption();
    let last: Reencryption = { seen: 0, resealed: 0, broken: [], brokenCount: 0, done: false };
    for await (last of reencryptRows(current, paceOf(unitsPerSecond))) if (!inTime()) break;
    return last;
  }

  async count(after: string | undefined, inTime: () => boolean): Promise<SealedPage> {
    const from = after === undefined ? undefined : keyFormat.parse(JSON.parse(after));
    for await (const { seen, rows, after: last } of countSealed(COUNTING_PACE, from)) {
      if (last && inTime()) continue;
      const counted = Array.from(rows, ([version, kinds]) =>
        Array.from(kinds, ([kind, number]) => ({ version, kind, rows: number })),
      ).flat();
      return { seen, rows: counted, next: last && JSON.stringify(last) };
    }
    return { seen: 0, rows: [], next: undefined };
  }

  use(versions: readonly number[]): Promise<SealingKeyUse[]> {
    return useOf(versions);
  }

  /**
   * Retires a key once every row was looked at and none needs it. Returns the moment until which the key is kept for
   * copies of the table. The moment is undefined while the look continues. Throws a SafeError if rows need the key. The
   * place is stored here, not by the caller: a caller that left rows out would end a key that seals them. The place
   * holds for the keys as they are; after another change of them the look begins again. Even if an early row needs the
   * key, the look goes to the end, since the refusal says how many rows need it.
   */
  async retire(
    version: number,
    { settledAt }: SealingKeys,
    { now, goesOn }: RetirementPage,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly keptUntil: Instant | undefined }> {
    const kept = placeFormat.safeParse(goesOn ? await getRow(RETIRING) : undefined);
    const from =
      kept.success && kept.data.version === version && kept.data.settledAt === settledAt ? kept.data : undefined;
    for await (const page of countSealed(COUNTING_PACE, from?.after)) {
      const seen = (from?.seen ?? 0) + page.seen;
      const sealed = (from?.sealed ?? 0) + sumOf(page.rows.get(version));
      if (!page.after) {
        const keptUntil = sealed === 0 ? await retireSealingKey(version, now) : undefined;
        await storePlace(RETIRING, undefined);
        if (sealed > 0) throw new SafeError(`version ${version} still seals ${sealed} rows: keys reencrypt first`);
        return { seen, keptUntil };
      }
      if (inTime()) continue;
      await storePlace(RETIRING, { version, settledAt, after: page.after, seen, sealed });
      return { seen, keptUntil: undefined };
    }
    throw new Error('no row was looked at');
  }
}

/** Returns the number of rows of all kinds together. */
const sumOf = (rowsByKind: ReadonlyMap<string, number> = new Map()): number =>
  Array.from(rowsByKind.values()).reduce((sum, rows) => sum + rows, 0);
