/**
 * What a function costs beside the work that it was called for: its start and first call over a bare start of Node and
 * over the SDK alone, its own processor time without the SDK's, and its memory after 100,000 calls. The same endpoint on
 * Express is printed beside it. Prints medians, ratios and whether budgets 11, 12, 14 and 17 of shared/performance.md are met; never fails.
 * `npm run bench:functions`; `-- --starts=5` for fewer rounds.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { handler as submitHandler } from '../../functions/api/analyses/submit-analyses.ts';
import { handler as getLeadHandler } from '../../functions/api/leads/get-lead.ts';
import { BUNDLING } from '../../infra/bundle.ts';
import { createSimulation, getHealth, getLead, type Route, submitAnalyses } from '../../shared/contract/routes.ts';
import { api } from '../makers/api.ts';
import { type CallOptions, gatewayEvent } from '../makers/call.ts';
import { makePartner } from '../makers/peers.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
import { bench, median, PROJECT } from './bench.ts';
import { slowness } from './machine.ts';
import { type Handler, heapOver, ownTime, repeated, silenceLog } from './own-time.ts';
import { measureStarts, type Start, type Taken } from './starts.ts';
import { behindTls } from './tls.ts';

const { values: options } = parseArgs({ options: { starts: { type: 'string', default: '15' } } });
const STARTS = Number(options.starts);
const SDK_ALONE = 'sdk-alone';
const ENDPOINTS = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_SECRETS_MANAGER'];

const onExpress = (operation: string) => `${operation} on Express`;

/** An endpoint that is measured, and how much of the SDK's time alone it may take (budget 12). */
interface Measured {
  readonly route: Route;
  readonly options: () => CallOptions;
  readonly expected: number;
  readonly ofSdk?: number;
}

/**
 * Bundles what the functions are measured beside: `sdk-alone` with the trimmings of our bundles, and the Express
 * applications as a team would that adds esbuild to Express: minified ES modules, the SDK as it is published. Gives the
 * folder of their files.
 */
async function twinBundles(folder: string, operations: readonly string[]): Promise<string> {
  const common = { ...BUNDLING, write: true, sourcemap: false, absWorkingDir: PROJECT, outdir: folder } as const;
  await build({ ...common, entryPoints: [`test/bench/${SDK_ALONE}.ts`] });
  const onExpress = operations.map((operation) => `test/bench/express/${operation}.ts`);
  await build({ ...common, alias: {}, plugins: [], entryPoints: onExpress });
  return folder;
}

/** Median of the ratios of two lists: pairs that ran one after the other share what the machine did meanwhile. */
const ratioOf = (some: readonly number[], others: readonly number[]) =>
  median(some.map((one, index) => one / others[index]!));

const milliseconds = (value: number) => `${value.toFixed(0)} ms`.padStart(7);

function verdict(name: string, value: number, budget: number, unit = ''): void {
  console.log(
    `  ${value <= budget ? 'met    ' : 'NOT MET'} ${name}: ${value.toFixed(2)}${unit} (budget ${budget}${unit})`,
  );
}

function printStarts(how: string, { bare, taken }: { bare: number[]; taken: Map<string, Taken[]> }): void {
  console.log(
    `\nstart and first call over ${how}, medians of ${STARTS}; bare node ${milliseconds(median(bare)).trim()}`,
  );
  console.log('  load    first   second  wall    /bare');
  for (const [name, all] of taken) {
    const of = (part: keyof Taken) => all.map((one) => one[part]);
    const parts = (['load', 'first', 'second', 'wall'] as const).map((part) => milliseconds(median(of(part))));
    console.log(`${parts.join(' ')}  ${ratioOf(of('wall'), bare).toFixed(2).padStart(5)}  ${name}`);
  }
}

