import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesise } from '#infra/local/template.ts';
import { sendMetricsTo } from '#shared/runtime/metrics.ts';
import { type Peers, startPeers } from '../makers/peers.ts';

export const PROJECT = join(import.meta.dirname, '../..');

export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/**
 * Returns the median of the ratios of two lists, pair by pair. The two measurements of a pair ran one after the other,
 * so what the machine did meanwhile changed both.
 */
export const ratioOf = (numerators: readonly number[], denominators: readonly number[]) =>
  median(numerators.map((numerator, index) => numerator / denominators[index]!));

/** Prints whether a budget of test/bench/README.md is met; `npm run bench` gathers these lines. */
export function verdict(name: string, value: number, budget: number, unit = ''): void {
  const met = value <= budget ? 'met    ' : 'NOT MET';
  console.log(`  ${met} ${name}: ${value.toFixed(2)}${unit} (budget ${budget}${unit})`);
}

/** Runs a piece of work. Returns its result, and the wall time and processor time of this process in milliseconds. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ wall: number; cpu: number; result: T }> {
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wall: performance.now() - startedAt, cpu: (user + system) / 1000, result };
}

/**
 * Runs the work of a bench against peers that are made from the stage as it is now, then ends the program. The work
 * gets a temporary folder.
 */
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
  // The SDK's idle connections would keep the process alive for a while.
  process.exit();
}
