/**
 * An approved call runs twice at the same time, or gets no answer to a call. The change must be made once at most, and
 * nobody may have to ask again for a call that can be recognised by its token.
 */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { changeWebhookUrl, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { administration, because, CALLER } from '../makers/administration.ts';
import { atEachCall, failingAt, intercepted, interceptTable, meanwhile } from '../makers/intercepted.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { clearTable, rowsOf } from '../makers/rows.ts';

usePeers();
beforeAll(() => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  interceptTable();
});
beforeEach(() => {
  process.env['APPROVALS'] = 'required';
});

const OTHER = CALLER.replace('ana.lima', 'bia.reis');
const OLD = 'http://127.0.0.1:9/antigo';
const NEW = 'http://127.0.0.1:9/novo';
const TOKEN = 'the-token-of-the-call';

/** Makes a webhook of production, and an approved call that sets another address. */
async function approvedMove(more: object) {
  await clearTable();
  const { partnerId } = await makePartner();
  await setWebhook({ partnerId, environment: 'producao' }, OLD, newWebhookSecret(), Date.now());
  const params = { partner_id: partnerId, environment: 'producao' };
  const move = () => administration('set-webhook', { params, body: { url: NEW, ...more, ...because } });
  expect((await move()).body.code).toBe('approval_needed');
  const [{ approval_id }] = (await administration('list-approvals', {})).body.approvals;
  const decision = { params: { operation: 'set-webhook', approval_id }, caller: OTHER, body: because };
  expect((await administration('approve-approval', decision)).status).toBe(200);
  return { partnerId, move };
}

/** Returns how often the partner was told of another address, which is how often it was set. */
const timesMoved = async () =>
  (await rowsOf('DELIVERY#')).filter(({ body }) => String(body).includes('webhook_endereco')).length;
const requests = async () => (await rowsOf('APPROVAL#')).map(({ state }) => state);

/** Sets the first address again, as two people may do. No event tells the partner, so that it does not count. */
async function moveBack(partnerId: PartnerId) {
  const { webhooks } = (await administration('show-webhook', { params: { partner_id: partnerId } })).body;
  if (webhooks[0].url !== NEW) return;
  await changeWebhookUrl({ partnerId, environment: 'producao' }, OLD, Date.now() + 60_000);
}

it.each([
  ['without a token', {}],
  ['with a token', { token: TOKEN }],
])('of two runs of an approved call %s, one moves a webhook, although it is moved back between', async (_, more) => {
  const calls = await atEachCall(
    async ({ at }) => {
      const { partnerId, move } = await approvedMove(more);
      const other = meanwhile(
        undefined,
        async () => {
          await move();
          await moveBack(partnerId);
        },
        { at },
      );
      await intercepted(other, move);
      expect(await timesMoved(), `the other run came before call ${at}`).toBe(1);
      return other.calls < at;
    },
    ['before'],
  );
  expect(calls).toBeGreaterThan(5);
});

it('a call with a token whose answer was lost is made once, and needs no other approval', async () => {
  await atEachCall(async (point) => {
    const { move } = await approvedMove({ token: TOKEN });
    const lost = failingAt(point);
    const first = await intercepted(lost, move);
    const again = await move();
    const where = `no answer ${point.when} call ${point.at}: ${first.text}, ${again.text}`;
    expect(again.status, where).toBe(200);
    expect(await timesMoved(), where).toBe(1);
    expect(await requests(), where).toEqual(['used']);
    return first.status === 200;
  });
});

it('a call without a token whose answer was lost is made once, and repeated only if nothing was changed', async () => {
  await atEachCall(async (point) => {
    const { move } = await approvedMove({});
    const first = await intercepted(failingAt(point), move);
    const before = await timesMoved();
    const again = await move();
    const where = `no answer ${point.when} call ${point.at}: ${first.text}, ${again.text}`;
    expect(await timesMoved(), where).toBeLessThanOrEqual(1);
    if (before === 1) expect(again.body.code, where).toBe('approval_used');
    if (before === 0) expect(['approval_used', undefined], where).toContain(again.body.code);
    return first.status === 200;
  });
});
