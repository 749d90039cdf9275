/**
 * Another run writes while a change of the administration is under way: before each call that the change makes to the
 * table, to Secrets Manager or to a queue. If the other run takes away the reason of the plan, the change must be
 * refused and write nothing. If the other run writes attributes of its own, they must stay.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMINISTRATION_FAILURES } from '#shared/administration/failures.ts';
import { ADMINISTRATION_OPERATIONS, type AdministrationOperation } from '#shared/administration/operations.ts';
import { transact } from '#shared/table/rows/client.ts';
import { serviceKeys } from '#shared/table/rows/encryption.ts';
import { type AdministrationCall, administration } from '../makers/administration.ts';
import { administrationOverlaps, type Overlap } from '../makers/administration-overlaps.ts';
import { administrationScenes } from '../makers/administration-scenes.ts';
import {
  type BegunCall,
  intercepted,
  interceptQueues,
  interceptSecrets,
  interceptTable,
  meanwhile,
  recorded,
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

/** Rows that every change may write: the audit, the counters of encryptions, and the names of the index keys. */
const OF_EVERY_CHANGE = /"(AUDIT|ENCRYPTIONS|INDEXED)#/;
/** Whether a call has written, sent or deleted something that not every change writes. */
const isOwnWrite = ({ name, input, isAnswered }: BegunCall) =>
  isAnswered &&
  /^(table (Put|Update|Delete|TransactWrite|BatchWrite)|secret Put|sqs (Send|Delete))/.test(name) &&
  !OF_EVERY_CHANGE.test(JSON.stringify(input));

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
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  process.env['KEYS_SECRET'] = keysSecret;
  process.env['APPROVALS'] = 'off';
  await clearTable();
  setServiceKeys(peers.secrets);
});

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
  const receivedBefore = received;
  const count = () => meeting.calls.filter(isOwnWrite).length + received - receivedBefore;
  let writtenBefore = 0;
  const other = () => {
    writtenBefore = count();
    return write();
  };
  const meeting = recorded(meanwhile(undefined, other, { at }));
  const answer = await intercepted(meeting, () => administration(operation, { ...call, body }));
  const rows = (await everyRow()).filter((row) => String(row['pk']).startsWith('AUDIT#') && row['reason'] === reason);
  return {
    answer,
    calls: meeting.calls.map(({ name }) => name),
    audit: rows[0]?.['outcome'],
    writtenBefore,
    writtenAfter: count() - writtenBefore,
  };
}

const nothing = async () => {};

/** Returns the calls of a change that runs by itself: their names, and the number of the first one after its plan. */
async function callsOf(operation: AdministrationOperation, call: AdministrationCall) {
  const { answer, calls } = await play(operation, call, nothing, 0);
  expect(answer.status, answer.text).toBe(200);
  // The plan ends where the audit begins. Its row is the first that a change writes.
  const begun = calls.indexOf('table PutItemCommand') + 1;
  return { calls, begun };
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
      const { answer, audit, writtenBefore, writtenAfter } = await play(operation, call, write, at);
      const where = `before call ${at} of ${calls.length}, ${calls[at - 1]}: ${answer.text}`;
      expect(answer.status, where).toBeLessThan(500);
      // The change was made before the other run came.
      if (writtenBefore > 0) continue;
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
  'RATES#': 'all published rates, on the version that was read',
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
