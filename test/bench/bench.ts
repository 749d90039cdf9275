import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesise } from '../../infra/local/assembly.ts';
import { sendMetricsTo } from '../../shared/runtime/metrics.ts';
import { type Peers, startPeers } from '../makers/peers.ts';

export const PROJECT = join(import.meta.dirname, '../..');

export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Does the work of a bench beside peers of the stage as it is now, in a folder of its own, and ends the program. */
export async function bench(work: (peers: Peers, folder: string) => Promise<void>): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-bench-'));
  try {
    await synthesise(PROJECT, folder);
    const peers = await startPeers(folder);
    sendMetricsTo(() => {});
    await work(peers, folder).finally(() => peers.close());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // The SDK's idle connections would hold the process for a while.
  process.exit();
}
