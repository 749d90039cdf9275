/**
 * The clock of this process. A test puts it forward instead of waiting: Date.now and performance.now are ahead by what
 * was added, and timers keep real time. Both stay the same functions in all test files of a process, because an adapter
 * may keep them from one file to the next.
 */
const real = Date.now;
let ahead = 0;
/** Where the clock stands still. Undefined while it runs. */
let stoppedAt: number | undefined;
Date.now = () => (stoppedAt ?? real()) + ahead;
const realMonotonic = performance.now.bind(performance);
/** How far performance.now is ahead. It is never put back, because a monotonic clock never is. */
let monotonicAhead = 0;
performance.now = () => realMonotonic() + monotonicAhead;
/** How far the peers' clock is ahead. It is never put back, because peers may live longer than a held clock. */
let peersAhead = 0;

/** Begins to hold the clock, at the real time. */
export function holdClock(): void {
  ahead = 0;
}

/** Puts the clock and the peers' clock forward, in milliseconds. */
export function passTime(milliseconds: number): void {
  ahead += milliseconds;
  monotonicAhead += milliseconds;
  passPeersTime(milliseconds);
}

/**
 * Runs something while this process's clock is wrong by so many milliseconds, as one container's clock may be. The
 * peers' clock stays right.
 */
export async function withWrongClock<T>(milliseconds: number, run: () => Promise<T>): Promise<T> {
  ahead += milliseconds;
  try {
    return await run();
  } finally {
    ahead -= milliseconds;
  }
}

/**
 * Runs something while Date.now stands still at a moment, so that a slow machine gets the same answers. `passTime` still
 * puts the clock forward.
 */
export async function withStoppedClock<T>(moment: number, run: () => Promise<T>): Promise<T> {
  const before = { stoppedAt, ahead };
  stoppedAt = moment;
  ahead = 0;
  try {
    return await run();
  } finally {
    ({ stoppedAt, ahead } = before);
  }
}

/** Puts a held clock forward to one second after the next full minute, for a test whose calls must be in one minute. */
export function beginMinute(): void {
  passTime(61_000 - (Date.now() % 60_000));
}

/**
 * Puts only the peers' clock forward, so that indexes and replicas catch up. For tests that have a clock of their own.
 */
export function passPeersTime(milliseconds: number): void {
  peersAhead += milliseconds;
}

/** Returns the peers' clock in milliseconds. AWS-like peers measure their lag by it. */
export function peersTime(): number {
  return realMonotonic() + peersAhead;
}

/** Ends holding the clock: Date.now shows the real time again. */
export function releaseClock(): void {
  ahead = 0;
}
