/**
 * What a panel's action waits for: at most two rounds of reads of the table. Reads that are under way side by side are one
 * round; one that begins after another has ended is the next. An operation's own writes and the two of the audit are not
 * counted, nor are queues, secrets and receivers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PANEL_OPERATIONS, type PanelOperation } from '../../../bin/manager/panel/forward.ts';
import { STEPS } from '../../../shared/domain/partners/sandbox-checklist.ts';
import { checklistKey } from '../../../shared/table/keys.ts';
import { type AdministrationCall, administration, because } from '../../makers/administration.ts';
import { type AdministrationScene, administrationScenes } from '../../makers/administration-scenes.ts';
import { bookMany, bookOne, newDelivery } from '../../makers/booked.ts';
import { intercepted, interceptTable } from '../../makers/intercepted.ts';
import { makePartner, usePeers } from '../../makers/peers.ts';
import { type Receiver, startPlainReceiver } from '../../makers/receiver.ts';
import { clearTable } from '../../makers/rows.ts';
import { put } from '../../makers/walk.ts';

const BUDGET = 2;

/**
 * Operations that take more rounds in the scenes below: how many, and why no fewer. Those that grow with the data go page
 * by page and show their progress.
 */
const ABOVE: Readonly<Partial<Record<PanelOperation, { readonly rounds: number; readonly because: string }>>> = {
  'show-sandbox-checklist': { rounds: 4, because: 'until all is noted it goes from unit to leads to what each has' },
  'validate-partner': { rounds: 4, because: 'it is decided by the same checklist' },
  'find-leads': { rounds: 3, because: 'partner, then its units, then the CPF in each; all partners page by page' },
  'export-lead': { rounds: 4, because: 'nobody reads a person unnoted; then lists, rows, and what the rows name' },
  'erase-lead': { rounds: 9, because: 'each step looks at what the one before it has left' },
  'export-audit': { rounds: 5, because: 'it goes by the register of partners, once a month, page by page' },
};

const peers = usePeers();
let receiver: Receiver;
let scenes: ReturnType<typeof administrationScenes>;
beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  interceptTable();
  receiver = await startPlainReceiver((_, response) => response.writeHead(200).end());
  scenes = administrationScenes(peers.secrets, `http://127.0.0.1:${receiver.port}/eventos`);
});
afterAll(() => receiver.stop());

const READ = /^table (Get|BatchGet|Query|Scan|TransactGet)/;

/** Turns of the event loop without a call of the table after which whoever waits for reads goes on. */
const QUIET = 20;

/**
 * How many rounds of reads a call took, and the reads with the round of each. What a round has read is told once nothing
 * more begins beside it: how fast the table answers each read does not matter.
 */
async function roundsOf(operation: PanelOperation, call: AdministrationCall) {
  let rounds = 0;
  let underWay = 0;
  let untold = 0;
  let waiting: (() => void)[] = [];
  const reads: string[] = [];
  async function endRound(): Promise<void> {
    for (let turn = 0; turn < QUIET; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (underWay > 0) return;
    }
    const all = waiting;
    waiting = [];
    untold = 0;
    for (const goOn of all) goOn();
  }
  const counting = {
    async around<T>(name: string, made: () => Promise<T>): Promise<T> {
      const isRead = READ.test(name);
      if (isRead && untold === 0) rounds += 1;
      if (isRead) reads.push(`${rounds} ${name}`);
      underWay += 1;
      untold += isRead ? 1 : 0;
      const answer = made().finally(() => {
        underWay -= 1;
        if (underWay === 0) void endRound();
      });
      if (!isRead) return answer;
      const [result] = await Promise.allSettled([answer, new Promise<void>((goOn) => waiting.push(goOn))]);
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    },
  };
  const { status, text } = await intercepted(counting, () => administration(operation, call));
  expect([status, text]).toEqual([200, text]);
  return { rounds, reads };
}

describe('a panel’s action waits for at most two rounds of reads', () => {
  it.each(PANEL_OPERATIONS)('%s', async (operation) => {
    // What goes by partners finds those of its own scene alone.
    await clearTable();
    const { rounds, reads } = await roundsOf(operation, await scenes[operation]());
    const above = ABOVE[operation]?.rounds;
    if (above === undefined) expect(rounds, reads.join(', ')).toBeLessThanOrEqual(BUDGET);
    else expect(rounds, reads.join(', ')).toBe(above);
  });

  it('no exception is named that needs none', () => {
    for (const { rounds } of Object.values(ABOVE)) expect(rounds).toBeGreaterThan(BUDGET);
  });

  const variants: readonly (readonly [string, PanelOperation, AdministrationScene])[] = [
    ['of a partner that has made every step', 'show-sandbox-checklist', complete],
    ['the same, opened to production', 'validate-partner', async () => ({ ...(await complete()), body: because })],
    ['of one analysis', 'list-deliveries', ofOneAnalysis],
    ['of one event', 'replay-deliveries', async () => ({ body: { event_id: await delivered(), ...because } })],
    ['as a preview', 'replay-deliveries', async () => ({ body: { event_id: await delivered(), dry_run: true } })],
    ['an address as one types', 'set-webhook', typed],
    ['a part of a name', 'list-partners', async () => (await makePartner()) && { query: { name: 'teste' } }],
  ];
  it.each(variants)('%s: %s', async (_, operation, scene) => {
    await clearTable();
    const { rounds, reads } = await roundsOf(operation, await scene());
    expect(rounds, reads.join(', ')).toBeLessThanOrEqual(BUDGET);
  });
});

/** A partner of whom every step in the sandbox is noted. */
async function complete() {
  const { partnerId, unitId } = await makePartner();
  const evidence = { kind: 'lead', id: 1, unitId, at: Date.now() };
  await put({ ...checklistKey(partnerId), ...Object.fromEntries(STEPS.map((step) => [step, evidence])) });
  return { params: { partner_id: partnerId } };
}

async function ofOneAnalysis() {
  const { partnerId } = await makePartner();
  const [one] = await bookMany([newDelivery(partnerId)]);
  return { query: { partner_id: partnerId, analysis_id: one!.analysisId, unit_id: one!.unitId } };
}

const delivered = async () =>
  (await bookOne((await makePartner()).partnerId, { state: 'entregue', attempts: 1 })).eventId;

async function typed() {
  const { params, body } = await scenes['set-webhook']();
  return { params, body: { url: body.url, dry_run: true } };
}
