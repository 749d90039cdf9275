import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchLogsClient, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { accessTo } from '#bin/manager/aws.ts';
import { callsOfKey } from '#bin/manager/panel/calls-of-key.ts';
import type { ReachedStage } from '#bin/manager/stage.ts';
import { stageValues } from '#infra/stages.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const ASKED = { partner_id: 123, key_id: 'a1B2c', since: '2026-11-22T09:00:00-03:00' };
const ADDRESS = '198.51.100.7';

let logs: string;
beforeAll(() => {
  logs = mkdtempSync(join(tmpdir(), 'partner-credit-calls-'));
});
afterAll(() => rmSync(logs, { recursive: true }));
afterEach(() => void vi.restoreAllMocks());

/** A stage of which only the parts are there that reading calls needs. */
const stageOf = (parts: Partial<ReachedStage>) =>
  ({ caller: 'security', logs, aws: undefined, ...parts }) as ReachedStage;
const ask = (sent: unknown, parts: Partial<ReachedStage> = {}) => callsOfKey(stageOf(parts), () => NOW)({ sent });

/** Writes calls of the key into the log of the local run, one each second from a moment on. */
function logCalls(count: number): void {
  const lines = Array.from({ length: count }, (_, index) => ({
    code: 'request_completed',
    timestamp: new Date(NOW - (index + 1) * 1000).toISOString(),
    request_id: `r-${index}`,
    operation: 'get-lead',
    status: 200,
    partner: 123,
    key: 'a1B2c',
    lead: 7001,
  }));
  const access = lines.map(({ request_id }) => ({ request_id, address: ADDRESS, status: '200' }));
  writeFileSync(join(logs, 'all.log'), [...lines, ...access].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

it('callsOfKey answers the calls of a key from the local run, newest first and without addresses', async () => {
  logCalls(2);
  const { status, body } = await ask(ASKED);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    more: false,
    calls: [
      { at: '2026-11-23T11:59:59.000Z', operation: 'get-lead', status: 200, lead: 7001 },
      { at: '2026-11-23T11:59:58.000Z' },
    ],
  });
  expect(JSON.stringify(body)).not.toContain(ADDRESS);
});

it('callsOfKey answers only the newest 1,000 calls, and says that there are more', async () => {
  logCalls(1_001);
  const { body } = await ask(ASKED);
  expect(body).toMatchObject({ more: true, calls: { length: 1_000 } });
});

it('callsOfKey answers forbidden if the duty may not read calls', async () => {
  const { status, body } = await ask(ASKED, { caller: 'support' });
  expect(status).toBe(403);
  expect(body).toMatchObject({ ok: false, code: 'forbidden' });
});

it.each([
  ['no key', { ...ASKED, key_id: 'pmc_00000001za1B2cS3CRET' }, 'key_id'],
  ['no moment', { ...ASKED, since: 'yesterday' }, 'since'],
  ['no partner', { key_id: 'a1B2c', since: ASKED.since }, 'partner_id'],
])('callsOfKey answers field_invalid if the page names %s, and does not repeat the value', async (_, sent, field) => {
  const { status, body } = await ask(sent);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'field_invalid', fields: [{ field }] });
  expect(JSON.stringify(body)).not.toMatch(/S3CRET|yesterday/);
});

/** A stage on AWS whose Logs Insights gives these answers. Returns the texts of the queries, too. */
function onAws(answer: (sent: unknown) => unknown) {
  const queries: string[] = [];
  vi.spyOn(CloudWatchLogsClient.prototype, 'send').mockImplementation(async (sent: unknown) => {
    if (sent instanceof StartQueryCommand) queries.push(sent.input.queryString ?? '');
    return answer(sent);
  });
  const stage = stageValues('dev', {});
  return { queries, parts: { aws: { access: accessTo(stage.region), stage } } };
}

it('callsOfKey unmasks no address on AWS, and leaves the masked one out', async () => {
  const row = Object.entries({ at: NOW, of_operation: 'get-lead', of_status: '200', of_address: '***' });
  const results = [row.map(([field, value]) => ({ field, value: String(value) }))];
  const { queries, parts } = onAws((sent) =>
    sent instanceof StartQueryCommand ? { queryId: 'q' } : { status: 'Complete', results },
  );
  const { body } = await ask(ASKED, parts);
  expect(body).toMatchObject({ calls: [{ at: '2026-11-23T12:00:00.000Z', operation: 'get-lead', status: 200 }] });
  expect(JSON.stringify(body)).not.toContain('***');
  expect(queries[0]).toContain('of_key = "a1B2c"');
  expect(queries[0]).not.toContain('unmask');
});

it('callsOfKey answers forbidden if AWS denies the query, and unavailable if the query does not end', async () => {
  const denied = onAws(() => {
    throw Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
  });
  expect(await ask(ASKED, denied.parts)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const slow = onAws((sent) => (sent instanceof StartQueryCommand ? { queryId: 'q' } : { status: 'Timeout' }));
  expect(await ask(ASKED, slow.parts)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
});
