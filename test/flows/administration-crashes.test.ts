/**
 * The process of a change dies at a call to the table, or gets no answer to a call. The audit must then be true. If the
 * row is missing or its outcome is `failed`, nothing was changed. If its outcome is `done`, everything was changed. In
 * all other cases the outcome stays `started`.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ADMINISTRATION_OPERATIONS, type AdministrationOperation } from '#shared/administration/operations.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { administration } from '../makers/administration.ts';
import { type AdministrationScene, administrationScenes } from '../makers/administration-scenes.ts';
import type { CallAnswer } from '../makers/call.ts';
import { failingAt, intercepted, interceptTable, recorded, stoppedAt } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';
import { type Receiver, startPlainReceiver } from '../makers/receiver.ts';
import { clearTable, everyRow } from '../makers/rows.ts';
import { setServiceKeys } from '../makers/service-keys.ts';
import { QueueView } from '../makers/sqs.ts';

const SOAK = Boolean(process.env['SOAK']);
/** Number of calls of an operation at which a run without SOAK=1 injects a failure, spread over all of its calls. */
const SAMPLE = 2;

const AUDITED = ADMINISTRATION_OPERATIONS.filter(({ audited }) => audited).map(({ operation }) => operation);
/** Audited operations that only read. */
const READING: readonly AdministrationOperation[] = ['find-leads', 'export-lead'];

const WRITE = /^table (Put|Update|Delete|TransactWrite|BatchWrite)/;

/**
 * What happens at a call. `dies`: the process ends after the call, which is the same as before the next call.
 * `hears nothing`: the process sees a time-out of the call, and continues.
 */
const MISHAPS = [
  { mishap: 'dies', when: 'after' },
  { mishap: 'hears nothing', when: 'before' },
  { mishap: 'hears nothing', when: 'after' },
] as const;

const peers = usePeers();
let scenes: Readonly<Partial<Record<AdministrationOperation, AdministrationScene>>>;
let receiver: Receiver;
let received = 0;
let keysSecret: string;
/**
 * Number of writes that the table has made. Audit rows do not count, nor do the counters of encryptions: any call may
 * write such a counter, for many encryptions at once.
 */
let written = 0;

beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  keysSecret = process.env['KEYS_SECRET']!;
  receiver = await startPlainReceiver((_, response) => {
    received += 1;
    response.writeHead(200).end();
  });
  scenes = administrationScenes(peers.secrets, `http://127.0.0.1:${receiver.port}/eventos`);
  interceptTable();
  tableClient().middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const isOwn = WRITE.test(`table ${commandName}`);
        if (isOwn && !/"(AUDIT|ENCRYPTIONS)#/.test(JSON.stringify(args.input))) written += 1;
        return result;
      },
    { step: 'build', name: 'written' },
  );
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  process.env['KEYS_SECRET'] = keysSecret;
  await clearTable();
  setServiceKeys(peers.secrets);
});

/** Returns, as text, what an operation can change outside of the table: both queues, secrets, calls to the receiver. */
async function outside(): Promise<string> {
  const queues = ['DELIVERY_QUEUE_URL', 'DELIVERY_DLQ_URL'].map(async (name) => {
    const { visible, taken, delayed } = await new QueueView(process.env[name]!).counts();
    return visible + taken + delayed;
  });
  const names = [...peers.blueprint.secrets.map(({ name }) => name), process.env['KEYS_SECRET']!];
  const secrets = names.map((name) => peers.secrets.has(name) && peers.secrets.current(name));
  return JSON.stringify([await Promise.all(queues), secrets, received]);
}

let runs = 0;

/**
 * Makes one call in a scene of its own. Returns its answer, the outcome in its audit row, and whether it changed
 * anything.
 */
async function play(operation: AdministrationOperation, through: (run: () => Promise<CallAnswer>) => Promise<unknown>) {
  const call = await scenes[operation]!();
  const reason = `RUN-${++runs}`;
  const before = await outside();
  const first = written;
  const body = { ...(call.body as object), reason };
  const answer = (await through(() => administration(operation, { ...call, body }))) as CallAnswer | undefined;
  const rows = (await everyRow()).filter((row) => String(row['pk']).startsWith('AUDIT#') && row['reason'] === reason);
  expect(rows.length).toBeLessThanOrEqual(1);
  const writes = written - first;
  return { answer, audit: rows[0]?.['outcome'], writes, changed: writes > 0 || (await outside()) !== before };
}

it.each(AUDITED)('the audit of %s stays true if its process dies or a call gets no answer', async (operation) => {
  const counting = recorded();
  const whole = await play(operation, (run) => intercepted(counting, run));
  const calls = counting.calls.map(({ name }) => name);
  expect(whole.answer?.status, whole.answer?.text).toBe(200);
  expect(whole).toMatchObject({ audit: 'done', changed: !READING.includes(operation) });

  // A failure at any read before the first write has the same effect, so only the last of these reads is tried.
  const lastRead = calls.findIndex((name) => WRITE.test(name)) - 1;
  const points = calls.flatMap((_, index) =>
    index < lastRead ? [] : MISHAPS.map((mishap) => ({ at: index + 1, ...mishap })),
  );
  const stride = SOAK ? 1 : Math.ceil(points.length / SAMPLE);
  for (let index = AUDITED.indexOf(operation) % stride; index < points.length; index += stride) {
    const { mishap, ...point } = points[index]!;
    const left = await play(operation, async (run) =>
      mishap === 'dies' ? (await stoppedAt(point, run)).result : intercepted(failingAt(point), run),
    );
    const where = `${mishap} ${point.when} call ${point.at} of ${calls.length}, ${calls[point.at - 1]}`;
    expectTruth(left, whole, where);
  }
});

type Left = Awaited<ReturnType<typeof play>>;

function expectTruth(left: Left, whole: Left, where: string): void {
  const { audit, changed, writes } = left;
  const { status, body } = left.answer ?? {};
  const told = { where, audit, changed, writes, status };
  if (audit === undefined || audit === 'failed') expect(told).toEqual({ ...told, changed: false });
  if (audit === 'done') expect(told).toEqual({ ...told, writes: whole.writes, changed: whole.changed });
  if (status === 200) expect(told).toEqual({ ...told, audit: expect.stringMatching(/^(done|started)$/) });
  // If something was changed, an error says that the outcome is unknown. It never says that the call was refused.
  if (status !== undefined && status !== 200 && changed) expect(body.code, where).toBe('outcome_unknown');
}
