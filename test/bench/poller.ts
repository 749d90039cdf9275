/**
 * What a run of the poller costs: 1,000 and 10,000 pending analyses, a operator that answers in 100 ms, 20 questions at a
 * time. Table, queue and operator are servers in processes of their own, so the CPU is the poller's. Prints wall time per
 * 1,000, CPU per analysis, memory and table units, with news and without; never fails.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import { handler } from '../../functions/pollers/poll-bank-outcomes.ts';
import { synthesise } from '../../infra/local/assembly.ts';
import { CREDENTIALS, makeTable, startDynamoDb } from '../../infra/local/aws/dynamodb.ts';
import { startQueues } from '../../infra/local/aws/queues.ts';
import { SecretStore, startSecrets } from '../../infra/local/aws/secrets.ts';
import { blueprintOf, type QueuePlan } from '../../infra/local/blueprint.ts';
import { startOperator } from '../../infra/local/operator/operator.ts';
import { REGION, readAssembly, Template } from '../../infra/local/template.ts';
import type { Analysis } from '../../shared/domain/analyses/analysis.ts';
import { BANKS } from '../../shared/domain/values/bank.ts';
import { type AnalysisId, drawId, type LeadId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import { operatorReference } from '../../shared/operator/operator-api.ts';
import { sendMetricsTo } from '../../shared/runtime/metrics.ts';
import { tableClient, transact } from '../../shared/table/client.ts';
import { analysisKey, analysisList, pendingDue } from '../../shared/table/keys.ts';
import { newServiceKeys } from '../../shared/table/service-keys.ts';
import { countUnits } from '../makers/counting.ts';

const TOKEN = 'the-operator-token';
const ANSWER_MS = 100;
const SIZES = [1_000, 10_000];
const PENDING_TEXT = 'Em análise';
/** Rows of one writing transaction while the table is filled. */
const BATCH = 50;

/** The servers' side: a operator that knows what a file lists, and the queues, in one process. */
async function serve(): Promise<void> {
  const [{ file }] = (await once(process, 'message')) as [{ file: string }];
  const queues = await startQueues();
  const operator = await startOperator({ token: TOKEN, answerMs: ANSWER_MS, dbFile: file });
  process.on('message', ({ plans }: { plans: QueuePlan[] }) => {
    queues.make(plans);
    process.send?.('made');
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ operator: operator.url, queues: queues.endpoint });
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
  for (let start = 0; start < analyses.length; start += BATCH) {
    await transact(
      analyses.slice(start, start + BATCH).map((analysis) => ({
        Put: {
          Item: {
            ...analysisKey(analysis, analysis.id),
            ...analysisList(analysis, analysis.leadId, analysis.id),
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

async function run(): Promise<Measured> {
  const { units } = countUnits(tableClient());
  let heap = 0;
  const watch = setInterval(() => {
    globalThis.gc?.();
    heap = Math.max(heap, process.memoryUsage().heapUsed);
  }, 1_000);
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  await handler({ shard: 0, shards: 1 }, { getRemainingTimeInMillis: () => 900_000 } as Context);
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(watch);
  return { seconds: (performance.now() - began) / 1000, cpu: user + system, heap: heap / 2 ** 20, units };
}

/** Servers with so many pending analyses, a run on them, and its row of the table. */
async function measure(count: number, outcome: 'pendente' | 'aprovado'): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-bench-'));
  const end = () => process.exit();
  process.once('disconnect', end);
  const child: ChildProcess = fork(import.meta.filename, ['serve']);
  const dynamoDb = await startDynamoDb(folder, undefined, console.error);
  const store = new SecretStore(undefined);
  const secrets = await startSecrets(store);
  try {
    const analyses = pending(count);
    const file = join(folder, 'operator.jsonl');
    writeLedger(file, analyses, outcome);
    child.send({ file });
    const [servers] = (await once(child, 'message')) as [{ operator: string; queues: string }];
    await synthesise(join(import.meta.dirname, '../..'), join(folder, 'assembly'));
    const blueprint = blueprintOf(new Template(readAssembly(join(folder, 'assembly')), servers.queues));
    child.send({ plans: blueprint.queues });
    await once(child, 'message');
    await makeTable(dynamoDb.endpoint, blueprint, true);
    store.make(blueprint.secrets);
    for (const { name } of blueprint.secrets)
      store.initialise(name, name.endsWith('/keys') ? newServiceKeys : () => TOKEN);
    Object.assign(process.env, ...blueprint.functions.map(({ environment }) => environment), {
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
      AWS_ENDPOINT_URL_SQS: servers.queues,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
      OPERATOR_URL: servers.operator,
      POWERTOOLS_LOG_LEVEL: 'SILENT',
      POWERTOOLS_TRACE_ENABLED: 'false',
    });
    await fillTable(analyses);
    // What the servers were told and the rows made from is no part of the run.
    analyses.length = 0;
    // Nobody reads the metrics here, and a terminal would be their bottleneck.
    sendMetricsTo(() => {});
    const { seconds, cpu, heap, units } = await run();
    const cells = [
      count,
      outcome === 'pendente' ? 'none' : 'all',
      ((seconds / count) * 1000).toFixed(2),
      (cpu / count).toFixed(0),
      heap.toFixed(0),
      (units.read / count).toFixed(3),
      (units.write / count).toFixed(3),
      (units.calls.length / count).toFixed(2),
    ];
    console.log(cells.map((cell) => String(cell).padStart(12)).join(''));
  } finally {
    child.disconnect();
    process.removeListener('disconnect', end);
    await Promise.all([dynamoDb.close(), secrets.close()]);
    rmSync(folder, { recursive: true, force: true });
    process.disconnect?.();
  }
}

/** Clients keep the addresses that they began with, so each row of the table is measured in a process of its own. */
async function bench(): Promise<void> {
  console.log(`operator answers in ${ANSWER_MS} ms, 20 at a time: the floor is 5.00 s per 1,000`);
  const heads = ['pending', 'news', 's per 1,000', 'CPU us each', 'heap MB', 'RCU each', 'WCU each', 'calls each'];
  console.log(heads.map((head) => head.padStart(12)).join(''));
  const rows = [...SIZES.map((size) => [size, 'pendente'] as const), [SIZES[0]!, 'aprovado'] as const];
  for (const [size, outcome] of rows) {
    const arguments_ = ['measure', String(size), outcome];
    await once(fork(import.meta.filename, arguments_, { execArgv: [...process.execArgv, '--expose-gc'] }), 'exit');
  }
}

const [, , mode, size, outcome] = process.argv;
if (mode === 'serve') await serve();
else if (mode === 'measure') await measure(Number(size), outcome === 'aprovado' ? 'aprovado' : 'pendente');
else await bench();
