/**
 * A rehearsal of a lost table. A partner's history is made, and the table is exported in the middle of it. Then
 * everything is lost except the service's keys, the ledger of erased people and the operator's records, and the service
 * comes back from the export. Before the loss, the service's keys were changed and the older sealing key retired, so
 * that only the archive of retired keys opens the export's rows.
 *
 * After the restore, no outcome or event is missing, no bank is asked about a person twice, and erased people stay
 * erased, from before the first call.
 */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { POLLERS } from '#infra/functions.ts';
import { applyLedger } from '#shared/domain/leads/erase-person.ts';
import { days } from '#shared/domain/values/time.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { TableKeyedTable } from '#shared/table/sealing/keyed-table.ts';
import { changeServiceKeys, heldKeys, retireServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { lambdaEnvironment } from '../aws/containers.ts';
import { dynamoDb, makeTables, startDynamoDb } from '../aws/dynamodb.ts';
import { SecretStore, startSecrets } from '../aws/secrets.ts';
import { type Blueprint, blueprintOf } from '../blueprint.ts';
import type { InboxEvent } from '../inbox.ts';
import { readAssembly, Template } from '../template.ts';
import { type Accepted, eventsOf, type Finding, findingOf, HistoryMaker, until } from './history.ts';
import { type KeptRun, startKeptRun } from './kept-run.ts';

interface RehearsalOptions {
  readonly project: string;
  readonly folder: string;
  /** Number of people whose analyses are concluded before the export: 3 or more. */
  readonly people: number;
  /** The lease of a submission in doubt takes a minute. */
  readonly inDoubt: boolean;
  readonly assembly?: string;
  readonly say: (line: string) => void;
}

const DATABASE = 'dynamodb.sqlite';
/** Tables are exported and restored without queues. */
const NO_QUEUES = 'http://127.0.0.1';
const BANKS = ['itau', 'inter'];

export async function rehearseRestore(options: RehearsalOptions): Promise<readonly Finding[]> {
  const { project, folder, people, inDoubt, say } = options;
  const before = await startKeptRun(project, folder, options.assembly);
  const assembly = options.assembly ?? join(folder, 'assembly');
  const blueprint = blueprintOf(new Template(readAssembly(assembly), NO_QUEUES));
  let copies: { readonly table: readonly Row[]; readonly ledger: readonly Row[] };
  let eventsBefore: readonly InboxEvent[];
  let accepted: readonly Accepted[];
  let erased: readonly number[];
  try {
    const maker = await HistoryMaker.of(before);
    const [first, second] = await makeHistory(before, maker, { people, inDoubt });
    if (first === undefined || second === undefined)
      throw new Error('the rehearsal erases two people: make it of more');
    await maker.erase(first);
    const engine = dynamoDb(before.table);
    const table = await exportTable(engine, blueprint.table.TableName);
    say(`exported ${table.length} rows; ${maker.accepted.length} analyses accepted so far, 1 person erased`);

    for (let more = 0; more < 2; more++) await maker.submit('later', BANKS);
    await maker.erase(second);
    erased = [first, second];
    say('after the export: 4 more analyses accepted, 1 more person erased');
    copies = { table, ledger: await exportTable(engine, blueprint.erasureLedger.TableName) };
    eventsBefore = await before.events();
    accepted = maker.accepted;
  } finally {
    await before.kill();
  }

  for (const file of readdirSync(folder).filter((name) => name.startsWith(DATABASE))) rmSync(join(folder, file));
  say('lost: both tables, the queue and every container');
  const restored = await restore(folder, blueprint, copies);
  say(
    `restored ${copies.table.length} rows, ${restored.rewritten.resealed} of them sealed by a retired key; before any traffic ${restored.erasures} of ${restored.entries} people of the ledger erased again`,
  );

  const after = await startKeptRun(project, folder, assembly);
  say('started again, the queue is empty');
  try {
    const findings = await compare(after, accepted, erased, eventsBefore);
    return [
      {
        what: 'rows of a retired key that open, and are sealed by the current one',
        of: restored.rewritten.resealed,
        missing: restored.rewritten.broken,
      },
      {
        what: 'people of the ledger erased again before the first call',
        of: 2,
        missing: restored.erasures === 2 ? [] : ['not both'],
      },
      ...findings,
    ];
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

/** Seals the restored rows with the current key and applies the ledger, while nothing else runs. */
async function restore(
  folder: string,
  blueprint: Blueprint,
  copies: { readonly table: readonly Row[]; readonly ledger: readonly Row[] },
) {
  const engine = await startDynamoDb(folder, join(folder, DATABASE), (what) => {
    throw new Error(what);
  });
  const secrets = await startSecrets(new SecretStore(join(folder, 'secrets.json')));
  try {
    await makeTables(engine.endpoint, blueprint, true);
    const client = dynamoDb(engine.endpoint);
    await importTable(client, blueprint.table.TableName, copies.table);
    await importTable(client, blueprint.erasureLedger.TableName, copies.ledger);
    const eraser = blueprint.functions.find(({ operation }) => operation === POLLERS.erasures);
    if (!eraser) throw new Error('the template has no function that continues erasures');
    const environments = blueprint.functions.map(({ environment }) => environment);
    Object.assign(process.env, lambdaEnvironment(eraser), ...environments, eraser.environment, {
      ERASURE_LEDGER_NAME: blueprint.erasureLedger.TableName,
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    });
    // The last acts of the lost service, a day after it had sealed its rows again.
    const { current } = await heldKeys();
    await changeServiceKeys(current, Date.now());
    await retireServiceKeys({ versions: [current], names: [] }, await heldKeys(), Date.now() + days(1));
    const run = { restart: true, unitsPerSecond: 40_000 };
    const rewritten = await new TableKeyedTable().rewrite(await heldKeys(), Date.now(), run, () => true);
    const report = await applyLedger({
      erasures: new TableErasures(Date.now),
      ledger: new TableErasureLedger(),
      clock: Date.now,
    });
    const [broken] = report.failed;
    if (broken) throw broken.error;
    return {
      rewritten,
      entries: report.entries,
      erasures: report.erasures.filter(({ state }) => state === 'apagado').length,
    };
  } finally {
    await Promise.all([engine.close(), secrets.close()]);
  }
}

async function compare(
  run: KeptRun,
  accepted: readonly Accepted[],
  erased: readonly number[],
  eventsBefore: readonly InboxEvent[],
): Promise<readonly Finding[]> {
  const key = run.keys.producao;
  const kept = accepted.filter(({ story }) => story !== 'later');
  const later = accepted.filter(({ story }) => story === 'later');
  const decided = kept.filter(({ story }) => story !== 'pending');
  const statusOf = async ({ id }: Accepted) => run.call('GET', `/v1/analises/${id}/status`, key);

  await until('the outcomes and events of what was restored', async () => {
    const events = [...eventsBefore, ...(await run.events())].filter(({ status }) => status === 200);
    return decided.every((one) => eventsOf(events, one).length > 0) ? true : undefined;
  });
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
