import { comparisonPdf } from '../../shared/pdf/comparison-pdf.ts';
import { simulationPdf } from '../../shared/pdf/simulation-pdf.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';
import { median, taking, verdict } from './bench.ts';

/**
 * Time, processor time and size of the documents: the first one of a process, then the medians of so many. The processor's
 * time is the one to look at on a machine that does other work too.
 */
const RUNS = 15;

const { offer, schedule } = makeOffer('itau');
const record = { opportunity: makeOpportunity(offer), offer, schedule };
const offers = (['bradesco', 'itau', 'santander', 'brb'] as const).map((bank) => makeOffer(bank).offer);
const opportunity = { ...makeOpportunity(offer), offers };

async function bench(name: string, draw: () => Promise<Uint8Array>, mostKilobytes: number, mostMs: number) {
  const first = await taking(draw);
  const runs: (typeof first)[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await taking(draw));
  console.log(`${name}: first ${first.wall.toFixed(0)} ms (processor ${first.cpu.toFixed(0)} ms)`);
  verdict(`${name}, size`, first.made.length / 1000, mostKilobytes, ' KB');
  verdict(`${name}, median of ${RUNS}`, median(runs.map(({ wall }) => wall)), mostMs, ' ms');
  verdict(`${name}, its processor time`, median(runs.map(({ cpu }) => cpu)), mostMs, ' ms');
}

await bench('pdf, 420 months', () => simulationPdf(record), 300, 1000);
await bench('comparison, 4 offers', () => comparisonPdf({ opportunity }), 100, 300);
