/**
 * Measures what a function costs in addition to the work that it was called for, and never fails:
 * - its start and first call, compared with a bare start of Node and with the SDK without our code;
 * - its own processor time, without the SDK's;
 * - its heap after 100,000 calls.
 *
 * The starts of get-lead on Express are printed next to these. Prints medians, ratios and whether the budgets are
 * met (test/bench/README.md, budgets 11, 12, 14 and 17).
 * `npm run bench:functions`; `-- --starts=5` for fewer rounds.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { handler as submitHandler } from '#functions/api/analyses/submit-analyses.ts';
import { handler as getLeadHandler } from '#functions/api/leads/get-lead.ts';
import { BUNDLING } from '#infra/bundle.ts';
import { createSimulation, getHealth, getLead, type Route, submitAnalyses } from '#shared/contract/routes.ts';
import { api } from '../makers/api.ts';
import { type CallOptions, gatewayEvent } from '../makers/call.ts';
import { makePartner } from '../makers/peers.ts';
import { analysisBody, leadBody, simulationBody } from '../makers/people.ts';
import { bench, median, PROJECT, ratioOf, verdict } from './bench.ts';
import { BUDGETS } from './budgets.ts';
import { slowness } from './machine.ts';
import { type Handler, heapOver, ownTime, repeated, silenceLog } from './own-time.ts';
import { measureStarts, type Start, type StartTimes } from './starts.ts';
import { behindTls } from './tls.ts';

const { values: options } = parseArgs({ options: { starts: { type: 'string', default: '15' } } });
const STARTS = Number(options.starts);
const SDK_ALONE = 'sdk-alone';
const ENDPOINTS = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_SECRETS_MANAGER'];

const ON_EXPRESS = 'get-lead on Express';
const TWO_BANKS = ['itau', 'bradesco'];

type Wire = 'http' | 'TLS';

/**
 * An endpoint to measure. `ofSdk` is how many times the wall time of the SDK without our code it may take
 * (test/bench/README.md, budget 12).
 */
interface Measured {
  readonly route: Route;
  readonly options: () => CallOptions;
  readonly expected: number;
  readonly ofSdk?: Readonly<Record<Wire, number>>;
}

/**
 * Bundles the two programs that our functions are compared with, and returns the folder of their files. The first is
 * the SDK without our code, trimmed as in our bundles. The second is get-lead as a team would build it with Express and
 * esbuild: a minified ES module with the SDK as it is published.
 */
async function twinBundles(folder: string): Promise<string> {
  const common = { ...BUNDLING, write: true, sourcemap: false, absWorkingDir: PROJECT, outdir: folder } as const;
  await build({ ...common, entryPoints: [`test/bench/${SDK_ALONE}.ts`] });
  await build({ ...common, alias: {}, plugins: [], entryPoints: { [ON_EXPRESS]: 'test/bench/express-get-lead.ts' } });
  return folder;
}

const milliseconds = (value: number) => `${value.toFixed(0)} ms`.padStart(7);

interface Starts {
  readonly bare: readonly number[];
  readonly timesByName: ReadonlyMap<string, readonly StartTimes[]>;
}

function printStarts(how: string, { bare, timesByName }: Starts): void {
  console.log(
    `\nstart and first call over ${how}, medians of ${STARTS}; bare node ${milliseconds(median(bare)).trim()}`,
  );
  console.log('  load    first   second  wall    /bare');
  for (const [name, times] of timesByName) {
    const valuesOf = (part: keyof StartTimes) => times.map((start) => start[part]);
    const parts = (['load', 'first', 'second', 'wall'] as const).map((part) => milliseconds(median(valuesOf(part))));
    console.log(`${parts.join(' ')}  ${ratioOf(valuesOf('wall'), bare).toFixed(2).padStart(5)}  ${name}`);
  }
}

