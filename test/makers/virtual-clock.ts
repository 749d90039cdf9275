/**
 * A clock on which waiting takes no time: what sleeps is woken in the order of its moments, once everything else has come
 * to rest.
 */
export function virtualClock(start: number) {
  let now = start;
  /** Sleepers by the moment at which they wake; few moments, since what is started together sleeps alike. */
  const sleepers = new Map<number, (() => void)[]>();

  const rest = () => new Promise<void>((resolve) => setImmediate(resolve));

  return {
    now: () => now,
    /** Resolves so many milliseconds later. */
    sleep: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        const moment = now + milliseconds;
        const others = sleepers.get(moment);
        if (others) others.push(resolve);
        else sleepers.set(moment, [resolve]);
      }),
    /** Plays what is given to its end, and says what it gave. Throws where it waits for something that never comes. */
    async play<T>(story: Promise<T>): Promise<T> {
      let ended = false;
      const end = () => {
        ended = true;
      };
      story.then(end, end);
      for (;;) {
        await rest();
        if (ended) return story;
        if (sleepers.size === 0) throw new Error('the story waits for nothing that is to come');
        now = Math.min(...sleepers.keys());
        const awake = sleepers.get(now)!;
        sleepers.delete(now);
        for (const wake of awake) wake();
      }
    },
    /** Lets the clock show a later moment. */
    advanceTo(moment: number): void {
      now = Math.max(now, moment);
    },
  };
}
