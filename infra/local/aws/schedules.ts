import type { SchedulePlan } from '../blueprint.ts';
import type { Containers } from './containers.ts';

/** Runs functions on their schedules; `every` gives the milliseconds between two runs. */
export function startSchedules(
  plans: readonly SchedulePlan[],
  containers: Pick<Containers, 'invoke'>,
  every: (plan: SchedulePlan) => number = (plan) => plan.every,
): { close(): void } {
  const timers = plans.map((plan) => {
    let running = false;
    return setInterval(() => {
      // A tick is skipped while the run before it lasts: fast ticks would pile up behind a long run.
      if (running) return;
      running = true;
      containers
        .invoke(plan.function, JSON.parse(plan.input))
        // Logged where it happened; the next tick is the retry.
        .catch(() => undefined)
        .finally(() => {
          running = false;
        });
    }, every(plan));
  });
  return {
    close: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