/** Prints which budgets of starts and first calls are met. */
function judgeStarts(wire: Wire, measured: readonly Measured[], { bare, timesByName }: Starts, slower: number): void {
  const valuesOf = (name: string, part: keyof StartTimes = 'wall') =>
    timesByName.get(name)!.map((start) => start[part]);
  if (wire === 'http')
    verdict('11 (a) get-lead, wall / bare', ratioOf(valuesOf('get-lead'), bare), BUDGETS[11].overBareNode);
  const { firstOverSecondCall, firstCallMs, healthOverBareNode } = BUDGETS[11];
  const firstToSecond = ratioOf(valuesOf('get-lead', 'first'), valuesOf('get-lead', 'second'));
  verdict('11 (b) get-lead, first / second call', firstToSecond, firstOverSecondCall);
  verdict('11 (b) get-lead, first call', median(valuesOf('get-lead', 'first')) / slower, firstCallMs, ' ms');
  verdict('11 get-health, wall / bare', ratioOf(valuesOf('get-health'), bare), healthOverBareNode);
  for (const { route, ofSdk } of measured) {
    if (ofSdk !== undefined)
      verdict(
        `12 ${route.operation} / the SDK alone, wall`,
        ratioOf(valuesOf(route.operation), valuesOf(SDK_ALONE)),
        ofSdk[wire],
      );
  }
  console.log(
    `          get-lead is ${ratioOf(valuesOf('get-lead'), valuesOf(ON_EXPRESS)).toFixed(2)} of the same on Express`,
  );
}

async function printOwnTime(name: string, call: () => Promise<void>, budget: number, slower: number): Promise<void> {
  const { own, reference } = await ownTime(call);
  verdict(`14 ${name}, own processor time`, own / slower, budget, ' microseconds');
  console.log(
    `          ${(own / reference).toFixed(2)} times the reference loop of ${reference.toFixed(0)} microseconds`,
  );
}

await bench(async (peers, folder) => {
  silenceLog();
  const { keys } = await makePartner();
  const key = keys.sandbox;
  const lead = Number((await api('createLead', { key, body: leadBody() })).body.lead_id);
  const measured: readonly Measured[] = [
    { route: getLead, options: () => ({ key, id: lead }), expected: 200, ofSdk: BUDGETS[12]['get-lead'] },
    {
      route: submitAnalyses,
      options: () => ({ key, body: analysisBody(lead, { bancos: TWO_BANKS }), once: randomUUID() }),
      expected: 202,
      ofSdk: BUDGETS[12]['asking banks'],
    },
    {
      route: createSimulation,
      options: () => ({ key, body: simulationBody(lead, { bancos: TWO_BANKS }), once: randomUUID() }),
      expected: 200,
      ofSdk: BUDGETS[12]['asking banks'],
    },
    { route: getHealth, options: () => ({}), expected: 200 },
  ];
  const twins = await twinBundles(join(folder, 'twins'));
  const planOf = (operation: string) => peers.blueprint.functions.find((plan) => plan.operation === operation)!;
  const starts: readonly Start[] = measured.map(({ route, options: optionsOf, expected }) => {
    const { folder: code, environment } = planOf(route.operation);
    const bundle = join(code, 'index.mjs');
    return { name: route.operation, bundle, environment, event: () => gatewayEvent(route, optionsOf()), expected };
  });
  const [getLeadStart] = starts;
  const comparisons = [
    { ...getLeadStart!, name: ON_EXPRESS, bundle: join(twins, `${ON_EXPRESS}.mjs`) },
    { ...getLeadStart!, name: SDK_ALONE, bundle: join(twins, `${SDK_ALONE}.mjs`), event: () => ({}) },
  ];
  const addresses = Object.fromEntries(ENDPOINTS.map((name) => [name, process.env[name]!]));
  const plain = await measureStarts(folder, STARTS, [...starts, ...comparisons], {});
  printStarts('http', plain);
  const tls = await behindTls(folder, addresses);
  const encrypted = await measureStarts(folder, STARTS, [...starts, ...comparisons], tls.environment);
  tls.close();
  printStarts('TLS', encrypted);
  const slower = slowness();
  console.log(`\nthis machine is ${slower.toFixed(2)} times as slow as that of the budgets: times are divided by it`);
  console.log('over http');
  judgeStarts('http', measured, plain, slower);
  console.log('over TLS');
  judgeStarts('TLS', measured, encrypted, slower);
  console.log('in this process');
  const submit = repeated(submitHandler as Handler, submitAnalyses, measured[1]!.options, 202);
  await printOwnTime('POST /v1/analises, two banks', submit, BUDGETS[14].submitting, slower);
  const read = repeated(getLeadHandler as Handler, getLead, measured[0]!.options, 200);
  await printOwnTime('GET /v1/leads/{id}', read, BUDGETS[14].reading, slower);
  const { before, after, calls } = await heapOver(read);
  verdict(
    `17 heap of GET after ${calls} calls, from ${before.toFixed(1)} MB, grown by`,
    after - before,
    BUDGETS[17].grownHeap,
    ' MB',
  );
});
