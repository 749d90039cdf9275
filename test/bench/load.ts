/**
 * Makes calls at a constant rate, in the mix that `npm run cost` assumes, against the bundles in containers as in the
 * local run. Never fails. Prints figures and which budgets are met:
 * - how long callers wait, and how much of this wait is the local gateway's;
 * - what each operation asks of the table, compared with its budget;
 * - what a container's heap holds, and how many calls a second a container can carry.
 *
 * Then a partner makes calls next to forged keys of that partner, whose checksum is right, for `--flood` seconds.
 * `npm run bench:load` runs 5 minutes at 20 calls a second with 2 containers for each operation, then a minute at 100
 * calls a second with 16.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Containers, lambdaEnvironment } from '#infra/local/aws/containers.ts';
import { startGateway } from '#infra/local/aws/gateway.ts';
import { startOperator } from '#infra/local/operator/operator.ts';
import * as routes from '#shared/contract/routes.ts';
import { makeApiKey } from '#shared/domain/partners/api-key.ts';
import { makePartner } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody, simulationBody } from '../makers/people.ts';
import { bench, median, verdict } from './bench.ts';
import { BUDGETS } from './budgets.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    rate: { type: 'string', default: '20' },
    containers: { type: 'string', default: '2' },
    flood: { type: 'string', default: '5' },
  },
});
const SECONDS = Number(flags.seconds);
const RATE = Number(flags.rate);
const PEOPLE = 20;
/** Forged keys for each call of the partner. */
const FORGED = 5;
const BANKS = ['itau', 'bradesco'];

/** Calls to the table that an operation may make (test/bench/README.md, budgets 2 to 7). */
const MOST_CALLS: Readonly<Record<string, number>> = {
  'create-lead': 3,
  'create-simulation': 4,
  'submit-analyses': 5,
  'list-lead-analyses': 3,
  'list-lead-consents': 3,
  'get-simulation-pdf': 3,
  'get-simulation-comparison': 3,
};
const MOST_CALLS_OF_A_READ = 2;

interface Person {
  readonly cpf: string;
  readonly lead: number;
  readonly simulation: number;
  readonly analysis: number;
}

