/**
 * Records anew what infra/cost/recorded.json holds: npm run bench:cost. Each function is run against real peers; prod stands
 * as it does once all its values are filled in.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesise } from '../../infra/local/assembly.ts';
import { STAGE_NAMES } from '../../infra/stages.ts';
import { recordConsumption, standingOf } from '../makers/consumption.ts';
import { startPeers } from '../makers/peers.ts';

const ROUNDS = 30;
const project = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-cost-'));
try {
  await synthesise(project, folder);
  const peers = await startPeers(folder);
  try {
    const runs = await recordConsumption(ROUNDS, peers.blueprint.functions);
    const lines = runs.map((run) =>
      JSON.stringify(run, (_, value) => (typeof value === 'number' ? round(value) : value)),
    );
    const standing = STAGE_NAMES.map((stage) => `${JSON.stringify(stage)}: ${JSON.stringify(standingOf(stage))}`);
    const text = `{"standing": {\n${standing.join(',\n')}\n},\n"runs": [\n${lines.join(',\n')}\n]}\n`;
    writeFileSync(join(project, 'infra/cost/recorded.json'), text);
  } finally {
    await peers.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// The SDK's idle connections would hold the process for a while.
process.exit();

/** To three digits behind the point: what a run takes is known no better. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
