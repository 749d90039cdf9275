import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type LocalServer, readBody, serve } from '#infra/local/listen.ts';
import { userPool } from '#shared/runtime/user-pool.ts';

const PERSON = { pool: 'sa-east-1_AbC', subject: '7f-a1' };
const asked: unknown[] = [];
let users: readonly object[];
let server: LocalServer;
beforeAll(async () => {
  server = await serve(async (request, response) => {
    asked.push(JSON.parse(String(await readBody(request, 1_000))));
    response.end(JSON.stringify({ Users: users }));
  });
  const names = [
    'AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER',
    'AWS_REGION',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
  ];
  for (const [index, value] of [server.url, 'sa-east-1', 'nobody', 'nothing'].entries())
    vi.stubEnv(names[index]!, value);
});
afterAll(() => server.close());

const has = (UserStatus: string, facts: object) => [
  { UserStatus, Attributes: Object.entries(facts).map(([Name, Value]) => ({ Name, Value })) },
];
it.each<[string, readonly object[], string | undefined]>([
  [
    'is returned if the pool has verified it',
    has('CONFIRMED', { email: 'a@x.example', email_verified: 'true' }),
    'a@x.example',
  ],
  [
    "is returned if the person's company vouches for it",
    has('EXTERNAL_PROVIDER', { email: 'b@x.example' }),
    'b@x.example',
  ],
  [
    'is not returned if the person has only entered it',
    has('CONFIRMED', { email: 'c@x.example', email_verified: 'false' }),
    undefined,
  ],
  ['is undefined if the pool does not know the person', [], undefined],
])('the e-mail of a person of the user pool %s', async (_, found, email) => {
  users = found;
  expect(await userPool().emailOf(PERSON)).toBe(email);
  expect(asked.at(-1)).toMatchObject({ UserPoolId: PERSON.pool, Filter: 'sub = "7f-a1"' });
});
