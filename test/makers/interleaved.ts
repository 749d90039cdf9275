import { it } from 'vitest';
import { seededRandom } from '#infra/local/aws/aws-like/settings.ts';

/**
 * Plays runs against each other: every call of a port waits for its turn, and only one call is made at a time. A run
 * must call its ports one after the other.
 */

/** Chooses the run that continues. `alive` are the runs that have not ended, `step` is the number of steps so far. */
type Choose = (alive: readonly number[], step: number) => number;

/** How runs are played against each other. */
export interface Schedule {
  readonly choose: Choose;
  /** Milliseconds for which a run is held up whenever another run continues. */
  readonly heldUp: number;
  /** Describes the schedule in a failure. */
  readonly where: string;
}

/** Puts a port under the schedule. The methods in `atOnce` answer immediately, without a turn. */
export type Stepped = <T extends object>(port: T, atOnce?: readonly string[]) => T;

class SteppedRun {
  ended = false;
  calls = 0;
  #go: (() => void) | undefined;
  #reached = Promise.withResolvers<void>();

  readonly stepped: Stepped = (port, atOnce = []) =>
    new Proxy(port, {
      get: (target, property) => {
        const method: unknown = Reflect.get(target, property, target);
        if (typeof method !== 'function' || atOnce.includes(String(property))) return method;
        return async (...args: unknown[]) => {
          await this.#turn();
          const [result] = await Promise.allSettled([Reflect.apply(method, target, args) as unknown]);
          await this.#turn();
          if (result.status === 'rejected') throw result.reason;
          return result.value;
        };
      },
    });

  #turn(): Promise<void> {
    return new Promise<void>((go) => {
      this.#go = go;
      this.#reached.resolve();
    });
  }

  /** Starts the run. Resolves with its result or its error. */
  async start<T>(run: (stepped: Stepped) => Promise<T>): Promise<PromiseSettledResult<T>> {
    const [result] = await Promise.allSettled([run(this.stepped)]);
    this.ended = true;
    this.#reached.resolve();
    return result;
  }

  /** Resolves when the run waits for its turn or has ended. */
  waits(): Promise<void> {
    return this.#reached.promise;
  }

  /** Gives the run one turn, and waits until it waits for the next turn or has ended. */
  async step(): Promise<void> {
    this.calls += 1;
    this.#reached = Promise.withResolvers<void>();
    this.#go!();
    await this.waits();
  }
}

/**
 * Plays runs by a schedule. A call takes two turns: first it takes effect, then its answer arrives. `switched` is
 * called when another run continues than before. Returns the results, and the turns of each run.
 */
export async function interleave<T>(
  runs: readonly ((stepped: Stepped) => Promise<T>)[],
  choose: Choose,
  switched: () => void,
): Promise<{ readonly results: readonly PromiseSettledResult<T>[]; readonly calls: readonly number[] }> {
  const steppedRuns = runs.map(() => new SteppedRun());
  const results = steppedRuns.map((run, index) => run.start(runs[index]!));
  await Promise.all(steppedRuns.map((run) => run.waits()));
  let last: number | undefined;
  for (let step = 0; ; step++) {
    const alive = [...steppedRuns.keys()].filter((index) => !steppedRuns[index]!.ended);
    if (alive.length === 0) break;
    const next = choose(alive, step);
    if (last !== undefined && next !== last) switched();
    last = next;
    await steppedRuns[next]!.step();
  }
  return { results: await Promise.all(results), calls: steppedRuns.map(({ calls }) => calls) };
}

const SOAK = process.env['SOAK'] !== undefined;

/** A sweep plays one in so many of the schedules with up to two switches. OVERLAPS=all plays all of them. */
const EVERY = process.env['OVERLAPS'] === 'all' ? 1 : SOAK ? 13 : 293;
/** Seeds of the random schedules. */
const SEEDS = Array.from({ length: SOAK ? 10 : 1 }, (_, index) => index + 1);

/** The first run goes to its end, then the others. It shows how many turns each run takes by itself. */
const ONE_AFTER_THE_OTHER: Schedule = { choose: twoSwitches(0, 999, 0), heldUp: 0, where: 'one after the other' };

/**
 * Declares the tests of a sweep: schedules in which the first two runs alternate with up to two switches, and random
 * schedules of all runs. Further runs continue when the first two have ended.
 *
 * - `what`: the promise that every schedule must keep, as the beginning of the tests' titles.
 * - `play`: plays a schedule over a new story. Returns the turns of each run.
 * - `heldUp`: for how many milliseconds a run may be held up.
 * - `share`: plays only one in so many of the schedules.
 */
export function testSchedules(
  what: string,
  play: (schedule: Schedule) => Promise<readonly number[]>,
  heldUp: readonly number[],
  share = 1,
): void {
  it(`${what} in schedules with up to two switches`, async () => {
    const calls = await play(ONE_AFTER_THE_OTHER);
    for (const schedule of sweptSchedules(calls, heldUp, EVERY * share)) await play(schedule);
  });

  it.each(SEEDS.slice(0, Math.ceil(SEEDS.length / share)))(`${what} in random schedules (seed %i)`, async (seed) => {
    for (const milliseconds of heldUp) {
      const random = seededRandom(seed);
      const choose: Choose = (alive) => alive[Math.floor(random() * alive.length)]!;
      await play({ choose, heldUp: milliseconds, where: `held up ${milliseconds} ms, seed ${seed}` });
    }
  });
}

/**
 * Returns the schedules with up to two switches that a sweep plays, given the turns that each of two runs takes by
 * itself.
 */
function sweptSchedules(calls: readonly number[], heldUp: readonly number[], every: number): readonly Schedule[] {
  const swept = upToTwoSwitches(calls).filter((_, index) => index % every === 0);
  return heldUp.flatMap((milliseconds) =>
    swept.map((schedule) => ({
      choose: twoSwitches(...schedule),
      heldUp: milliseconds,
      where: `held up ${milliseconds} ms, schedule ${schedule}`,
    })),
  );
}

/**
 * Returns a schedule: one run takes `before` turns, then the other takes `between` turns, then the first runs to its
 * end, and then the other.
 */
function twoSwitches(first: 0 | 1, before: number, between: number): Choose {
  const other = 1 - first;
  return (alive, step) => {
    const wanted = step < before ? first : step < before + between ? other : first;
    return alive.includes(wanted) ? wanted : alive[0]!;
  };
}

/** Returns all schedules of two runs with up to two switches, given the turns that each takes by itself. */
function upToTwoSwitches(calls: readonly number[]): readonly (readonly [first: 0 | 1, number, number])[] {
  return ([0, 1] as const).flatMap((first) =>
    Array.from({ length: calls[first]! }, (_, before) =>
      Array.from({ length: calls[1 - first]! }, (_unused, between) => [first, before, between + 1] as const),
    ).flat(),
  );
}
