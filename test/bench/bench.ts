import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesise } from '#infra/local/template.ts';
import { sendMetricsTo } from '#shared/runtime/metrics.ts';
import { type Peers, startPeers } from '../makers/peers.ts';

export const PROJECT = join(import.meta.dirname, '../..');

export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Median of the ratios of two lists: pairs that ran one after the other share what the machine did meanwhile. */
export const ratioOf = (some: readonly number[], others: readonly number[]) =>
  median(some.map((one, index) => one / others[index]!));

/** Prints whether a budget of test/bench/README.md is met; `npm run bench` gathers these lines. */
export function verdict(name: string, value: number, budget: number, unit = ''): void {
  const met = value <= budget ? 'met    ' : 'NOT MET';
  console.log(`  ${met} ${name}: ${value.toFixed(2)}${unit} (budget ${budget}${unit})`);
}

/** Milliseconds of the clock and of this process's processors that a piece of work takes, and what it gives. */
export async function taking<T>(work: () => T | Promise<T>): Promise<{ wall: number; cpu: number; made: T }> {
  const [cpu, begun] = [process.cpuUsage(), performance.now()];
  const made = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wall: performance.now() - begun, cpu: (user + system) / 1000, made };
}

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
