import { it } from 'vitest';
import { seededRandom } from '#infra/local/aws/aws-like/settings.ts';

/**
 * Runs stepped against each other: every call of a port waits for its turn, and one call is made at a time. A run is
 * to call its ports one after the other.
 */

/** A schedule: which run goes on, given those that have not ended and how many calls were made so far. */
type Choose = (alive: readonly number[], step: number) => number;

/** How runs are played against each other. */
export interface Schedule {
  readonly choose: Choose;
  /** Milliseconds by which a run is held up wherever the other goes on. */
  readonly heldUp: number;
  /** Names the schedule where something does not hold. */
  readonly where: string;
}

/** Puts a port under the schedule; the methods named answer at once, without a turn. */
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

  /** Starts the run; resolves with what becomes of it. */
  async start<T>(run: (stepped: Stepped) => Promise<T>): Promise<PromiseSettledResult<T>> {
    const [result] = await Promise.allSettled([run(this.stepped)]);
    this.ended = true;
    this.#reached.resolve();
    return result;
  }

  /** Resolves once the run waits for its turn or has ended. */
  waits(): Promise<void> {
    return this.#reached.promise;
  }

  /** Lets one call be made, and waits until the run has come to its next one. */
  async step(): Promise<void> {
    this.calls += 1;
    this.#reached = Promise.withResolvers<void>();
    this.#go!();
    await this.waits();
  }
}

/**
 * Plays runs by a schedule. `switched` is called where another run goes on than the one before. A call is two turns: it takes
 * effect, and its answer arrives. Gives results and turns.
 */
export async function interleave<T>(
  runs: readonly ((stepped: Stepped) => Promise<T>)[],
  choose: Choose,
  switched: () => void,
): Promise<{ readonly results: readonly PromiseSettledResult<T>[]; readonly calls: readonly number[] }> {
  const all = runs.map(() => new SteppedRun());
  const results = all.map((one, index) => one.start(runs[index]!));
  await Promise.all(all.map((one) => one.waits()));
  let last: number | undefined;
  for (let step = 0; ; step++) {
    const alive = [...all.keys()].filter((index) => !all[index]!.ended);
    if (alive.length === 0) break;
    const next = choose(alive, step);
    if (last !== undefined && next !== last) switched();
    last = next;
    await all[next]!.step();
  }
  return { results: await Promise.all(results), calls: all.map(({ calls }) => calls) };
}

const SOAK = process.env['SOAK'] !== undefined;

/** Every so many of the schedules up to two switches are played; OVERLAPS=all plays each of them. */
const EVERY = process.env['OVERLAPS'] === 'all' ? 1 : SOAK ? 13 : 37;
/** Of the schedules that are drawn. */
const SEEDS = Array.from({ length: SOAK ? 10 : 2 }, (_, index) => index + 1);

/** The first run to its end, then the others; it tells how many calls each makes by itself. */
const ONE_AFTER_THE_OTHER: Schedule = { choose: twoSwitches(0, 999, 0), heldUp: 0, where: 'one after the other' };

/**
 * The tests of a sweep. `play` plays a schedule over a story of its own and gives how many calls each run has made;
 * `heldUp` says by how many milliseconds a run may be held up, `what` what is promised of all schedules. Of more than two
 * runs the first two are switched between, and the others go on after them; drawn schedules mix all. `share`: one in so
 * many of the schedules is enough.
 */
export function sweep(
  what: string,
  play: (schedule: Schedule) => Promise<readonly number[]>,
  heldUp: readonly number[],
  share = 1,
): void {
  it(`${what}, whoever goes on after whichever call, up to two switches`, async () => {
    const calls = await play(ONE_AFTER_THE_OTHER);
    for (const schedule of sweptSchedules(calls, heldUp, EVERY * share)) await play(schedule);
  });

  it.each(SEEDS.slice(0, Math.ceil(SEEDS.length / share)))(`${what} in any order (seed %i)`, async (seed) => {
    for (const milliseconds of heldUp) {
      const random = seededRandom(seed);
      const choose: Choose = (alive) => alive[Math.floor(random() * alive.length)]!;
      await play({ choose, heldUp: milliseconds, where: `held up ${milliseconds} ms, seed ${seed}` });
    }
  });
}

/** The schedules up to two switches that a sweep plays, given how many calls each of two runs makes by itself. */
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

/** One run makes so many calls, then the other so many, then the first goes on to its end, and the other to its own. */
function twoSwitches(first: 0 | 1, before: number, between: number): Choose {
  const other = 1 - first;
  return (alive, step) => {
    const wanted = step < before ? first : step < before + between ? other : first;
    return alive.includes(wanted) ? wanted : alive[0]!;
  };
}

/** All schedules of two runs up to two switches, given how many calls each makes by itself. */
function upToTwoSwitches(calls: readonly number[]): readonly (readonly [first: 0 | 1, number, number])[] {
  return ([0, 1] as const).flatMap((first) =>
    Array.from({ length: calls[first]! }, (_, before) =>
      Array.from({ length: calls[1 - first]! }, (_unused, between) => [first, before, between + 1] as const),
    ).flat(),
  );
}
