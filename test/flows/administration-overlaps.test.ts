/**
 * Another run writes while a change of the administration is under way: before each call that the change makes to the
 * table, to Secrets Manager or to a queue. If the other run takes away the reason of the plan, the change must be
 * refused and write nothing. If the other run writes attributes of its own, they must stay.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMINISTRATION_FAILURES } from '#shared/administration/failures.ts';
import { ADMINISTRATION_OPERATIONS, type AdministrationOperation } from '#shared/administration/operations.ts';
import { tableClient, transact } from '#shared/table/rows/client.ts';
import { serviceKeys } from '#shared/table/rows/encryption.ts';
import { type AdministrationCall, administration } from '../makers/administration.ts';
import { administrationOverlaps, type Overlap } from '../makers/administration-overlaps.ts';
import { administrationScenes } from '../makers/administration-scenes.ts';
import {
  type Interception,
  intercepted,
  interceptQueues,
  interceptSecrets,
  interceptTable,
} from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';
import { type Receiver, startPlainReceiver } from '../makers/receiver.ts';
import { clearTable, everyRow } from '../makers/rows.ts';
import { setServiceKeys } from '../makers/service-keys.ts';

/** With SOAK=1 the other run comes before every call. Otherwise it comes only between the plan and the first write. */
const SOAK = Boolean(process.env['SOAK']);
/** How often the mark of another writer comes during one change, unless SOAK=1 is set. With SOAK=1 it comes before each call. */
const MARKS = 2;

/** Sentences that do not say what has changed. */
const GENERAL = [ADMINISTRATION_FAILURES.refused.error, ADMINISTRATION_FAILURES.changed_meanwhile.error];

const isChange = (operation: { readonly changes: boolean }) => operation.changes;
const CHANGES = ADMINISTRATION_OPERATIONS.filter(isChange).map(({ operation }) => operation);

const addressOf = ({ port }: Receiver) => `http://127.0.0.1:${port}/eventos`;

const peers = usePeers();
let receiver: Receiver;
let received = 0;
let keysSecret: string;
let scenes: ReturnType<typeof administrationScenes>;

/** The writes of a change, by name. Undefined outside of the change. */
const ownWrites = new AsyncLocalStorage<string[] | undefined>();
const WRITE = /^(Put|Update|Delete|TransactWrite|BatchWrite)/;
/** Rows that every change may write: the audit, the counters of encryptions, and the names of the index keys. */
const OF_EVERY_CHANGE = /"(AUDIT|ENCRYPTIONS|INDEXED)#/;

beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  keysSecret = process.env['KEYS_SECRET']!;
  receiver = await startPlainReceiver((_, response) => {
    received += 1;
    response.writeHead(200).end();
  });
  scenes = administrationScenes(peers.secrets, addressOf(receiver));
  interceptTable();
  interceptSecrets();
  interceptQueues();
  tableClient().middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const text = JSON.stringify(args.input);
        if (WRITE.test(String(commandName)) && !OF_EVERY_CHANGE.test(text)) ownWrites.getStore()?.push(text);
        return result;
      },
    { step: 'build', name: 'ownWrites' },
  );
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  process.env['KEYS_SECRET'] = keysSecret;
  process.env['APPROVALS'] = 'off';
  await clearTable();
  setServiceKeys(peers.secrets);
});

/** Runs a change. Before its n-th call, counted from 1, another run writes. */
class Meeting implements Interception {
  readonly names: string[] = [];
  /** How much the change had written or sent when the other run came. */
  writtenBefore = 0;
  readonly written: string[] = [];
  readonly #receivedBefore = received;
  readonly #at: number;
  readonly #write: () => Promise<unknown>;

  constructor(at: number, write: () => Promise<unknown>) {
    this.#at = at;
    this.#write = write;
  }

  /** How much the change has written or sent so far. */
  get count(): number {
    return this.written.length + received - this.#receivedBefore;
  }

