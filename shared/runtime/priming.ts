import { withDeadline } from './deadline.ts';

/** A port that can do, while a container starts, what its first call would otherwise wait for: keys, connections. */
export interface Primable {
  /** May fail or hang: nothing depends on it. */
  prime(): Promise<unknown>;
}

/** How long a container's start waits for priming, in milliseconds. */
const LONGEST = 1_000;

export function isPrimable(port: unknown): port is Primable {
  return (typeof port === 'object' || typeof port === 'function') && port !== null && 'prime' in port;
}

/**
 * Runs all primings at once, and ends what they ask of peers after LONGEST milliseconds. Never fails: what could not be
 * readied is the first call's to do, as if there were no priming.
 */
export async function primeAll(primings: () => readonly Promise<unknown>[]): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, LONGEST);
  const run = withDeadline(LONGEST, async () => Promise.allSettled(primings()));
  // A peer's client may not heed the deadline, so the wait ends by itself too.
  await Promise.race([run, over.promise]).catch(() => {});
  clearTimeout(timer);
}
