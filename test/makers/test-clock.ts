/**
 * The clock of this process, which a test puts forward instead of waiting: Date.now runs ahead by what was added.
 * Timers keep real time. An adapter may keep Date.now from one file to the next: it is the same function in all of them.
 */
const real = Date.now;
let ahead = 0;
Date.now = () => real() + ahead;
/** How far the peers' clock runs ahead; never put back, since peers outlive a held clock. */
let peersAhead = 0;

/** Puts Date.now under the test's hand. */
export function holdClock(): void {
  ahead = 0;
}

/** Puts the clock forward by so many milliseconds. */
export function passTime(milliseconds: number): void {
  ahead += milliseconds;
  passPeersTime(milliseconds);
}

/** What runs with a clock that is wrong by so many milliseconds, as one container’s may be; peers keep the right time. */
export async function withWrongClock<T>(milliseconds: number, run: () => Promise<T>): Promise<T> {
  ahead += milliseconds;
  try {
    return await run();
  } finally {
    ahead -= milliseconds;
  }
}

/** Puts a held clock forward to the next minute's first second, for a test whose calls must fall into one minute. */
export function beginMinute(): void {
  passTime(61_000 - (Date.now() % 60_000));
}

/** Lets indexes and replicas catch up as they would in this time, where a test keeps a clock of its own. */
export function passPeersTime(milliseconds: number): void {
  peersAhead += milliseconds;
}

/** The clock by which peers that are like AWS are late, in milliseconds. */
export function peersTime(): number {
  return performance.now() + peersAhead;
}

export function releaseClock(): void {
  ahead = 0;
}
