import { expect, it } from 'vitest';
import { parseApiKey } from '#shared/domain/partners/api-key.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { useManager } from '#test/makers/served-administration.ts';

// The local gateway admits a call by the duty of its token. On AWS, IAM does so by a person's policies.

const manager = useManager(usePeers());

const REFUSED = 'manager: none of your duties allows this operation\n';
const WHY = ['--reason', 'INC-1', '--yes'];
const SANDBOX = ['--environment', 'sandbox'];

it('the duty support may set a webhook and make no key, and the audit names the duty', async () => {
  const { partnerId, unitId } = await makePartner();
  const support = (...args: (string | number)[]) => manager([...args, '--partner', partnerId, '--duty', 'support']);
  expect(await support('keys', 'create', '--unit', unitId, ...SANDBOX, ...WHY)).toMatchObject({
    code: 1,
    err: REFUSED,
  });
  expect(await support('webhook', 'set', '--url', 'http://127.0.0.1:9/', ...SANDBOX, ...WHY)).toMatchObject({
    code: 0,
  });
  expect((await support('audit', 'list', '--json')).json().entries).toMatchObject([
    { action: 'set-webhook', who: expect.stringMatching(/-support\/local$/), target: { environment: 'sandbox' } },
  ]);
});

it('the duty security may revoke a key and make none', async () => {
  const { partnerId, unitId, keys } = await makePartner();
  const security = (...args: (string | number)[]) => manager([...args, '--partner', partnerId, '--duty', 'security']);
  expect(await security('keys', 'create', '--unit', unitId, ...SANDBOX, ...WHY)).toMatchObject({
    code: 1,
    err: REFUSED,
  });
  expect((await security('keys', 'revoke', parseApiKey(keys.sandbox)!.keyId, ...WHY)).code).toBe(0);
});