/** Prints which of the budgets of starts are met. */
function judgeStarts(
  measured: readonly Measured[],
  { bare, taken }: { bare: number[]; taken: Map<string, Taken[]> },
  slower: number,
): void {
  const of = (name: string, part: keyof Taken) => taken.get(name)!.map((one) => one[part]);
  verdict('11 (a) get-lead, wall / bare', ratioOf(of('get-lead', 'wall'), bare), 4.5);
  verdict('11 (b) get-lead, first / second call', ratioOf(of('get-lead', 'first'), of('get-lead', 'second')), 3);
  verdict('11 (b) get-lead, first call', median(of('get-lead', 'first')) / slower, 15, ' ms');
  verdict('11 get-health, wall / bare', ratioOf(of('get-health', 'wall'), bare), 1.2);
  const whole = (name: string) => taken.get(name)!.map(({ wall }) => wall);
  for (const { route, ofSdk } of measured) {
    const { operation } = route;
    if (ofSdk === undefined) continue;
    verdict(`12 ${operation} / the SDK alone, wall`, ratioOf(whole(operation), whole(SDK_ALONE)), ofSdk);
    console.log(
      `          ${ratioOf(whole(operation), whole(onExpress(operation))).toFixed(2)} of the same on Express`,
    );
  }
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
  const once = () => ({ 'idempotency-key': randomUUID() });
  const measured: readonly Measured[] = [
    { route: getLead, options: () => ({ key, id: lead }), expected: 200, ofSdk: 1.25 },
    {
      route: submitAnalyses,
      options: () => ({ key, body: analysisBody(lead, { bancos: ['itau', 'bradesco'] }), headers: once() }),
      expected: 202,
      ofSdk: 1.6,
    },
    {
      route: createSimulation,
      options: () => ({
        key,
        body: { lead_id: lead, valor_imovel: 500000, bancos: ['itau', 'bradesco'] },
        headers: once(),
      }),
      expected: 200,
      ofSdk: 1.6,
    },
    { route: getHealth, options: () => ({}), expected: 200 },
  ];
  const twins = await twinBundles(
    join(folder, 'twins'),
    measured.filter(({ ofSdk }) => ofSdk !== undefined).map(({ route }) => route.operation),
  );
  const starts = measured.flatMap(({ route, options: optionsOf, expected, ofSdk }): Start[] => {
    const { operation } = route;
    const { folder: code, environment } = peers.blueprint.functions.find((plan) => plan.operation === operation)!;
    const shared = { environment, event: () => gatewayEvent(route, optionsOf()), expected };
    const own = { ...shared, name: operation, bundle: join(code, 'index.mjs') };
    const twin = { ...shared, name: onExpress(operation), bundle: join(twins, `${operation}.mjs`) };
    return ofSdk === undefined ? [own] : [own, twin];
  });
  const { environment } = peers.blueprint.functions.find((plan) => plan.operation === getLead.operation)!;
  starts.push({
    name: SDK_ALONE,
    bundle: join(twins, `${SDK_ALONE}.mjs`),
    environment,
    event: () => ({}),
    expected: 200,
  });
  const addresses = Object.fromEntries(ENDPOINTS.map((name) => [name, process.env[name]!]));
  const plain = await measureStarts(folder, STARTS, starts, {});
  printStarts('http', plain);
  const tls = await behindTls(folder, addresses);
  const encrypted = await measureStarts(folder, STARTS, starts, tls.environment);
  tls.close();
  printStarts('TLS', encrypted);
  const slower = slowness();
  console.log(`\nthis machine is ${slower.toFixed(2)} times as slow as that of the budgets: times are divided by it`);
  console.log('over http');
  judgeStarts(measured, plain, slower);
  console.log('over TLS');
  judgeStarts(measured, encrypted, slower);
  console.log('in this process');
  const submit = repeated(submitHandler as Handler, submitAnalyses, measured[1]!.options, 202);
  await printOwnTime('POST /v1/analises, two banks', submit, 300, slower);
  const read = repeated(getLeadHandler as Handler, getLead, measured[0]!.options, 200);
  await printOwnTime('GET /v1/leads/{id}', read, 80, slower);
  const { before, after, calls } = await heapOver(read);
  verdict(`17 heap of GET after ${calls} calls, from ${before.toFixed(1)} MB, grown by`, after - before, 5, ' MB');
});
