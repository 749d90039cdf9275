/**
 * Measures one run of the poller (test/bench/README.md, budget 15), and never fails:
 * - over 1,000 and 10,000 pending analyses with an operator that answers in 100 ms, once one by one and once in
 *   batches;
 * - over 100,000 pending analyses with four shards and an operator that answers in 300 ms.
 *
 * Table, queue and operator run in other processes, so the processor time is the poller's. Prints wall time, processor
 * time for each analysis, memory, and whether the budgets are met.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import { handler } from '#functions/pollers/poll-bank-outcomes.ts';
import { startOperator } from '#infra/local/operator/operator.ts';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { type AnalysisId, drawId, type LeadId, type SubmissionId } from '#shared/domain/values/ids.ts';
import { operatorReference } from '#shared/operator/operator-api.ts';
import { sendMetricsTo } from '#shared/runtime/metrics.ts';
import { transact } from '#shared/table/rows/client.ts';
import { analysisKey, pendingDue } from '#shared/table/rows/keys.ts';
import { makeAnalysis } from '../makers/analysis.ts';
import { bench, timed, verdict } from './bench.ts';
import { BUDGETS } from './budgets.ts';
import { silenceLog } from './own-time.ts';

const TOKEN = 'the-operator-token';
/** One row of the printed table. Each is measured in a process of its own. */
interface Case {
  readonly count: number;
  readonly shards: number;
  readonly batches: boolean;
  readonly answerMs: number;
  /** The most seconds that the run may take. */
  readonly budget?: number;
}
const ONE = { shards: 1, answerMs: 100 } as const;
const CASES: readonly Case[] = [
  { ...ONE, count: 1_000, batches: false, budget: BUDGETS[15].oneEach },
  { ...ONE, count: 10_000, batches: false },
  { ...ONE, count: 1_000, batches: true, budget: BUDGETS[15].inBatches },
  { ...ONE, count: 10_000, batches: true },
  { count: 100_000, shards: 4, answerMs: 300, batches: true, budget: BUDGETS[15].tick },
];
const WIDTH = 13;
/** Rows written in one transaction while the table is filled. */
const ROWS_AT_ONCE = 100;

/** Runs the servers in one process: the peers, and an operator that knows the analyses listed in a file. */
async function serve(): Promise<void> {
  const [{ file, batches, answerMs }] = (await once(process, 'message')) as [
    { file: string; batches: boolean; answerMs: number },
  ];
  const operator = await startOperator({ token: TOKEN, answerMs, batches, dbFile: file });
  await bench(async () => {
    process.send?.({ ...process.env, OPERATOR_URL: operator.url });
    await once(process, 'disconnect');
  });
}

/** Returns pending analyses as submissions of a minute ago have left them, spread evenly over the banks. */
function pending(count: number): Analysis[] {
  const createdAt = Date.now() - 61_000;
  const ids = new Set<AnalysisId>();
  while (ids.size < count) ids.add(drawId<AnalysisId>(createdAt + ids.size));
  return [...ids].map((id, index) => {
    const rowIds = { id, leadId: Number(id) as LeadId, submissionId: Number(id) as SubmissionId, createdAt };
    return makeAnalysis({ ...rowIds, bank: BANKS[index % BANKS.length]!, queryNumber: `Q-${index}` });
  });
}

async function fillTable(analyses: readonly Analysis[]): Promise<void> {
  for (let start = 0; start < analyses.length; start += ROWS_AT_ONCE) {
    await transact(
      analyses.slice(start, start + ROWS_AT_ONCE).map((analysis) => ({
        Put: { Item: { ...analysisKey(analysis, analysis.id), ...pendingDue(analysis), ...analysis } },
      })),
    );
  }
}

/** Writes the file from which the stand-in operator knows the analyses. All of them are pending. */
function writeLedger(file: string, analyses: readonly Analysis[]): void {
  const lines = analyses.map((analysis) => {
    const { id, bank, queryNumber } = analysis;
    return JSON.stringify({
      reference: operatorReference(analysis, id),
      bank,
      queryNumber,
      outcome: 'pendente',
      at: 0,
    });
  });
  writeFileSync(file, `${lines.join('\n')}\n`);
}

/**
 * Runs the poller on all shards. `heap` is the most megabytes that the heap held at any second, after a garbage
 * collection.
 */
async function run(shards: number) {
  let heap = 0;
  const watch = setInterval(() => {
    globalThis.gc?.();
    heap = Math.max(heap, process.memoryUsage().heapUsed / 2 ** 20);
  }, 1_000);
  const context = { getRemainingTimeInMillis: () => 900_000 } as Context;
  // On AWS the shards run in containers of their own. Here they share a thread.
  const time = timestamp(Date.now());
  const runShards = () =>
    Promise.all(Array.from({ length: shards }, (_, shard) => handler({ time, shard, shards }, context)));
  const { wall, cpu } = await timed(runShards);
  clearInterval(watch);
  return { seconds: wall / 1000, cpu: cpu * 1000, heap };
}

/** Starts servers with the pending analyses, runs the poller on them, and prints a row of the table. */
async function measure({ count, shards, batches, answerMs, budget }: Case): Promise<void> {
  silenceLog();
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-bench-'));
  const end = () => process.exit();
  process.once('disconnect', end);
  const child: ChildProcess = fork(import.meta.filename, ['serve']);
  try {
    const analyses = pending(count);
    const file = join(folder, 'operator.jsonl');
    writeLedger(file, analyses);
    child.send({ file, batches, answerMs });
    const [environment] = (await once(child, 'message')) as [NodeJS.ProcessEnv];
    Object.assign(process.env, environment);
    await fillTable(analyses);
    // Frees the memory of the analyses, which is no part of the run.
    analyses.length = 0;
    // Nobody reads the metrics here, and a terminal would slow them down.
    sendMetricsTo(() => {});
    const { seconds, cpu, heap } = await run(shards);
    const operator = `${answerMs} ms, ${batches ? 100 : 1}`;
    const cells = [count, shards, operator, seconds.toFixed(2), (cpu / count).toFixed(0), heap.toFixed(0)];
    console.log(cells.map((cell) => String(cell).padStart(WIDTH)).join(''));
    if (budget !== undefined)
      verdict(`15 ${count} pending, ${batches ? 'in batches' : 'one each'}`, seconds, budget, ' s');
  } finally {
    child.disconnect();
    process.removeListener('disconnect', end);
    rmSync(folder, { recursive: true, force: true });
    process.disconnect?.();
  }
}

/**
 * Measures rows of the table. Numbers on the command line choose them, counted from 0; without a number, all rows are
 * measured. Each row needs a process of its own, because clients keep the addresses that they began with.
 */
async function benchAll(): Promise<void> {
  const heads = 'pending,shards,operator,seconds,CPU us each,heap MB';
  console.log(heads.replace(/[^,]+,?/g, (head) => head.replace(',', '').padStart(WIDTH)));
  const wanted = process.argv.slice(2).map(Number);
  for (const [index] of CASES.entries()) {
    if (wanted.length > 0 && !wanted.includes(index)) continue;
    const options = { execArgv: [...process.execArgv, '--expose-gc'] };
    await once(fork(import.meta.filename, ['measure', String(index)], options), 'exit');
  }
}

const [, , mode, index] = process.argv;
if (mode === 'serve') await serve();
else if (mode === 'measure') await measure(CASES[Number(index)]!);
else await benchAll();
