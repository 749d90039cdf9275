/**
 * What a function costs beside the work that it was called for: its start and first call over a bare start of Node, its
 * own processor time without the SDK's, and its memory after 100,000 calls. Prints medians and ratios; never fails.
 * `npm run bench:functions`; shared/performance.md's budgets 11, 12, 14 and 17.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { build } from 'esbuild';
import { handler as submitHandler } from '../../functions/api/analyses/submit-analyses.ts';
import { handler as getLeadHandler } from '../../functions/api/leads/get-lead.ts';
import { BUNDLING } from '../../infra/bundle.ts';
import { synthesise } from '../../infra/local/assembly.ts';
import { getHealth, getLead, type Route, submitAnalyses } from '../../shared/contract/routes.ts';
import { sendMetricsTo } from '../../shared/runtime/metrics.ts';
import { tableClient } from '../../shared/table/client.ts';
import { api } from '../makers/api.ts';
import { type CallOptions, gatewayEvent, lambdaContext } from '../makers/call.ts';
import { makePartner, startPeers } from '../makers/peers.ts';
import { analysisBody, leadBody } from '../makers/people.ts';

const STARTS = 15;
const CALLS = 2_000;
const ROUNDS = 7;
const MANY = 100_000;

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyResult>;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Milliseconds of a process of Node, from its start to its end. Throws where it fails. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`node ${args[0]} ended with ${code}`);
  return performance.now() - begun;
}

/** A bundle to start, the call that it gets, and what it may take. */
interface Start {
  readonly name: string;
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: unknown;
  readonly budget?: number;
}

/** Start and first call of bundles, against bare starts that alternate with them. */
async function starts(folder: string, all: readonly Start[]): Promise<void> {
  const bare: number[] = [];
  const taken = new Map(all.map(({ name }) => [name, [] as number[]]));
  const program = join(folder, 'first-call.mjs');
  writeFileSync(
    program,
    `const { handler } = await import(process.env.BUNDLE);
    const { statusCode } = await handler(JSON.parse(process.env.EVENT), { getRemainingTimeInMillis: () => 28000 });
    process.exit(statusCode === 200 ? 0 : 1);`,
  );
  for (let round = 0; round < STARTS; round++) {
    bare.push(await run(['-e', '0'], process.env));
    for (const { name, bundle, environment, event } of all) {
      const own = { POWERTOOLS_TRACE_ENABLED: 'false', BUNDLE: bundle, EVENT: JSON.stringify(event) };
      taken.get(name)!.push(await run([program], { ...process.env, ...environment, ...own }));
    }
  }
  console.log(`start and first call, bare node ${median(bare).toFixed(0)} ms (median of ${STARTS})`);
  for (const { name, budget } of all) {
    const own = taken.get(name)!;
    // Pairs that ran one after the other share what the machine did meanwhile.
    const ratio = median(own.map((one, index) => one / bare[index]!));
    const against = budget === undefined ? '' : ` (budget ${budget})`;
    console.log(`  ${name}: ${median(own).toFixed(0)} ms, ${ratio.toFixed(2)} times bare${against}`);
  }
  const [first, , express] = all.map(({ name }) => taken.get(name)!);
  const ratio = median(first!.map((one, index) => one / express![index]!));
  console.log(`  ${all[0]!.name} over the same on Express: ${ratio.toFixed(2)} (budget 0.70)`);
}

/** Bundles the Express application as functions are bundled; gives its file. */
async function expressBundle(folder: string): Promise<string> {
  const project = join(import.meta.dirname, '../..');
  const target = join(folder, 'express.mjs');
  const { outExtension: _, sourcemap: __, ...options } = BUNDLING;
  await build({
    ...options,
    write: true,
    absWorkingDir: project,
    entryPoints: ['test/bench/express-get-lead.ts'],
    outfile: target,
  });
  return target;
}

/**
 * Lets the table's client answer from memory what it has answered to one call, in the same order, until the function
 * that it gives is called: what is left is the function's own work.
 */
