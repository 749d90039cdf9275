import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { tableName } from '#shared/runtime/env.ts';
import { type Item, tableClient } from '#shared/table/rows/client.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { clearLedger, clearTable, everyRow, writeLedger, writeRows } from '../makers/rows.ts';
import type { Scene } from '../makers/scene.ts';
import { withStoppedClock } from '../makers/test-clock.ts';
import { nameOf, type Step, take } from './step.ts';
import { stepsOf } from './steps.ts';
import type { Story } from './story.ts';

/** A step with the release's own answer. */
interface Played {
  readonly step: Step;
  readonly status: number;
  /** The part of the answer that later answers must contain, too. */
  readonly body: unknown;
}

/** Rows that a release has written, the secrets that open them, and what the release answered from them. */
export interface RowsRecord {
  /** When the release gave the answers, in milliseconds since 1970. */
  readonly at: number;
  /** Name of the table, which is bound into the sealed parts. */
  readonly table: string;
  /** Terms that a stage may change, as variables of the functions. */
  readonly terms: Readonly<Record<string, string | undefined>>;
  /** Secrets by the last part of their name. They are of this record only. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly rows: readonly Item[];
  readonly ledger: readonly Item[];
  readonly played: readonly Played[];
}

/** Variables with terms on which answers depend. */
const TERMS = ['LEAD_RETENTION', 'CONSENT_DAYS', 'RATE_DAYS'] as const;
/** Secrets that rows and keys depend on. */
const SECRETS = ['keys'] as const;
const secretName = ({ blueprint }: Scene['peers'], end: string): string => {
  const found = blueprint.secrets.find(({ name }) => name.endsWith(`/${end}`));
  if (!found) throw new Error(`the template has no secret whose name ends with /${end}`);
  return found.name;
};

/** Records the rows that a story has left behind, and plays the steps on them. The steps change the rows. */
export async function recordRows(scene: Scene, story: Story): Promise<RowsRecord> {
  const at = Date.now();
  const { Items: ledger = [] } = await tableClient().send(
    new ScanCommand({ TableName: process.env['ERASURE_LEDGER_NAME']! }),
  );
  const { secrets } = scene.peers;
  const rows = await everyRow();
  const before = {
    ...{ at, table: tableName(), rows, ledger },
    terms: Object.fromEntries(TERMS.map((name) => [name, process.env[name]])),
    secrets: Object.fromEntries(SECRETS.map((end) => [end, secrets.current(secretName(scene.peers, end))])),
  };
  const played: Played[] = [];
  for (const { step, kept, refused } of await stepsOf(scene, story)) {
    const { status, body } = await take(step, scene);
    if (status >= 400 !== Boolean(refused))
      throw new Error(`${nameOf(step)} answered ${status} ${JSON.stringify(body)}`);
    played.push({ step, status, body: kept(body) });
  }
  return { ...before, played };
}

/**
 * Puts the rows of a record into the tables, and plays the recorded steps with today's code at the recorded time.
 * Returns a sentence for each step whose answer is another one. Answers may have more fields than the recorded ones.
 */
export async function replayRows(scene: Scene, record: RowsRecord): Promise<readonly string[]> {
  const { peers } = scene;
  if (tableName() !== record.table) throw new Error(`the rows are bound to the table ${record.table}`);
  Object.assign(process.env, record.terms);
  await clearTable();
  await clearLedger();
  for (const end of SECRETS) {
    const SecretString = record.secrets[end];
    peers.secrets.put({ SecretId: secretName(peers, end), SecretString });
  }
  forgetServiceKeys();
  await writeRows(record.rows);
  await writeLedger(record.ledger);
  const sentences: string[] = [];
  await withStoppedClock(record.at, async () => {
    for (const { step, status, body } of record.played) {
      const answer = await take(step, scene).catch((error: unknown) => ({ status: 500, body: String(error) }));
      if (answer.status !== status) {
        const text = JSON.stringify(answer.body).slice(0, 300);
        sentences.push(`${nameOf(step)} answered ${status}, and now answers ${answer.status} ${text}`);
      } else {
        for (const place of differing(body, answer.body, '')) sentences.push(`${nameOf(step)}: ${place}`);
      }
    }
  });
  return sentences;
}

/** Yields a sentence for each place at which an answer lacks what an earlier answer had. */
function* differing(before: unknown, now: unknown, place: string): Generator<string, void> {
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null) {
    if (before !== now) yield `${place} was ${JSON.stringify(before)}, and is now ${JSON.stringify(now)}`;
    return;
  }
  const values = new Map(Object.entries(now));
  for (const [name, value] of Object.entries(before)) yield* differing(value, values.get(name), `${place}.${name}`);
}
