import * as z from 'zod/mini';
import type { Reencryption, RetirementPage, SealingKeys } from '#shared/domain/sealing/rotation.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { getRow } from '../rows/client.ts';
import { forgetServiceKeys } from '../rows/encryption.ts';
import { useOf } from '../rows/key-use.ts';
import { cursorKey } from '../rows/keys.ts';
import { approximateRows, COUNTING_PACE, keepPlace, keyFormat, nameOf, paceOf } from '../rows/table-scan.ts';
import { countSealed, forgetReencryption, type ReencryptionRun, reencryptRows } from './reencryption.ts';
import { retireSealingKey } from './service-keys.ts';

const placeFormat = z.object({
  version: z.number(),
  settledAt: z.number(),
  after: keyFormat,
  seen: z.number(),
  sealed: z.number(),
});
const RETIRING = cursorKey('retire');

/** The rows that the sealing keys have sealed. Each work goes on while `inTime` says so, one page of rows at least. */
export function tableSealedTable() {
  return {
    rows: approximateRows,

    /** Seals rows of other keys by the current one; the place is kept, and the next run goes on there. */
    async reencrypt(
      current: number,
      { restart, unitsPerSecond }: { readonly restart: boolean; readonly unitsPerSecond: number },
      inTime: () => boolean,
    ): Promise<Reencryption> {
      // What this container remembers may be the keys from before a rotation.
      forgetServiceKeys();
      if (restart) await forgetReencryption();
      let last: ReencryptionRun = { seen: 0, resealed: 0, broken: [], brokenCount: 0, done: false };
      for await (last of reencryptRows(current, paceOf(unitsPerSecond))) if (!inTime()) break;
      return { ...last, broken: last.broken.map(nameOf) };
    },

    /** Rows by key and kind, from a place on. */
    async count(after: string | undefined, inTime: () => boolean) {
      const from = after === undefined ? undefined : keyFormat.parse(JSON.parse(after));
      for await (const { seen, rows, after: last } of countSealed(COUNTING_PACE, from)) {
        if (last && inTime()) continue;
        const counted = [...rows].flatMap(([version, kinds]) =>
          [...kinds].map(([kind, number]) => ({ version, kind, rows: number })),
        );
        return { seen, rows: counted, next: last && JSON.stringify(last) };
      }
      return { seen: 0, rows: [], next: undefined };
    },

    use: useOf,

    retire,
  };
}

/**
 * Takes a key away once every row was looked at and none needs it, and says until when it is kept for copies of the table.
 * The place is kept here and not by the caller: one who left rows out would end a key that seals them. It holds for the
 * keys as they are: after another change of them the look begins anew. It goes to the end also where a row is found early,
 * since whoever asks has to hear how many there are.
 */
async function retire(
  version: number,
  { settledAt }: SealingKeys,
  { now, goesOn }: RetirementPage,
  inTime: () => boolean,
) {
  const kept = placeFormat.safeParse(goesOn ? await getRow(RETIRING) : undefined);
  const from =
    kept.success && kept.data.version === version && kept.data.settledAt === settledAt ? kept.data : undefined;
  for await (const page of countSealed(COUNTING_PACE, from?.after)) {
    const found = [...(page.rows.get(version)?.values() ?? [])].reduce((sum, number) => sum + number, 0);
    const [seen, sealed] = [(from?.seen ?? 0) + page.seen, (from?.sealed ?? 0) + found];
    if (!page.after) {
      const keptUntil = sealed === 0 ? await retireSealingKey(version, now) : undefined;
      await keepPlace(RETIRING, undefined);
      if (sealed > 0) throw new SafeError(`version ${version} still seals ${sealed} rows: keys reencrypt first`);
      return { seen, keptUntil };
    }
    if (inTime()) continue;
    await keepPlace(RETIRING, { version, settledAt, after: page.after, seen, sealed });
    return { seen, keptUntil: undefined };
  }
  throw new Error('no row was looked at');
}
