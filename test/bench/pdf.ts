import { simulationPdf } from '../../shared/pdf/simulation-pdf.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';

/** Time and size of the PDF of 420 months: the first document of a process, then the median of so many. */
const RUNS = 15;

const { offer, schedule } = makeOffer('itau');
const record = { opportunity: makeOpportunity(offer), offer, schedule };

async function once(): Promise<{ milliseconds: number; bytes: number }> {
  const start = performance.now();
  const { length } = await simulationPdf(record);
  return { milliseconds: performance.now() - start, bytes: length };
}

const first = await once();
const times: number[] = [];
for (let run = 0; run < RUNS; run++) times.push((await once()).milliseconds);
const median = times.sort((a, b) => a - b)[Math.floor(RUNS / 2)]!;
console.log(`pdf, 420 months: ${(first.bytes / 1000).toFixed(0)} KB (budget 300)`);
console.log(
  `pdf, 420 months: first ${first.milliseconds.toFixed(0)} ms, median of ${RUNS} ${median.toFixed(0)} ms (budget 400)`,
);