async function fromMemory(call: () => Promise<unknown>): Promise<{ next(): void; end(): void }> {
  const client = tableClient();
  const send = client.send;
  const answers: unknown[] = [];
  client.send = (async (...command: unknown[]) => {
    const answer = await Reflect.apply(send, client, command);
    answers.push(answer);
    return answer;
  }) as typeof send;
  await call();
  let at = 0;
  client.send = (async () => answers[at++]) as typeof send;
  return {
    next: () => {
      at = 0;
    },
    end: () => {
      client.send = send;
    },
  };
}

/** A call that is made again and again; a wrong answer ends the program. */
function repeated(handler: Handler, route: Route, options: CallOptions, expected: number) {
  const event = gatewayEvent(route, options);
  return async () => {
    const { statusCode, body } = await handler({ ...event }, lambdaContext());
    if (statusCode !== expected) throw new Error(`${route.operation} answered ${statusCode}: ${body}`);
  };
}

/** Microseconds of processor time a call, without the SDK's. */
async function ownTime(name: string, call: () => Promise<void>, budget: string): Promise<void> {
  const memory = await fromMemory(call);
  const perCall: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < CALLS; at++) {
      memory.next();
      await call();
    }
    const { user, system } = process.cpuUsage(before);
    perCall.push((user + system) / CALLS);
  }
  memory.end();
  // The first rounds are compiled while they run.
  const settled = perCall.slice(2);
  console.log(`${name}: ${median(settled).toFixed(0)} microseconds of its own a call (${budget})`);
}

async function heap(name: string, call: () => Promise<void>): Promise<void> {
  if (!globalThis.gc) throw new Error('node must be started with --expose-gc');
  const memory = await fromMemory(call);
  const used = () => {
    globalThis.gc!();
    return process.memoryUsage().heapUsed / 1024 ** 2;
  };
  const calls = async (count: number) => {
    for (let at = 0; at < count; at++) {
      memory.next();
      await call();
    }
  };
  await calls(MANY / 20);
  const before = used();
  await calls(MANY);
  const grown = used() - before;
  memory.end();
  console.log(
    `${name}: heap ${before.toFixed(1)} MB, ${grown >= 0 ? '+' : ''}${grown.toFixed(1)} MB after ${MANY} calls (budget + 5)`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'partner-credit-bench-'));
try {
  await synthesise(join(import.meta.dirname, '../..'), folder);
  const peers = await startPeers(folder);
  sendMetricsTo(() => {});
  try {
    const { keys } = await makePartner();
    const key = keys.sandbox;
    const lead = Number((await api('createLead', { key, body: leadBody() })).body.lead_id);
    const event = gatewayEvent(getLead, { key, id: lead });
    const planned = (operation: string) => peers.blueprint.functions.find((plan) => plan.operation === operation)!;
    const start = (operation: string) => {
      const { folder: code, environment } = planned(operation);
      return { name: operation, bundle: join(code, 'index.mjs'), environment };
    };
    const { environment } = start('get-lead');
    await starts(folder, [
      { ...start('get-lead'), event, budget: 3.75 },
      { ...start('get-health'), event: gatewayEvent(getHealth, {}), budget: 1.2 },
      { name: 'get-lead on Express 5', bundle: await expressBundle(folder), environment, event },
    ]);
    const submit = {
      key,
      body: analysisBody(lead, { bancos: ['itau', 'bradesco'] }),
      headers: { 'idempotency-key': 'b' },
    };
    await ownTime(
      'POST /v1/analises, two banks',
      repeated(submitHandler as Handler, submitAnalyses, submit, 202),
      'budget 60',
    );
    const read = repeated(getLeadHandler as Handler, getLead, { key, id: lead }, 200);
    await ownTime('GET /v1/leads/{id}', read, 'no budget');
    await heap('GET /v1/leads/{id}', read);
  } finally {
    await peers.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// The SDK's idle connections would hold the process for a while.
process.exit();
