/**
 * Returns a clock on which waiting takes no time. When everything else has come to rest, the clock jumps to the next
 * sleeper and wakes it.
 */
export function virtualClock(start: number) {
  let now = start;
  /**
   * Sleepers by the moment at which they wake. There are few moments, because sleepers that start together sleep
   * equally long.
   */
  const sleepers = new Map<number, (() => void)[]>();

  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

  return {
    now: () => now,
    /** Resolves after so many milliseconds of this clock. */
    sleep: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        const moment = now + milliseconds;
        const sleepersThen = sleepers.get(moment);
        if (sleepersThen) sleepersThen.push(resolve);
        else sleepers.set(moment, [resolve]);
      }),
    /**
     * Plays a story to its end and returns its result. Throws an Error if the story waits for something that never
     * happens.
     */
    async play<T>(story: Promise<T>): Promise<T> {
      let ended = false;
      const end = () => {
        ended = true;
      };
      story.then(end, end);
      for (;;) {
        await nextTurn();
        if (ended) return story;
        if (sleepers.size === 0) throw new Error('the story waits, and nothing will wake it');
        now = Math.min(...sleepers.keys());
        const resolvers = sleepers.get(now)!;
        sleepers.delete(now);
        for (const wake of resolvers) wake();
      }
    },
    /** Puts the clock forward to a moment. Does nothing if the moment is in the past. */
    advanceTo(moment: number): void {
      now = Math.max(now, moment);
    },
  };
}
