import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AdministrationOperation } from '#shared/administration/operations.ts';
import { type AdministrationCall, administration, because } from '#test/makers/administration.ts';
import { administrationScenes } from '#test/makers/administration-scenes.ts';
import { bookDeliveries, makeWebhookPartner, newDelivery } from '#test/makers/booked.ts';
import { withPagesOfOne } from '#test/makers/pages-of-one.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { cpfFrom } from '#test/makers/people.ts';
import { type Receiver, startPlainReceiver } from '#test/makers/receiver.ts';
import { clearTable } from '#test/makers/rows.ts';
import { setServiceKeys } from '#test/makers/service-keys.ts';
import { QueueView } from '#test/makers/sqs.ts';

const peers = usePeers();
let receiver: Receiver;
let scenes: ReturnType<typeof administrationScenes>;
beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  receiver = await startPlainReceiver((_, response) => response.writeHead(200).end());
  scenes = administrationScenes(peers.secrets, `http://127.0.0.1:${receiver.port}/eventos`);
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  await clearTable();
  setServiceKeys(peers.secrets);
  await new QueueView(process.env['DELIVERY_DLQ_URL']!).purge();
});

interface Work {
  /** Part of the answer if the time is nearly over when the call begins. */
  readonly late: object;
  /** Part of the answer if there is time for everything. */
  readonly whole: object;
  /** Makes the call. @default the scene of the operation */
  readonly scene?: () => Promise<AdministrationCall>;
  /** Whether the work is part of the preview. */
  readonly isPreview?: true;
  /** Whether the scene has more rows than a page, so that pages need not be made shorter. */
  readonly hasLongList?: true;
}

const CURSOR = expect.any(String);
const TO_THE_END = { late: { next_cursor: CURSOR }, whole: { next_cursor: null } };

/** Every operation that stops when its time is over: what it answers then, with pages of one row. */
const WORK: Readonly<Partial<Record<AdministrationOperation, Work>>> = {
  'count-rows': TO_THE_END,
  'discard-dead-letters': TO_THE_END,
  'enable-webhook': {
    late: { released: 1, total: null, next_cursor: CURSOR },
    whole: { released: 3, total: 3, next_cursor: null },
  },
  'export-audit': TO_THE_END,
  'find-leads': {
    late: { done: 1, total: 2, next_cursor: CURSOR },
    whole: { done: 2, total: 2, next_cursor: null },
    scene: async () => {
      await makePartner();
      await makePartner();
      return { body: { cpf: cpfFrom(1), ...because } };
    },
  },
  'list-pending-analyses': TO_THE_END,
  'redrive-dead-letters': { late: { redriven: 0, next_cursor: CURSOR }, whole: { redriven: 1, next_cursor: null } },
  'replay-deliveries': {
    late: { sent: 200, total: null },
    whole: { sent: 200, total: 201 },
    scene: async () => {
      const owner = await makeWebhookPartner(Date.now());
      const { partnerId: partner_id, environment } = owner;
      await bookDeliveries(Array.from({ length: 201 }, () => newDelivery(owner, { state: 'esgotada', attempts: 12 })));
      return { body: { partner_id, environment, since: new Date(0).toISOString(), ...because } };
    },
    hasLongList: true,
  },
  'retire-service-keys': { late: { retired: [], next_cursor: CURSOR }, whole: { retired: [1], next_cursor: null } },
  'rewrite-rows': TO_THE_END,
  'set-webhook': { late: { waiting: 1_000 }, whole: { waiting: 3 }, isPreview: true },
  'show-webhook': { late: { webhooks: [{ suspended: 10_000 }] }, whole: { webhooks: [{ suspended: 3 }] } },
};

const FUNCTIONS = join(import.meta.dirname, '../../../functions/administration');

it('this file has every operation of the administration that looks at its time', () => {
  const files = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const operations = files
    .filter((file) => /\binTime\b/.test(readFileSync(join(FUNCTIONS, file), 'utf8')))
    .map((file) => file.replace(/^.*[/\\]|\.ts$/g, ''));
  expect(Object.keys(WORK)).toEqual(operations.sort());
});

/** Time that a function has left, in milliseconds, at which it begins no second piece of work. */
const NEARLY_OVER = 6_400;

it.each(Object.entries(WORK))(
  '%s does a part of its work if its time is nearly over, and else all of it',
  async (name, { late, whole, scene, isPreview, hasLongList }) => {
    const operation = name as AdministrationOperation;
    const answerOf = async (remaining?: number) => {
      await clearTable();
      setServiceKeys(peers.secrets);
      const call: AdministrationCall = await (scene ?? scenes[operation])();
      const { reason: _, confirm: __, ...rest } = (call.body ?? {}) as Readonly<Record<string, unknown>>;
      const body = isPreview ? { ...rest, dry_run: true } : call.body;
      const asked = { ...call, ...(body !== undefined && { body }), ...(remaining !== undefined && { remaining }) };
      const ask = () => administration(operation, asked);
      const { status, body: answer, text } = await (hasLongList ? ask() : withPagesOfOne(ask));
      expect(status, text).toBe(200);
      return answer;
    };
    expect(await answerOf(NEARLY_OVER)).toMatchObject(late);
    expect(await answerOf()).toMatchObject(whole);
  },
);