/** The fields of answers to POST that later calls need. */
interface Created {
  readonly lead_id: number;
  readonly resultado: { readonly resultados: readonly [{ readonly simulacao_id: number }] };
  readonly analises: readonly [{ readonly analise_id: number }];
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Returns a function that draws the next call of the mix: reads of existing rows, and new leads, simulations and
 * submissions.
 */
function mixOf(people: readonly Person[]): () => Call {
  let peopleMade = people.length;
  const anyPerson = () => people[Math.floor(Math.random() * people.length)]!;
  const idOf = (path: string, person: Person) =>
    path.includes('/simulacoes/') ? person.simulation : path.includes('/analises/') ? person.analysis : person.lead;
  const reads = routes.ROUTES.filter(({ method, scope }) => method === 'GET' && scope !== 'public');
  const read = (): Call => {
    const { path } = reads[Math.floor(Math.random() * reads.length)]!;
    return { method: 'GET', path: path.replace('{id}', String(idOf(path, anyPerson()))) };
  };
  const writes: Readonly<Record<string, () => Call>> = {
    'create-lead': () => ({ ...routes.createLead, body: leadBody({ cpf: cpfFrom(++peopleMade) }) }),
    'create-simulation': () => ({
      ...routes.createSimulation,
      body: simulationBody(anyPerson().lead, { bancos: BANKS }),
    }),
    'submit-analyses': () => {
      const { lead, cpf } = anyPerson();
      return { ...routes.submitAnalyses, body: analysisBody(lead, { cpf, bancos: BANKS }) };
    },
  };
  return () => {
    let place = Math.random();
    for (const write of Object.values(writes)) {
      // The mix that infra/cost.ts assumes: a tenth of the calls for each of these operations.
      place -= 0.1;
      if (place < 0) return write();
    }
    return read();
  };
}

/** Figures of a call that its function logs. */
const FIGURES = ['milliseconds', 'table_calls', 'table_units'] as const;

/** Logged figures of calls, by operation and figure. */
const logged = new Map<string, number[]>();
const loggedOf = (operation: string, figure: (typeof FIGURES)[number]) => logged.get(`${operation} ${figure}`) ?? [];

function keepFigures(line: string): void {
  if (!line.includes('"request_completed"')) return;
  const { operation, ...values } = JSON.parse(line) as { operation: string } & Readonly<Record<string, number>>;
  for (const name of FIGURES) logged.set(`${operation} ${name}`, [...loggedOf(operation, name), values[name]!]);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const share = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!;
const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);

async function printOperations(containers: Containers): Promise<void> {
  const heaps = await containers.heapUsed();
  console.log(
    '\n calls  p50 ms  p99 ms  a second*  table calls (most)  units  containers  calls each  heap MB, most  operation',
  );
  for (const { operation } of routes.ROUTES) {
    const latencies = loggedOf(operation, 'milliseconds');
    if (latencies.length === 0) continue;
    const tableCalls = loggedOf(operation, 'table_calls');
    const ownHeaps = heaps.get(operation) ?? [];
    const budget = MOST_CALLS[operation] ?? MOST_CALLS_OF_A_READ;
    const met = Math.max(...tableCalls) <= budget ? 'met' : median(tableCalls) <= budget ? 'met by half' : 'NOT MET';
    const columns = [
      String(latencies.length).padStart(6),
      median(latencies).toFixed(0).padStart(7),
      share(latencies, 0.99).toFixed(0).padStart(7),
      (1000 / Math.max(1, mean(latencies))).toFixed(0).padStart(10),
      `${mean(tableCalls).toFixed(2).padStart(7)} (${Math.max(...tableCalls)}, budget ${budget} ${met})`.padEnd(30),
      mean(loggedOf(operation, 'table_units')).toFixed(1).padStart(6),
      String(ownHeaps.length).padStart(11),
      (latencies.length / ownHeaps.length).toFixed(1).padStart(11),
      megabytes(Math.max(...ownHeaps)).padStart(14),
    ];
    console.log(`${columns.join(' ')}  ${operation}`);
  }
  console.log('* calls that one container carries, one after the other');
}

/**
 * Result of the arrivals. Times are milliseconds from the moment at which a call was due, not from when it was sent.
 */
interface Arrivals {
  readonly times: readonly number[];
  /** Why calls failed: an unexpected status, or no answer. One entry for each failed call. */
  readonly failed: readonly string[];
  /** The largest number of calls that were under way at the same time. */
  readonly most: number;
}

/**
 * Makes calls at a constant rate and does not wait for earlier ones, as independent callers do. So a service that falls
 * behind gets further calls, and its delay shows. `call` returns why a call failed, undefined if it did not.
 */
async function arrive(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  call: () => Promise<string | undefined>,
): Promise<Arrivals> {
  const times: number[] = [];
  const failed: string[] = [];
  const underWay = new Set<Promise<void>>();
  let most = 0;
  const startedAt = performance.now();
  for (let arrival = 0; arrival < perSecond * seconds; arrival++) {
    const due = startedAt + (1000 * arrival) / perSecond;
    const early = due - performance.now();
    if (early > 0) await wait(early);
    const answered: Promise<void> = call()
      .catch((error: Error) => error.message)
      .then((failure) => {
        times.push(performance.now() - due);
        if (failure !== undefined) failed.push(failure);
        underWay.delete(answered);
      });
    underWay.add(answered);
    most = Math.max(most, underWay.size);
  }
  await Promise.all(underWay);
  return { times, failed, most };
}

await bench(async (peers) => {
  const operator = await startOperator({ token: 'the-operator-token' });
  const containers = new Containers(
    peers.blueprint.functions,
    (plan) => ({
      ...lambdaEnvironment(plan),
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_'))),
      ...plan.environment,
      ...('OPERATOR_URL' in plan.environment && { OPERATOR_URL: operator.url }),
    }),
    (_, line) => keepFigures(line),
    undefined,
    [],
    Number(flags.containers),
  );
  const gateway = await startGateway(peers.blueprint.api, containers, 0, { log: () => {} });
  try {
    const { keys, partnerId } = await makePartner();
    const ask = (call: Call, key = keys.producao) =>
      fetch(gateway.url + call.path, {
        method: call.method,
        headers: {
          'x-api-key': key,
          ...(call.body !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      });
    const send = async (call: Call) => {
      const answer = await ask(call);
      if (!answer.ok) throw new Error(`${call.method} ${call.path} answered ${answer.status}`);
      return (await answer.json()) as Created;
    };
    const people: Person[] = [];
    for (let at = 1; at <= PEOPLE; at++) {
      const cpf = cpfFrom(at);
      const { lead_id: lead } = await send({ ...routes.createLead, body: leadBody({ cpf }) });
      const { resultado } = await send({ ...routes.createSimulation, body: simulationBody(lead, { bancos: BANKS }) });
      const { analises } = await send({ ...routes.submitAnalyses, body: analysisBody(lead, { cpf, bancos: BANKS }) });
      people.push({ cpf, lead, simulation: resultado.resultados[0].simulacao_id, analysis: analises[0].analise_id });
    }
    // Starts a container of every function before the arrivals begin, because bench:functions measures starts.
    const next = mixOf(people);
    for (let call = 0; call < 100; call++) await (await ask(next())).arrayBuffer();
    if (logged.size === 0) throw new Error('no function has logged a call: nothing would be measured');
    logged.clear();

    console.log(`${RATE} arrivals a second for ${SECONDS} s, at most ${flags.containers} containers an operation`);
    const { times, failed, most } = await arrive({ perSecond: RATE, seconds: SECONDS }, async () => {
      const call = next();
      const answer = await ask(call);
      await answer.arrayBuffer();
      return answer.ok ? undefined : `${call.method} answered ${answer.status}`;
    });
    const [p50, p99, longest] = [0.5, 0.99, 1].map((part) => share(times, part).toFixed(0));
    console.log(
      `${times.length} answered; p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms; at most ${most} under way at once`,
    );
    const inside = mean(routes.ROUTES.flatMap(({ operation }) => loggedOf(operation, 'milliseconds')));
    const outside = mean(times) - inside;
    console.log(
      `of ${mean(times).toFixed(1)} ms in the mean the functions take ${inside.toFixed(1)}; ${outside.toFixed(1)} are the local gateway, its threads and the wait for a container`,
    );
    verdict('errors', failed.length, 0);
    for (const failure of new Set(failed)) console.log(`  ${failure}`);
    await printOperations(containers);

    const calls = async (perSecond: number, key?: () => string) =>
      arrive({ perSecond, seconds: Number(flags.flood) }, async () => {
        const answer = await ask(routes.getAccount, key?.());
        await answer.arrayBuffer();
        return answer.ok === (key === undefined) ? undefined : `GET answered ${answer.status}`;
      });
    const alone = await calls(RATE);
    const forging = calls(FORGED * RATE, () => makeApiKey(partnerId, 'producao').text);
    const [flooded, forged] = await Promise.all([calls(RATE), forging]);
    const [before, during] = [alone, flooded].map((arrivals) => [0.5, 0.99].map((part) => share(arrivals.times, part)));
    const figures = [before!, during!].map(([half, most]) => `p50 ${half!.toFixed(1)} ms, p99 ${most!.toFixed(1)} ms`);
    console.log(`\na partner's calls: ${figures[0]}; beside ${FORGED} forged keys for each: ${figures[1]}`);
    verdict('errors of either', [alone, flooded, forged].flatMap((arrivals) => arrivals.failed).length, 0);
    const slowed = during![0]! / before![0]!;
    verdict("22 a partner's p50 beside forged keys, to that alone", slowed, BUDGETS[22].besideForgedKeys, ' x');
  } finally {
    await gateway.close();
    await containers.close();
    await operator.close();
  }
});
