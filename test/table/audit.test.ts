import { expect, it } from 'vitest';
import type { AuditPeriod } from '#shared/domain/audit/ports.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { TableAuditTrail } from '#shared/table/audit/audit.ts';
import { usePeers } from '../makers/peers.ts';
import { rowsOf } from '../makers/rows.ts';

usePeers();

it('close notes the outcome of a change once, and a second close changes nothing', async () => {
  const trail = new TableAuditTrail();
  const entry = {
    about: 'service',
    who: 'ana',
    action: 'change-service-keys',
    target: { name: 'a' },
    reason: 'r',
  } as const;
  const { close } = await trail.begin(entry, 1_780_000_000_000);
  await close('done', { next: 'b' });
  await close('failed', { next: 'c' });
  const { items } = await trail.newest('service', 10);
  expect(items).toMatchObject([{ outcome: 'done', target: { name: 'a', next: 'b' } }]);
});

it('close leaves who, what and why of a row as begin has put them, and adds the result next to them', async () => {
  const about = 9 as PartnerId;
  const entry = { about, who: 'ana', action: 'create-key', target: { unit: 7 }, reason: 'r' } as const;
  const { close } = await new TableAuditTrail().begin(entry, 1_780_000_000_000);
  const [begun] = await rowsOf('AUDIT#9');
  await close('done', { key: 'abcde', unit: 8 });
  expect(await rowsOf('AUDIT#9')).toEqual([{ ...begun, outcome: 'done', result: { key: 'abcde', unit: 8 } }]);
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
