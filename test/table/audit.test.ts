import { expect, it } from 'vitest';
import type { AuditPeriod } from '#shared/domain/audit/ports.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
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

it('newest returns only the changes of a period, newest first, page by page', async () => {
  const trail = new TableAuditTrail();
  const moments = [1_780_000_000_000, 1_780_000_000_001, 1_780_000_000_002, 1_780_000_000_003];
  for (const at of moments)
    await trail.begin({ about: 7 as PartnerId, who: 'ana', action: 'set-rate', target: {}, reason: 'r' }, at);
  const inPeriod = async (period: AuditPeriod, limit = 10, after?: string) => {
    const { items, next } = await trail.newest(7 as PartnerId, limit, after, period);
    return { found: items.map(({ at }) => moments.indexOf(at)), next };
  };
  const [from, to] = [moments[1], moments[3]];
  expect((await inPeriod({ from, to })).found).toEqual([2, 1]);
  expect((await inPeriod({ from })).found).toEqual([3, 2, 1]);
  expect((await inPeriod({ to })).found).toEqual([2, 1, 0]);
  const first = await inPeriod({ from, to }, 1);
  expect(first.found).toEqual([2]);
  expect((await inPeriod({ from, to }, 1, first.next)).found).toEqual([1]);
});
