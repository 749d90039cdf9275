/**
 * What a run of the poller costs (performance.md, budgets 8 and 15): 1,000 and 10,000 pending analyses and an operator that
 * answers in 100 ms, one each and in batches; and a tick of four shards over 100,000 with an operator that takes 300 ms.
 * Table, queue and operator are servers in processes of their own, so the CPU is the poller's. Prints wall time, CPU per
 * analysis, memory, calls to the operator and table units, with news and without, and whether the budgets are met; never fails.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import { handler } from '../../functions/pollers/poll-bank-outcomes.ts';
import { startOperator } from '../../infra/local/operator/operator.ts';
import type { Analysis } from '../../shared/domain/analyses/analysis.ts';
import { BANKS } from '../../shared/domain/values/bank.ts';
import { type AnalysisId, drawId, type LeadId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import { operatorReference } from '../../shared/operator/operator-api.ts';
import { sendMetricsTo } from '../../shared/runtime/metrics.ts';
import { tableClient, transact } from '../../shared/table/client.ts';
import { analysisKey, pendingDue } from '../../shared/table/keys.ts';
import { countUnits } from '../makers/counting.ts';
import { bench } from './bench.ts';

const TOKEN = 'the-operator-token';
/** One line of the table, each measured in a process of its own. */
interface Case {
  readonly count: number;
  readonly shards: number;
  readonly batches: boolean;
  readonly answerMs: number;
  readonly outcome: 'pendente' | 'aprovado';
  /** The most seconds that it may take. */
  readonly budget?: number;
}
const QUIET = { shards: 1, answerMs: 100, outcome: 'pendente' } as const;
/** Seconds of a tick in which work may begin. */
const TICK = 40;
const CASES: readonly Case[] = [
  { ...QUIET, count: 1_000, batches: false, budget: 6.5 },
  { ...QUIET, count: 10_000, batches: false },
  { ...QUIET, count: 1_000, batches: true, budget: 1.2 },
  { ...QUIET, count: 10_000, batches: true },
  { ...QUIET, count: 1_000, batches: true, outcome: 'aprovado' },
  { ...QUIET, count: 100_000, shards: 4, answerMs: 300, batches: true, budget: TICK },
];
const PENDING_TEXT = 'Em análise';
const WIDTH = 13;
/** Rows of one writing transaction while the table is filled. */
const ROWS_AT_ONCE = 100;

/** The servers' side: the peers, and an operator that knows what a file lists, in one process. */
async function serve(): Promise<void> {
  const [{ file, batches, answerMs }] = (await once(process, 'message')) as [
    { file: string; batches: boolean; answerMs: number },
  ];
  const operator = await startOperator({ token: TOKEN, answerMs, batches, dbFile: file });
  await bench(async () => {
    process.on('message', () => process.send?.(operator.control.state().calls));
    process.send?.({ ...process.env, OPERATOR_URL: operator.url, POWERTOOLS_LOG_LEVEL: 'SILENT' });
    await once(process, 'disconnect');
  });
}

/** Pending analyses as submissions a minute ago have left them, one in six at each bank. */
function pending(count: number): Analysis[] {
  const createdAt = Date.now() - 61_000;
  const ids = new Set<AnalysisId>();
  while (ids.size < count) ids.add(drawId<AnalysisId>(createdAt + ids.size));
  return [...ids].map((id, index) => ({
    id,
    unitId: 11 as UnitId,
    environment: 'producao',
    partnerId: 3 as PartnerId,
    leadId: id as number as LeadId,
    bank: BANKS[index % BANKS.length]!,
    submissionId: id as number as Analysis['submissionId'],
    situation: 'em_analise',
    queryNumber: `Q-${index}`,
    rawStatus: PENDING_TEXT,
    sequence: 0,
    createdAt,
  }));
}

