import { startFauxqs } from 'fauxqs';
import type { QueuePlan } from '../blueprint.ts';
import { REGION } from '../template.ts';

export interface LocalQueues {
  readonly endpoint: string;
  /** Makes queues, empty where they exist. */
  make(plans: readonly QueuePlan[]): void;
  close(): Promise<void>;
}

/** Starts SQS in this process, in memory: what a restart loses, the sweeper finds again in the table. */
export async function startQueues(): Promise<LocalQueues> {
  const server = await startFauxqs({ port: 0, logger: false, defaultRegion: REGION });
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    make: (plans) => {
      server.purgeAll();
      // Dead-letter queues first: the others name them.
      const ordered = plans.toSorted(
        (a, b) => Number('RedrivePolicy' in a.attributes) - Number('RedrivePolicy' in b.attributes),
      );
      for (const { name, attributes } of ordered) server.createQueue(name, { region: REGION, attributes });
    },
    close: () => server.stop(),
  };
}
