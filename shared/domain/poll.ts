import { type Analysis, dueRange, SLOTS } from './analysis.ts';
import type { Analyses } from './ports.ts';

/** The slots of one shard of a number of shards. */
export function slotsOf(shard: number, shards: number): number[] {
  return Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => slot % shards === shard);
}

/** The slots in the order in which a run takes them: the one where the run before stopped comes first. */
export function slotsFrom(slots: readonly number[], position: number): number[] {
  const at = Math.max(0, slots.indexOf(position));
  return [...slots.slice(at), ...slots.slice(0, at)];
}

/**
 * Where the next run begins: with the first slot, in this run's order, in which something was left over. Undefined where
 * nothing was. A slot that outlasts a whole run lets the others go first.
 */
export function nextBeginning(slots: readonly number[], left: readonly number[]): number | undefined {
  if (left.length === 0) return undefined;
  const first = Math.min(...left.map((slot) => slots.indexOf(slot)));
  return slots[first === 0 ? 1 % slots.length : first];
}

/**
 * The analyses that are due at `now` (milliseconds) in some slots, read a page at a time as they are asked for.
 * `reached` is told each slot that is begun.
 */
export async function* dueAnalyses(
  analyses: Analyses,
  slots: readonly number[],
  now: number,
  reached: (slot: number) => void = () => {},
): AsyncGenerator<Analysis> {
  for (const slot of slots) {
    reached(slot);
    const range = dueRange(slot, now);
    let after: string | undefined;
    do {
      const page = await analyses.pending(slot, range, after);
      yield* page.items;
      after = page.next;
    } while (after !== undefined);
  }
}
