/**
 * Writes infra/cost/recorded.json again: `npm run bench:cost`. Each function runs against real peers. For the monthly
 * costs, prod has every value filled in that infra/stages.ts leaves open.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STAGE_NAMES } from '#infra/stages.ts';
import { fixedResourcesOf, recordConsumption } from '../makers/consumption.ts';
import { bench, PROJECT } from './bench.ts';

const ROUNDS = 30;
await bench(async ({ blueprint }) => {
  const runs = await recordConsumption(ROUNDS, blueprint.functions);
  const lines = runs.map((run) =>
    JSON.stringify(run, (_, value) => (typeof value === 'number' ? round(value) : value)),
  );
  const standing = STAGE_NAMES.map((stage) => `${JSON.stringify(stage)}: ${JSON.stringify(fixedResourcesOf(stage))}`);
  const text = `{"standing": {\n${standing.join(',\n')}\n},\n"runs": [\n${lines.join(',\n')}\n]}\n`;
  writeFileSync(join(PROJECT, 'infra/cost/recorded.json'), text);
});

/** Rounds to three decimals. A run cannot be measured more exactly. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
