import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Inbox, type InboxEvent, startInbox } from '#infra/local/inbox.ts';
import vector from '#shared/partner/docs/samples/vetor.json' with { type: 'json' };

const SECRET = vector.segredo;
const FRESH = `whsec_${Buffer.alloc(32).toString('base64')}`;
const BODY = JSON.stringify({ id: 'evt_1', type: 'analise.resultado', data: {} });

let inbox: Inbox;
const arrived: InboxEvent[] = [];
beforeEach(async () => {
  arrived.length = 0;
  inbox = await startInbox((event) => arrived.push(event));
  inbox.expect(SECRET);
});
afterEach(() => inbox.close());

function signed(body: string, secret = SECRET, now = new Date()): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'x-service-event': 'analise.resultado',
    'x-service-attempt': '2',
    'x-other': 'no part of it',
  };
}

const post = (headers: Record<string, string>, body = BODY) => fetch(inbox.url, { method: 'POST', headers, body });
const list = async () => (await (await fetch(inbox.url)).json()) as InboxEvent[];

it('the inbox accepts an event with two valid signatures, and lists it', async () => {
  expect((await post(signed(BODY))).status).toBe(200);
  expect(arrived).toHaveLength(1);
  const [event] = await list();
  expect(event).toMatchObject({ id: 'evt_1', type: 'analise.resultado', attempt: 2, status: 200 });
  expect(event).toMatchObject({ verified: { service: true, standard: true }, raw: BODY, body: JSON.parse(BODY) });
  expect(Object.keys(event!.headers)).toContain('x-service-signature');
  expect(event!.headers).not.toHaveProperty('x-other');
});

it.each([
  ['another body', signed('{}'), { service: false, standard: false }],
  ['another secret', signed(BODY, FRESH), { service: false, standard: false }],
  ['no service signature', { ...signed(BODY), 'x-service-signature': '' }, { service: false, standard: true }],
  ['no standard signature', { ...signed(BODY), 'webhook-signature': '' }, { service: true, standard: false }],
  ['an old timestamp', { ...signed(BODY), 'webhook-timestamp': '1763640000' }, { service: true, standard: false }],
])('the inbox refuses an event with %s', async (_, headers, verified) => {
  expect((await post(headers)).status).toBe(401);
  expect((await list())[0]?.verified).toEqual(verified);
});