  async around<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.names.push(name);
    if (this.names.length === this.#at) {
      this.writtenBefore = this.count;
      await ownWrites.run(undefined, () => intercepted(NOT_INTERCEPTED, this.#write));
    }
    const result = await call();
    if (/^(secret Put|sqs (Send|Delete))/.test(name)) this.written.push(name);
    return result;
  }
}

const NOT_INTERCEPTED: Interception = { around: (_, call) => call() };

let runs = 0;

/** Plays a change in a scene of its own, with another run before its n-th call. Returns what became of it. */
async function play(
  operation: AdministrationOperation,
  call: AdministrationCall,
  write: () => Promise<unknown>,
  at: number,
) {
  const reason = `RUN-${++runs}`;
  const body = { ...(call.body as object), reason };
  // A fetch of the keys that waits for the other run would make the other run wait for the fetch.
  await serviceKeys().catch(() => undefined);
  const meeting = new Meeting(at, write);
  const answer = await ownWrites.run(meeting.written, () =>
    intercepted(meeting, () => administration(operation, { ...call, body })),
  );
  const rows = (await everyRow()).filter((row) => String(row['pk']).startsWith('AUDIT#') && row['reason'] === reason);
  return {
    answer,
    meeting,
    audit: rows[0]?.['outcome'],
    writtenAfter: meeting.count - meeting.writtenBefore,
  };
}

const nothing = async () => {};

/** Returns the calls of a change that runs by itself: their names, and the number of the first one after its plan. */
async function callsOf(operation: AdministrationOperation, call: AdministrationCall) {
  const { answer, meeting } = await play(operation, call, nothing, 0);
  expect(answer.status, answer.text).toBe(200);
  // The plan ends where the audit begins. Its row is the first that a change writes.
  const begun = meeting.names.indexOf('table PutItemCommand') + 1;
  return { calls: meeting.names, begun };
}

const overlaps = administrationOverlaps(() => ({ scenes, secrets: peers.secrets, url: addressOf(receiver) }));
const OVERLAPS = CHANGES.flatMap((operation) => {
  const all = overlaps[operation];
  return typeof all === 'object' ? all.map((overlap) => ({ operation, ...overlap })) : [];
});

it('every change has a row here and in the table of shared/administration/README.md', () => {
  expect(Object.keys(overlaps).sort()).toEqual([...CHANGES].sort());
  const readme = readFileSync(join(import.meta.dirname, '../../shared/administration/README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('## What a change conditions on'));
  const named = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual([...CHANGES].sort());
});

async function begin({ twoPeople, scene }: Overlap) {
  process.env['KEYS_SECRET'] = keysSecret;
  process.env['APPROVALS'] = twoPeople ? 'required' : 'off';
  await clearTable();
  setServiceKeys(peers.secrets);
  return scene();
}

describe.each(OVERLAPS)('$operation while $other', ({ operation, ...overlap }) => {
  it(`${operation} writes nothing after another run has taken the reason of its plan away`, async () => {
    const { calls, begun } = await callsOf(operation, (await begin(overlap)).call);
    const judged = overlap.judgedBy === undefined ? -1 : calls.indexOf(overlap.judgedBy, begun);
    const last = judged === -1 ? calls.length : judged + 1;
    for (let at = SOAK ? 1 : begun; at <= last; at++) {
      const { call, write } = await begin(overlap);
      const { answer, meeting, audit, writtenAfter } = await play(operation, call, write, at);
      const where = `before call ${at} of ${calls.length}, ${calls[at - 1]}: ${answer.text}`;
      expect(answer.status, where).toBeLessThan(500);
      // The change was made before the other run came.
      if (meeting.writtenBefore > 0) continue;
      // The plan may have read after the other run. It then decides by what the other run has written.
      if (at < begun && (answer.status === 200 || answer.body.code === 'approval_needed')) continue;
      if (overlap.leaves === undefined) expect(writtenAfter, where).toBe(0);
      if (overlap.change === 'nothing' && answer.status === 200) continue;
      expect(audit, where).not.toBe('done');
      // The plan itself may have refused the call, before the audit had a row.
      if (at < begun && audit === undefined) continue;
      // The check of a CPF comes after the audit's row, and may read what the other run has written.
      expect(['changed_meanwhile', 'refused', 'not_found', 'field_invalid'], where).toContain(answer.body.code);
      expect(GENERAL, where).not.toContain(answer.body.error);
      expect(audit, where).toBe('failed');
    }
  });
});

/** Attribute that no code of the service knows. */
const FOREIGN = 'foreignMark';
/** Rows that have one writer, which writes them whole: by the beginning of their key. */
const WRITTEN_WHOLE: Readonly<Record<string, string>> = {
  'CURSOR#': 'the place of the run itself',
};

const keyOf = ({ pk, sk }: Record<string, unknown>) => ({ pk: String(pk), sk: String(sk) });
const nameOf = (row: Record<string, unknown>) => `${row['pk']} ${row['sk']}`;

/** Sets an attribute in every row, as a writer does that owns it. Returns the names of the rows. */
async function markEveryRow(): Promise<ReadonlySet<string>> {
  const rows = await everyRow();
  const parts = rows.map((row) => ({
    Update: {
      Key: keyOf(row),
      UpdateExpression: `SET ${FOREIGN} = :mark`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':mark': true },
    },
  }));
  for (let from = 0; from < parts.length; from += 100)
    expect(await transact(parts.slice(from, from + 100))).toBe('written');
  return new Set(rows.map(nameOf));
}

it.each(CHANGES)('%s leaves the attributes that another writer has set meanwhile as they are', async (operation) => {
  const { calls, begun } = await callsOf(operation, await scenes[operation]());
  const stride = SOAK ? 1 : Math.ceil((calls.length - begun + 1) / MARKS);
  for (let at = SOAK ? 1 : begun; at <= calls.length; at += stride) {
    process.env['KEYS_SECRET'] = keysSecret;
    await clearTable();
    setServiceKeys(peers.secrets);
    let marked: ReadonlySet<string> = new Set();
    const mark = async () => {
      marked = await markEveryRow();
    };
    const { answer } = await play(operation, await scenes[operation](), mark, at);
    const where = `before call ${at} of ${calls.length}, ${calls[at - 1]}`;
    expect(answer.status, `${where}: ${answer.text}`).toBe(200);
    const lost = (await everyRow()).filter((row) => marked.has(nameOf(row)) && row[FOREIGN] !== true).map(nameOf);
    const whole = Object.keys(WRITTEN_WHOLE);
    expect(
      lost.filter((name) => !whole.some((prefix) => name.startsWith(prefix))),
      where,
    ).toEqual([]);
  }
});
