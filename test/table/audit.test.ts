import { expect, it } from 'vitest';
import { TableAuditTrail } from '#shared/table/audit/audit.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

it('close notes the outcome of a change once, and a second close changes nothing', async () => {
  const trail = new TableAuditTrail();
  const entry = {
    about: 'service',
    who: 'ana',
    action: 'rotate-index-key',
    target: { name: 'a' },
    reason: 'r',
  } as const;
  const { close } = await trail.begin(entry, 1_780_000_000_000);
  await close('done', { next: 'b' });
  await close('failed', { next: 'c' });
  const { items } = await trail.newest('service', 10);
  expect(items).toMatchObject([{ outcome: 'done', target: { name: 'a', next: 'b' } }]);
});
