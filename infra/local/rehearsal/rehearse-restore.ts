/**
 * A rehearsal of a lost account. The table is exported in the middle of a partner's history. Then everything is lost
 * except the export, the ledger of erased people, the copy of the service's keys and the operator's records. The
 * service comes back by the steps of RUNBOOK.md, region-loss. The keys were changed and retired before the loss, so
 * that only the archive of retired keys opens the export's rows.
 */

import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { POLLERS } from '#infra/functions.ts';
import { applyLedger } from '#shared/domain/leads/erase-person.ts';
import { days, seconds } from '#shared/domain/values/time.ts';
import { newLead } from '#shared/partner/openapi/example-bodies.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { TableKeyedTable } from '#shared/table/sealing/keyed-table.ts';
import { changeServiceKeys, heldKeys, initServiceKeys, retireServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { Containers, lambdaEnvironment } from '../aws/containers.ts';
import { dynamoDb, makeTables, startDynamoDb } from '../aws/dynamodb.ts';
import { startGateway } from '../aws/gateway.ts';
import { SecretStore, startSecrets } from '../aws/secrets.ts';
import { type Blueprint, blueprintOf } from '../blueprint.ts';
import { secretNamed } from '../engines.ts';
import type { InboxEvent } from '../inbox.ts';
import { Closers } from '../listen.ts';
import { readAssembly, Template } from '../template.ts';
import {
  type Accepted,
  eventsOf,
  type Finding,
  findingOf,
  HistoryMaker,
  type Repeatable,
  repeat,
  until,
} from './history.ts';
import { ask, type KeptRun, startKeptRun } from './kept-run.ts';
import { compareRates, publishRate, type RateHistory } from './rate-history.ts';

interface RehearsalOptions {
  readonly project: string;
  readonly folder: string;
  /** Number of people whose analyses are concluded before the export: 3 or more. */
  readonly people: number;
  /** Whether to include submissions in doubt, whose leases take a minute. */
  readonly inDoubt: boolean;
  readonly assembly?: string;
  readonly say: (line: string) => void;
}

/** Steps of RUNBOOK.md, region-loss, that are played and measured. */
export const RECOVERY_STEPS = [
  'restore both tables',
  'bring the keys back',
  'seal the rows again',
  'apply the ledger',
  'start the service with its clocks',
  'wait for outcomes and events',
  'check by smoke',
] as const;
/** Prints how long a step took. */
type Timed = <T>(step: (typeof RECOVERY_STEPS)[number], work: () => Promise<T>) => Promise<T>;

const DATABASE = 'dynamodb.sqlite';
const SECRETS = 'secrets.json';
/** Tables are exported and restored without queues. */
const NO_QUEUES = 'http://127.0.0.1';
const BANKS = ['itau', 'inter'];

/** Copies of the service, and what its partner has. */
interface Copies {
  readonly table: readonly Row[];
  readonly ledger: readonly Row[];
  readonly apiKey: string;
  readonly eventsBefore: readonly InboxEvent[];
  readonly accepted: readonly Accepted[];
  readonly erased: readonly number[];
  /** Submissions before the export of people who are not erased. */
  readonly repeatable: readonly Repeatable[];
  readonly rates: RateHistory;
}

export async function rehearseRestore(options: RehearsalOptions): Promise<readonly Finding[]> {
  const { project, folder, people, inDoubt, say } = options;
  const timed: Timed = async (step, work) => {
    const began = performance.now();
    const result = await work();
    say(`${step}: ${((performance.now() - began) / seconds(1)).toFixed(1)} s`);
    return result;
  };
  const before = await startKeptRun(project, folder, options.assembly);
  const assembly = options.assembly ?? join(folder, 'assembly');
  const blueprint = blueprintOf(new Template(readAssembly(assembly), NO_QUEUES));
  let copies: Copies;
  try {
    const maker = await HistoryMaker.of(before);
    const [first, second] = await makeHistory(before, maker, { people, inDoubt });
    if (first === undefined || second === undefined)
      throw new Error('the rehearsal erases two people: make it of more');
    await maker.erase(first);
    const engine = dynamoDb(before.table);
    const rates = await publishRate(before, engine, blueprint.table.TableName, maker.invent());
    const table = await exportTable(engine, blueprint.table.TableName);
    say(
      `exported ${table.length} rows; ${maker.accepted.length} analyses accepted so far, 1 person erased, 1 rate published`,
    );
    const repeatable = maker.repeatable.filter(({ leadId }) => leadId !== first && leadId !== second);

    for (let more = 0; more < 2; more++) await maker.submit('later', BANKS);
    await maker.erase(second);
    say('after the export: 4 more analyses accepted, 1 more person erased');
    copies = {
      table,
      ledger: await exportTable(engine, blueprint.erasureLedger.TableName),
      apiKey: before.keys.producao,
      eventsBefore: await before.events(),
      accepted: maker.accepted,
      erased: [first, second],
      repeatable,
      rates,
    };
  } finally {
    await before.kill();
  }

  const keys = await changeAndCopyKeys(folder, blueprint);
  for (const file of readdirSync(folder).filter((name) => name.startsWith(DATABASE) || name === SECRETS))
    rmSync(join(folder, file));
  say('lost: both tables, the keys, the queue and every container');
  const restored = await restore(folder, blueprint, copies, keys, timed);

  const after = await timed('start the service with its clocks', () => startKeptRun(project, folder, assembly));
  try {
    const found = await compare(after, copies, timed);
    const smoke = [join(project, 'bin/smoke.ts'), '--local', '--service-file', join(folder, 'service.json')];
    await timed('check by smoke', () => promisify(execFile)(process.execPath, smoke));
    return restored.concat(found, await compareRates(after, copies.rates));
  } finally {
    await after.kill();
  }
}

async function makeHistory(
  run: KeptRun,
  maker: HistoryMaker,
  { people, inDoubt }: Pick<RehearsalOptions, 'people' | 'inDoubt'>,
): Promise<readonly number[]> {
  for (let person = 0; person < people; person++) await maker.submit('concluded', BANKS);
  const concluded = [...maker.accepted];
  for (const { reference } of concluded) await run.operator.decide(reference, 'Aprovado');
  await maker.waitForEvents(concluded);

  for (const { reference } of await maker.submit('pending', BANKS)) await run.operator.decide(reference, 'Em análise');
  await maker.submitUndelivered(async () => inDoubt && maker.submitInDoubt());
  return concluded.map(({ leadId }) => leadId).filter((leadId, index, all) => all.indexOf(leadId) === index);
}

const keySecrets = (blueprint: Blueprint) => [secretNamed(blueprint, 'keys'), secretNamed(blueprint, 'retired-keys')];

/**
 * Changes the keys of the lost service and retires the older keys, as of a day after its rows were sealed again.
 * Returns the other account's copy, which a person makes after each change.
 */
async function changeAndCopyKeys(folder: string, blueprint: Blueprint): Promise<SecretStore> {
  const store = new SecretStore(join(folder, SECRETS));
  const secrets = await startSecrets(store);
  try {
    useEnvironment(blueprint, { AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url });
    const { current } = await heldKeys();
    await changeServiceKeys(current, Date.now());
    await retireServiceKeys({ versions: [current], names: [] }, await heldKeys(), Date.now() + days(1));
  } finally {
    await secrets.close();
  }
  const copy = new SecretStore(undefined);
  copy.make(blueprint.secrets);
  for (const SecretId of keySecrets(blueprint)) {
    const { SecretString, VersionId } = store.act('GetSecretValue', { SecretId });
    copy.put({ SecretId, SecretString, ClientRequestToken: VersionId });
  }
  return copy;
}

/** Gives this process the environment of the functions. Throws an Error if no function continues erasures. */
function useEnvironment(blueprint: Blueprint, addresses: Readonly<Record<string, string>>): void {
  const eraser = blueprint.functions.find(({ operation }) => operation === POLLERS.erasures);
  if (!eraser) throw new Error('the template has no function that continues erasures');
  const environments = blueprint.functions.map(({ environment }) => environment);
  Object.assign(process.env, lambdaEnvironment(eraser), ...environments, eraser.environment, addresses, {
    ERASURE_LEDGER_NAME: blueprint.erasureLedger.TableName,
  });
}

/**
 * Brings tables and keys back, seals the rows with the current key and applies the ledger, while the functions answer
 * calls and no schedule runs.
 */
async function restore(
  folder: string,
  blueprint: Blueprint,
  { table, ledger, apiKey, erased, repeatable }: Copies,
  keys: SecretStore,
  timed: Timed,
): Promise<readonly Finding[]> {
  const closers = new Closers();
  try {
    const engine = await startDynamoDb(folder, join(folder, DATABASE), (what) => {
      throw new Error(what);
    });
    closers.add(engine.close);
    const store = new SecretStore(join(folder, SECRETS));
    store.make(blueprint.secrets);
    const secrets = await startSecrets(store);
    closers.add(secrets.close);
    const addresses = {
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    };
    useEnvironment(blueprint, addresses);
    const client = dynamoDb(engine.endpoint);
    await timed('restore both tables', async () => {
      await makeTables(engine.endpoint, blueprint, true);
      await importTable(client, blueprint.table.TableName, table);
      await importTable(client, blueprint.erasureLedger.TableName, ledger);
    });
    const containers = new Containers(
      blueprint.functions,
      (plan) => ({ ...lambdaEnvironment(plan), ...addresses, ...plan.environment }),
      () => undefined,
    );
    closers.add(() => containers.close());
    const gateway = await startGateway(blueprint.api, containers, 0, { log: () => undefined });
    closers.add(gateway.close);
    const call: Call = (method, path, body, id = 'new') =>
      ask(gateway.url + path, method, { 'x-api-key': apiKey, 'idempotency-key': id }, body);

    const refused = await callWithoutKeys(call, repeatable);
    const newKeys = await initServiceKeys().then(
      () => ['new keys were written'],
      (error: unknown) => (String(error).includes('this is no new stage') ? [] : [String(error)]),
    );
    const rowsNow = await exportTable(client, blueprint.table.TableName);
    await timed('bring the keys back', async () => {
      for (const SecretId of keySecrets(blueprint)) {
        const { SecretString } = keys.act('GetSecretValue', { SecretId });
        // The command line adds a line break.
        store.put({ SecretId, SecretString: `${SecretString}\n` });
      }
    });
    const run = { restart: true, unitsPerSecond: 40_000 };
    const rewritten = await timed('seal the rows again', async () =>
      new TableKeyedTable().rewrite(await heldKeys(), Date.now(), run, () => true),
    );
    const deps = { erasures: new TableErasures(Date.now), ledger: new TableErasureLedger(), clock: Date.now };
    const report = await timed('apply the ledger', () => applyLedger(deps));
    const [broken] = report.failed;
    if (broken) throw broken.error;
    const erasedAgain = report.erasures.filter(({ state }) => state === 'apagado');
    const names = await Promise.all(
      repeatable.map(async ({ leadId }) => (await call('GET', `/v1/leads/${leadId}`)).body.lead?.nome),
    );
    return [
      refused,
      {
        what: 'rows that no call changed or added while the keys were missing',
        of: table.length,
        missing: changedRows(table, rowsNow),
      },
      { what: 'refusals of new keys for a table with rows of the lost ones', of: 1, missing: newKeys },
      {
        what: 'rows of a retired key that open, and are sealed by the current one',
        of: rewritten.resealed,
        missing: rewritten.broken,
      },
      {
        what: 'leads that open by the keys of the copy',
        of: repeatable.length,
        missing: repeatable.filter((_, index) => !names[index]).map(({ leadId }) => `lead ${leadId}`),
      },
      {
        what: 'people of the ledger erased again before the first call',
        of: report.entries,
        missing: erasedAgain.length === erased.length ? [] : ['not both'],
      },
    ];
  } finally {
    await closers.close();
  }
}

type Call = (method: string, path: string, body?: unknown, id?: string) => ReturnType<typeof ask>;

async function callWithoutKeys(call: Call, repeatable: readonly Repeatable[]): Promise<Finding> {
  const answers = await Promise.all(
    repeatable.flatMap(({ leadId, body, id }) => [
      call('GET', `/v1/leads/${leadId}`),
      call('POST', '/v1/leads', newLead),
      call('POST', '/v1/analises', body, id),
    ]),
  );
  const others = answers.filter(({ status }) => status !== 503);
  return {
    what: 'calls that need the keys, answered 503 without them',
    of: answers.length,
    missing: others.map(({ status }) => `a call was answered ${status}`),
  };
}

/** Returns the keys of rows that were added or changed, except the counters of calls. */
function changedRows(before: readonly Row[], now: readonly Row[]): string[] {
  const nameOf = ({ pk, sk }: Row) => `${pk?.S} ${sk?.S}`;
  const old = new Map(before.map((row) => [nameOf(row), row]));
  const changed = now.filter((row) => !isDeepStrictEqual(old.get(nameOf(row)), row));
  return changed.map(nameOf).filter((name) => !name.startsWith('AUTH#'));
}

async function compare(
  run: KeptRun,
  { accepted, erased, repeatable, eventsBefore }: Copies,
  timed: Timed,
): Promise<readonly Finding[]> {
  const key = run.keys.producao;
  const kept = accepted.filter(({ story }) => story !== 'later');
  const later = accepted.filter(({ story }) => story === 'later');
  const decided = kept.filter(({ story }) => story !== 'pending');
  const statusOf = async ({ id }: Accepted) => run.call('GET', `/v1/analises/${id}/status`, key);

  await timed('wait for outcomes and events', () =>
    until('the outcomes and events of what was restored', async () => {
      const events = [...eventsBefore, ...(await run.events())].filter(({ status }) => status === 200);
      return decided.every((one) => eventsOf(events, one).length > 0) ? true : undefined;
    }),
  );
  const repeated = await repeat(run, repeatable);
  const events = await run.events();
  const { references } = await run.operator.state();
  const answers = new Map(await Promise.all(accepted.map(async (one) => [one, await statusOf(one)] as const)));
  const analysisIn = (one: Accepted) => answers.get(one)?.body.analise;
  const delivered = (one: Accepted) =>
    [...eventsOf(eventsBefore, one), ...eventsOf(events, one)].filter(({ status }) => status === 200);
  const toldBefore = decided.filter((one) => eventsOf(eventsBefore, one).some(({ status }) => status === 200));
  const known = kept.filter(({ story }) => story !== 'unsent');
  const leadStatuses = await Promise.all(
    erased.map(async (lead) => [lead, (await run.call('GET', `/v1/leads/${lead}`, key)).status] as const),
  );
  return [
    repeated,
    findingOf(kept, 'analyses accepted before the export that answer with their number', (one) =>
      Boolean(analysisIn(one)?.num_consulta),
    ),
    findingOf(
      decided,
      'of them decided by their bank, that have their outcome',
      (one) => analysisIn(one)?.pendente === false,
    ),
    findingOf(
      decided,
      'outcomes whose event is with the partner, under one id',
      (one) => new Set(delivered(one).map(({ id }) => id)).size === 1,
    ),
    findingOf(
      toldBefore,
      'events delivered before the export that were not sent again',
      (one) => one.story === 'undelivered' || eventsOf(events, one).length === 0,
    ),
    findingOf(
      accepted,
      'bank submissions with exactly one credit query in the operator’s books',
      ({ reference }) => references[reference]?.accepted === 1,
    ),
    findingOf(
      known,
      'submissions that the operator had, asked by reference and not sent again',
      ({ reference }) => references[reference]?.received === 0,
    ),
    findingOf(
      kept.filter(({ story }) => story === 'unsent'),
      'submissions that never arrived, sent once after the operator denied them',
      ({ reference }) => references[reference]?.received === 1,
    ),
    findingOf(
      later,
      'analyses accepted after the export, known to the operator alone (to be told to their partners)',
      (one) => answers.get(one)?.status === 404 && references[one.reference]?.accepted === 1,
    ),
    {
      what: 'erased people that stay erased',
      of: leadStatuses.length,
      missing: leadStatuses.filter(([, status]) => status !== 404).map(([lead]) => `lead ${lead}`),
    },
  ];
}

type Row = Record<string, AttributeValue>;

/** Largest number of rows that DynamoDB takes in a batch write. */
const BATCH = 25;

async function exportTable(client: DynamoDBClient, TableName: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) rows.push(...Items);
  return rows;
}

async function importTable(client: DynamoDBClient, table: string, rows: readonly Row[]): Promise<void> {
  for (let from = 0; from < rows.length; from += BATCH) {
    const requests = rows.slice(from, from + BATCH).map((Item) => ({ PutRequest: { Item } }));
    const { UnprocessedItems = {} } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [table]: requests } }),
    );
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the table left rows of the export unwritten');
  }
}