async function fillTable(analyses: readonly Analysis[]): Promise<void> {
  for (let start = 0; start < analyses.length; start += ROWS_AT_ONCE) {
    await transact(
      analyses.slice(start, start + ROWS_AT_ONCE).map((analysis) => ({
        Put: {
          Item: {
            ...analysisKey(analysis, analysis.id),
            ...pendingDue(analysis),
            ...analysis,
          },
        },
      })),
    );
  }
}

/** The file from which the stand-in operator knows the analyses; `outcome` is what it says of them. */
function writeLedger(file: string, analyses: readonly Analysis[], outcome: string): void {
  const lines = analyses.map((analysis) =>
    JSON.stringify({
      reference: operatorReference(analysis, analysis.id),
      bank: analysis.bank,
      queryNumber: analysis.queryNumber,
      outcome,
      at: 0,
    }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
}

interface Measured {
  readonly seconds: number;
  /** Microseconds of this process. */
  readonly cpu: number;
  /** Most that was alive on the heap at any second, after a collection, in MB. */
  readonly heap: number;
  readonly units: ReturnType<typeof countUnits>['units'];
}

async function run(shards: number): Promise<Measured> {
  const { units } = countUnits(tableClient());
  let heap = 0;
  const watch = setInterval(() => {
    globalThis.gc?.();
    heap = Math.max(heap, process.memoryUsage().heapUsed);
  }, 1_000);
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  // The shards run in containers of their own; here they share a thread.
  await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      handler({ shard, shards }, { getRemainingTimeInMillis: () => 900_000 } as Context),
    ),
  );
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(watch);
  return { seconds: (performance.now() - began) / 1000, cpu: user + system, heap: heap / 2 ** 20, units };
}

/** Servers with so many pending analyses, a run on them, and its row of the table. */
async function measure({ count, shards, batches, answerMs, outcome, budget }: Case): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-bench-'));
  const end = () => process.exit();
  process.once('disconnect', end);
  const child: ChildProcess = fork(import.meta.filename, ['serve']);
  try {
    const analyses = pending(count);
    const file = join(folder, 'operator.jsonl');
    writeLedger(file, analyses, outcome);
    child.send({ file, batches, answerMs });
    const [environment] = (await once(child, 'message')) as [NodeJS.ProcessEnv];
    Object.assign(process.env, environment);
    await fillTable(analyses);
    // What the servers were told and the rows made from is no part of the run.
    analyses.length = 0;
    // Nobody reads the metrics here, and a terminal would be their bottleneck.
    sendMetricsTo(() => {});
    const { seconds, cpu, heap, units } = await run(shards);
    child.send({});
    const [calls] = (await once(child, 'message')) as [{ query: number; batch: number }];
    const met = budget === undefined ? '' : `${seconds <= budget ? 'met' : 'not met'}: ${budget} s`;
    const cells = [
      count,
      shards,
      batches ? `${answerMs} ms, 100` : `${answerMs} ms, 1`,
      outcome === 'pendente' ? 'none' : 'all',
      seconds.toFixed(2),
      (cpu / count).toFixed(0),
      heap.toFixed(0),
      (calls.query + calls.batch) / count,
      (units.read / count).toFixed(3),
      (units.write / count).toFixed(3),
      (units.calls.length / count).toFixed(2),
      met,
    ];
    console.log(cells.map((cell) => String(cell).padStart(WIDTH)).join(''));
  } finally {
    child.disconnect();
    process.removeListener('disconnect', end);
    rmSync(folder, { recursive: true, force: true });
    process.disconnect?.();
  }
}

/**
 * Clients keep the addresses that they began with, so each row of the table is measured in a process of its own. Numbers
 * on the command line choose rows, from 0.
 */
async function benchAll(): Promise<void> {
  const heads =
    'pending,shards,operator,news,seconds,CPU us each,heap MB,asked each,RCU each,WCU each,calls each,budget'.split(
      ',',
    );
  console.log(heads.map((head) => head.padStart(WIDTH)).join(''));
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
