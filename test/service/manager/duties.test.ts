import { describe, expect, it } from 'vitest';
import { parseApiKey } from '../../../shared/domain/partners/api-key.ts';
import { makePartner, usePeers } from '../../makers/peers.ts';
import { useManager } from '../../makers/served-administration.ts';

const manager = useManager(usePeers());

const REFUSED = 'manager: none of your duties allows this operation\n';
const WHY = ['--reason', 'INC-1', '--yes'];

describe('a caller with the duty support', () => {
  const support = (...args: (string | number)[]) => manager([...args, '--duty', 'support']);

  it.each([
    ['keys create', (partner: number, unit: number) => ['keys', 'create', '--partner', partner, '--unit', unit]],
    ['keys list', (partner: number) => ['keys', 'list', '--partner', partner]],
    ['partners create', () => ['partners', 'create', '--name', 'Casa']],
    ['rate set', (partner: number) => ['rate', 'set', '--partner', partner, '--environment', 'sandbox', '--limit', 5]],
    [
      'leads erase',
      (partner: number, unit: number) => [
        ...['leads', 'erase', '--lead', 1, '--partner', partner, '--unit', unit, '--environment', 'sandbox', ...WHY],
      ],
    ],
    ['keys init', () => ['keys', 'init']],
    ['audit export', () => ['audit', 'export', '--month', '2026-11']],
  ])('is refused %s, in a sentence, and nothing is noted', async (_, args) => {
    const { partnerId, unitId } = await makePartner();
    const ran = await support(...args(partnerId, unitId));
    expect([ran.code, ran.err.endsWith(REFUSED.replace('manager: ', ''))], ran.err).toEqual([1, true]);
    expect((await manager(['audit', 'list', '--partner', partnerId, '--json'])).json()).toEqual([]);
  });

  it('sets a webhook, and the audit knows as whom', async () => {
    const { partnerId } = await makePartner();
    const set = await support('webhook', 'set', '--partner', partnerId, '--url', 'http://127.0.0.1:9/');
    expect(set.code, set.err).toBe(0);
    const [row] = (await support('audit', 'list', '--partner', partnerId, '--json')).json();
    expect(row).toMatchObject({ action: 'set-webhook', who: expect.stringMatching(/-support\/local$/) });
  });
});

it('who keeps keys safe may end one, and make none', async () => {
  const { partnerId, unitId, keys } = await makePartner();
  const security = (...args: (string | number)[]) => manager([...args, '--duty', 'security']);
  const made = await security('keys', 'create', '--partner', partnerId, '--unit', unitId);
  expect([made.code, made.err]).toEqual([1, REFUSED]);
  const { keyId } = parseApiKey(keys.sandbox)!;
  expect((await security('keys', 'revoke', keyId, '--partner', partnerId, ...WHY)).code).toBe(0);
});

it('without a duty each call is made as the first that may', async () => {
  const { partnerId } = await makePartner();
  expect((await manager(['operator', 'show'])).out).toMatch(/token +set\n/);
  expect((await manager(['partners', 'show', partnerId])).code).toBe(0);
});
