import * as z from 'zod/mini';
import type { KeyedTable } from '#shared/domain/sealing/ports.ts';
import {
  type CountPage,
  type HeldKeys,
  oldKeys,
  type RetiredKeys,
  type Retirement,
  type RetirementPage,
  type Rewriting,
  type RowsByKey,
  type SealingKeyUse,
} from '#shared/domain/sealing/rotation.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { ChangedMeanwhile, SafeError } from '#shared/runtime/log.ts';
import { getRow } from '../rows/client.ts';
import { forgetServiceKeys, serviceKeys } from '../rows/encryption.ts';
import { confirmIndexKeys } from '../rows/index-keys.ts';
import { useOf } from '../rows/key-use.ts';
import { cursorKey } from '../rows/keys.ts';
import { approximateRows, COUNTING_PACE, keyFormat, paceOf, storePlace } from '../rows/table-scan.ts';
import { countRows, forgetRewriting, NOTHING_COUNTED, rewriteRows } from './rewriting.ts';
import { retireServiceKeys } from './service-keys.ts';

const placeFormat = z.object({
  state: z.string(),
  after: keyFormat,
  seen: z.number(),
  sealed: z.array(z.object({ version: z.number(), kind: z.string(), rows: z.number() })),
  indexed: z.array(z.object({ name: z.string(), cpfs: z.number(), records: z.number(), recordsEndAt: z.number() })),
});
const RETIRING = cursorKey('retire');

export class TableKeyedTable implements KeyedTable {
  rows(): Promise<number> {
    return approximateRows();
  }

  async rewrite(
    { state, current, index, settledAt }: HeldKeys,
    now: Instant,
    { restart, unitsPerSecond }: { readonly restart: boolean; readonly unitsPerSecond: number },
    inTime: () => boolean,
  ): Promise<Rewriting> {
    // This container may still hold the keys from before a change.
    forgetServiceKeys();
    const held = await serviceKeys();
    if (held.current !== current || held.index.at(-1)?.name !== index.at(-1)?.name)
      throw new ChangedMeanwhile('the keys were changed meanwhile: look at them again');
    if (restart) await forgetRewriting();
    for await (const run of rewriteRows({ state, moves: now >= settledAt }, paceOf(unitsPerSecond)))
      if (run.done || !inTime()) return run;
    throw new Error('no row was looked at');
  }

  async count(after: string | undefined, now: Instant, inTime: () => boolean): Promise<CountPage> {
    const from = after === undefined ? undefined : keyFormat.parse(JSON.parse(after));
    for await (const { after: last, ...counts } of countRows(COUNTING_PACE, now, from))
      if (!last || !inTime()) return { ...counts, next: last && JSON.stringify(last) };
    throw new Error('no row was looked at');
  }

  use(versions: readonly number[]): Promise<SealingKeyUse[]> {
    return useOf(versions);
  }

  /**
   * Place and counts are stored here, not sent by the caller: a caller that left out rows could retire a key that these
   * rows need. The run reads all rows even if an early row needs a key, because the answer says how many rows need it.
   */
  async retire(keys: HeldKeys, { now, goesOn }: RetirementPage, inTime: () => boolean): Promise<Retirement> {
    const kept = placeFormat.safeParse(goesOn ? await getRow(RETIRING) : undefined);
    const from = kept.success && kept.data.state === keys.state ? kept.data : undefined;
    for await (const { after, ...counts } of countRows(COUNTING_PACE, now, from?.after, from ?? NOTHING_COUNTED)) {
      if (!after) {
        const { needed, unneeded } = judged(keys, counts);
        const isRefused = unneeded.versions.length + unneeded.names.length === 0;
        const keptUntil = isRefused ? undefined : await retireUnneeded(unneeded, keys, now);
        await storePlace(RETIRING, undefined);
        if (isRefused) throw new SafeError(reasonsOf(needed).join('; '));
        return { ...needed, ...unneeded, done: true, keptUntil };
      }
      if (inTime()) continue;
      await storePlace(RETIRING, { ...counts, state: keys.state, after });
      return { seen: counts.seen, sealed: [], indexed: [], versions: [], names: [], done: false, keptUntil: undefined };
    }
    throw new Error('no row was looked at');
  }
}

function judged(keys: HeldKeys, { seen, sealed, indexed }: RowsByKey) {
  const old = oldKeys(keys);
  const newest = keys.index.at(-1)?.name;
  const needed = {
    seen,
    sealed: sealed.filter(({ version }) => old.versions.includes(version)),
    indexed: indexed.filter(({ name }) => name !== newest),
  };
  // A row under an index key that is not held cannot be found. As long as there is such a row, no index key is retired.
  const isForeign = needed.indexed.some(({ name }) => !old.names.includes(name));
  const isNeeded = (name: string) => isForeign || needed.indexed.some((rows) => rows.name === name);
  const unneeded = {
    versions: old.versions.filter((version) => !needed.sealed.some((rows) => rows.version === version)),
    names: old.names.filter((name) => !isNeeded(name)),
  };
  return { needed, unneeded };
}

async function retireUnneeded(unneeded: RetiredKeys, keys: HeldKeys, now: Instant): Promise<Instant | undefined> {
  if (unneeded.names.length > 0) {
    // The row INDEXED_BY must name the remaining keys before another key is removed. The sweeper may not have written
    // it yet.
    forgetServiceKeys();
    await confirmIndexKeys();
  }
  return retireServiceKeys(unneeded, keys, now);
}

function reasonsOf({ sealed, indexed }: Pick<RowsByKey, 'sealed' | 'indexed'>): readonly string[] {
  const bySealing = Map.groupBy(sealed, ({ version }) => version);
  const sealing = Array.from(bySealing, ([version, kinds]) => {
    const rows = kinds.reduce((sum, kind) => sum + kind.rows, 0);
    return `sealing key version ${version} still seals ${rows} rows: rewrite-rows first`;
  });
  const indexing = indexed.map(({ name, cpfs, records, recordsEndAt }) => {
    if (cpfs > 0) return `${cpfs} CPFs are found by index key ${name}: rewrite-rows first`;
    const at = new Date(recordsEndAt).toISOString().slice(0, 16);
    return `${records} Idempotency-Keys and ends of consents are remembered under index key ${name}, the last until ${at}Z`;
  });
  return sealing.concat(indexing);
}
