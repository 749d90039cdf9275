import { CloudWatchLogsClient, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, expect, it, vi } from 'vitest';
import { accessTo } from '#bin/manager/aws.ts';
import { callsOnAws } from '#bin/manager/key-calls.ts';
import { stageValues } from '#infra/stages.ts';
import type { KeyId, PartnerId } from '#shared/domain/values/ids.ts';

const MOMENT = 1_795_165_687_123;
const SEARCH = { partnerId: 123 as PartnerId, keyId: 'a1B2c' as KeyId, since: MOMENT, until: MOMENT + 60_000 };

afterEach(() => void vi.restoreAllMocks());

/**
 * Runs callsOnAws. AWS answers with these results, one for each GetQueryResults. Returns the calls and the queries that
 * were started.
 */
async function ask(...looks: readonly { readonly status: string; readonly results?: object }[]) {
  const started: StartQueryCommand['input'][] = [];
  const left = [...looks];
  vi.spyOn(CloudWatchLogsClient.prototype, 'send').mockImplementation(async (sent: unknown) =>
    sent instanceof StartQueryCommand ? started.push(sent.input) : left.shift(),
  );
  const stage = stageValues('dev', {});
  return { calls: await callsOnAws({ access: accessTo(stage.region), stage }, SEARCH, async () => undefined), started };
}

const row = (columns: object) => Object.entries(columns).map(([field, value]) => ({ field, value: `${value}` }));

it("callsOnAws runs the runbook's query for one key on the log groups of its stage, and waits for it", async () => {
  const found = { of_operation: 'get-lead', of_status: 200, of_lead: 123_456_789_012_345, of_address: '198.51.100.7' };
  const results = [row({ request_id: 'r-1', at: MOMENT, ...found }), row({ at: '2026-11-20 09:08:07.123', ...found })];
  const { calls, started } = await ask({ status: 'Scheduled' }, { status: 'Running' }, { status: 'Complete', results });
  const call = { operation: 'get-lead', status: 200, lead: 123_456_789_012_345, address: '198.51.100.7' };
  expect(calls).toEqual([MOMENT, Date.parse('2026-11-20T09:08:07.123Z')].map((at) => ({ ...call, at })));
  const [{ queryString, logGroupNames = [], ...times }] = started as [StartQueryCommand['input']];
  expect(queryString).toMatch(/ partner = "123"\n[\s\S]*\| filter of_key = "a1B2c"\n/);
  expect(logGroupNames).toContain('/aws/lambda/partner-credit-dev-get-lead');
  expect(logGroupNames.at(-1)).toBe('/partner-credit-dev/access');
  expect(logGroupNames.length).toBeLessThanOrEqual(50);
  expect(times).toEqual({ startTime: 1_795_165_687, endTime: 1_795_165_748 });
});

it('callsOnAws starts another query at the oldest call if a query is full, and lists each call once', async () => {
  const at = (moment: number) => row({ at: moment });
  const results = Array.from({ length: 10_000 }, (_, index) => at(SEARCH.until - Math.floor(index / 2)));
  const oldest = SEARCH.until - 4_999;
  const more = [oldest + 1, oldest, oldest, oldest, MOMENT].map(at);
  const { calls, started } = await ask({ status: 'Complete', results }, { status: 'Complete', results: more });
  expect(calls).toHaveLength(10_002);
  expect(calls.slice(-4).map((call) => call.at)).toEqual([oldest, oldest, oldest, MOMENT]);
  expect(started[1]).toEqual({ ...started[0], endTime: Math.ceil(oldest / 1000) });
});

it('callsOnAws throws a CommandError if Logs Insights does not complete the query', async () => {
  await expect(ask({ status: 'Timeout' })).rejects.toThrow('Logs Insights says Timeout: repeat it');
});
