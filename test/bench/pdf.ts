import { BANKS } from '#shared/domain/values/bank.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { comparisonPdf } from '#shared/pdf/comparison-pdf.ts';
import { simulationPdf } from '#shared/pdf/simulation-pdf.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';
import { median, timed, verdict } from './bench.ts';
import { BUDGETS } from './budgets.ts';
import { slowness } from './machine.ts';

/**
 * Number of documents over which the bench takes the median processor time. The bench also prints the time until a
 * process has its first document, the size of that document, and how much the heap grows over a thousand documents.
 * Times are divided by how slow the machine is.
 */
const RUNS = 31;
const MANY = 1_000;

const { offer, schedule } = makeOffer('itau');
const record = { opportunity: makeOpportunity(offer), offer, schedule };
const forAllBanks = { term: 180, financedValue: centavos(20_000_000) };
const offers = BANKS.map((bank) => makeOffer(bank, forAllBanks).offer);
const opportunity = { ...makeOpportunity(offer), offers };
const slower = slowness();

/** Gives the event loop a turn for work that a document left, as it gets one between calls. */
const nextCall = () => new Promise((resolve) => setImmediate(resolve));

interface DocumentBudget {
  readonly kilobytes: number;
  readonly ms: number;
}

async function bench(name: string, draw: () => Promise<Uint8Array>, budget: DocumentBudget) {
  const first = await timed(draw);
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await nextCall();
    runs.push((await timed(draw)).cpu);
  }
  const [wall, cpu] = [first.wall, first.cpu].map((milliseconds) => (milliseconds / slower).toFixed(0));
  console.log(`${name}: first byte of the first after ${wall} ms (processor ${cpu} ms)`);
  verdict(`21 ${name}, size`, first.result.length / 1000, budget.kilobytes, ' KB');
  verdict(`21 ${name}, processor time, median of ${RUNS}`, median(runs) / slower, budget.ms, ' ms');
}

const heap = () => {
  globalThis.gc!();
  return process.memoryUsage().heapUsed / 1024 ** 2;
};

await bench('pdf, 420 months', () => simulationPdf(record), BUDGETS[21].pdf);
await bench('comparison, six banks', () => comparisonPdf({ opportunity }), BUDGETS[21].comparison);
const before = heap();
for (let drawn = 0; drawn < MANY; drawn++) {
  await nextCall();
  await simulationPdf(record);
}
await nextCall();
const grown = heap() - before;
verdict(
  `21 heap after ${MANY} documents, from ${before.toFixed(1)} MB, grown by`,
  grown,
  BUDGETS[21].grownHeapMb,
  ' MB',
);
