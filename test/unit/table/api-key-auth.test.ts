import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { apiKeyHash, makeApiKey, parseApiKey } from '#shared/domain/partners/api-key.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { TableApiKeyAuth } from '#shared/table/partners/api-key-auth.ts';
import { tableClient } from '#shared/table/rows/client.ts';

const MINUTE = 60_000;
const START = 29_919_600 * MINUTE;
const LIMIT = 1_000;
const KEY = makeApiKey(3 as PartnerId, 'sandbox').text;
const { keyId } = parseApiKey(KEY)!;

/** Returns the partner's item with the counts of the minute before and of this one, and the key with a hash. */
const item = (previous: number, current = 0, h = apiKeyHash(KEY)) => {
  const counts = { [`s${START / MINUTE - 1}`]: previous, [`s${START / MINUTE}`]: current };
  return { k: { [keyId]: { h, s: 15, u: 11 } }, ls: LIMIT, ...counts };
};

/** Makes the table refuse or take one update after the other. */
function tableSays(...answers: readonly { readonly refused: boolean; readonly item: object }[]) {
  let asked = 0;
  const send = vi.spyOn(tableClient(), 'send') as unknown as {
    mockImplementation(answer: () => Promise<unknown>): void;
  };
  send.mockImplementation(async () => {
    const answer = answers[asked++];
    if (!answer) throw new Error('asked more often than the test has answers');
    if (!answer.refused) return { Attributes: answer.item };
    const message = 'The conditional request failed';
    throw new ConditionalCheckFailedException({ $metadata: {}, message, Item: marshall(answer.item) });
  });
  return { asked: () => asked };
}

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'the-table');
  vi.stubEnv('AWS_REGION', 'sa-east-1');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const authenticate = () => new TableApiKeyAuth(() => START).authenticate(KEY);

it('authenticate admits a call at the turn of a minute after four refusals that late calls cause', async () => {
  // Each refusal shows that late calls have raised the count of the minute before beyond what the try believed.
  const raised = [500, 751, 876, 939].map((previous) => ({ refused: true, item: item(previous) }));
  const table = tableSays(...raised, { refused: false, item: item(939, 1) });
  expect(await authenticate()).toMatchObject({ limit: LIMIT, left: LIMIT - 939 - 1 });
  expect(table.asked()).toBe(5);
});

it('authenticate refuses a call without another try if the minute has no room', async () => {
  const table = tableSays({ refused: true, item: item(LIMIT) });
  await expect(authenticate()).rejects.toMatchObject({ code: 'rate_limited' });
  expect(table.asked()).toBe(1);
});

it('authenticate throws auth_invalid, not rate_limited, for a known key id with another secret', async () => {
  const foreign = apiKeyHash(makeApiKey(3 as PartnerId, 'sandbox').text);
  tableSays({ refused: true, item: item(LIMIT, 0, foreign) });
  await expect(authenticate()).rejects.toMatchObject({ code: 'auth_invalid' });
});

it('a container refuses the latest 1,000 unknown keys without asking the table', async () => {
  const keys = Array.from({ length: 1_001 }, (_, partner) => makeApiKey((partner + 1) as PartnerId, 'sandbox').text);
  const table = tableSays(...Array(1_002).fill({ refused: true, item: {} }));
  const auth = new TableApiKeyAuth(() => START);
  const asked = async (key: string) => {
    await expect(auth.authenticate(key)).rejects.toMatchObject({ code: 'auth_invalid' });
    return table.asked();
  };
  for (const key of keys.slice(0, -1)) await asked(key);
  // The first key is still known. The second is forgotten when one more key comes.
  expect(await asked(keys[0]!)).toBe(1_000);
  expect(await asked(keys.at(-1)!)).toBe(1_001);
  expect(await asked(keys[1]!)).toBe(1_002);
});
