import { setTimeout as wait } from 'node:timers/promises';

/** What came of the arrivals. Times in milliseconds from the moment at which a call was due, not from when it was sent. */
export interface Arrived {
  readonly times: readonly number[];
  /** Calls that were answered otherwise than with 2xx, or not at all. */
  readonly failed: readonly string[];
  /** Most calls under way at the same time. */
  readonly most: number;
}

/**
 * Makes calls at a constant rate, whatever those before are waiting for, as callers do who do not know of each other: a
 * service that falls behind is asked on, and the wait shows. `call` gives why it failed, undefined where it did not.
 */
export async function arrive(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  call: () => Promise<string | undefined>,
): Promise<Arrived> {
  const times: number[] = [];
  const failed: string[] = [];
  const underWay = new Set<Promise<void>>();
  let most = 0;
  const begun = performance.now();
  for (let arrival = 0; arrival < perSecond * seconds; arrival++) {
    const due = begun + (1000 * arrival) / perSecond;
    const early = due - performance.now();
    if (early > 0) await wait(early);
    const made: Promise<void> = call()
      .catch((error: Error) => error.message)
      .then((failure) => {
        times.push(performance.now() - due);
        if (failure !== undefined) failed.push(failure);
        underWay.delete(made);
      });
    underWay.add(made);
    most = Math.max(most, underWay.size);
  }
  await Promise.all(underWay);
  return { times, failed, most };
}
