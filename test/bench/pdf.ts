import { comparisonPdf } from '../../shared/pdf/comparison-pdf.ts';
import { simulationPdf } from '../../shared/pdf/simulation-pdf.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';
import { median } from './bench.ts';

/**
 * Time, processor time and size of the documents: the first one of a process, then the medians of so many. The processor's
 * time is the one to look at on a machine that does other work too.
 */
const RUNS = 15;

const { offer, schedule } = makeOffer('itau');
const record = { opportunity: makeOpportunity(offer), offer, schedule };
const offers = (['bradesco', 'itau', 'santander', 'brb'] as const).map((bank) => makeOffer(bank).offer);
const opportunity = { ...makeOpportunity(offer), offers };

interface Run {
  readonly milliseconds: number;
  readonly processor: number;
  readonly bytes: number;
}

async function once(draw: () => Promise<Uint8Array>): Promise<Run> {
  const start = performance.now();
  const before = process.cpuUsage();
  const { length } = await draw();
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: performance.now() - start, processor: (user + system) / 1000, bytes: length };
}

async function bench(name: string, draw: () => Promise<Uint8Array>, budget: string): Promise<void> {
  const first = await once(draw);
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await once(draw));
  const shown = (value: number) => `${value.toFixed(0)} ms`;
  console.log(
    `${name}: ${(first.bytes / 1000).toFixed(0)} KB; first ${shown(first.milliseconds)} (processor ${shown(first.processor)}), ` +
      `median of ${RUNS} ${shown(median(runs.map((run) => run.milliseconds)))} ` +
      `(processor ${shown(median(runs.map((run) => run.processor)))}); budget ${budget}`,
  );
}

await bench('pdf, 420 months', () => simulationPdf(record), '300 KB, 1000 ms idle');
await bench('comparison, 4 offers', () => comparisonPdf({ opportunity }), '100 KB, 300 ms idle');
