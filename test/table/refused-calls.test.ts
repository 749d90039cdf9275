import { expect, test } from 'vitest';
import { REFUSALS_KEPT, type RefusedCall } from '#shared/domain/partners/partner.ts';
import { TableRefusedCalls } from '#shared/table/partners/refused-calls.ts';
import { expiryAt } from '#shared/table/rows/row-format.ts';
import { usePeers } from '../makers/peers.ts';
import { everyRow } from '../makers/rows.ts';
import { newTenancy } from '../makers/tenancy.ts';

const NOW = 1_780_000_000_000;

const refused = (requestId: string, at = NOW): RefusedCall => ({
  at,
  method: 'POST',
  path: '/v1/leads/{id}',
  code: 'campo_invalido',
  fields: ['cpf', 'renda'],
  requestId,
});

usePeers();
const calls = new TableRefusedCalls();

test('refused calls come as they were noted, newest first, however they were written', async () => {
  const tenancy = newTenancy('sandbox');
  expect(await calls.newest(tenancy, NOW)).toEqual([]);
  const noted = [refused('b', NOW - 2), refused('c', NOW - 1), { ...refused('a', NOW - 3), fields: [] }];
  for (const one of noted) await calls.note(tenancy, one);
  expect(await calls.newest(tenancy, NOW)).toEqual([noted[1], noted[0], noted[2]]);
});

test('refused calls of one millisecond are all kept, and one that is noted twice is one', async () => {
  const tenancy = newTenancy('sandbox');
  for (const id of ['a', 'b', 'b']) await calls.note(tenancy, refused(id));
  const ids = (await calls.newest(tenancy, NOW)).map(({ requestId }) => requestId);
  expect(ids.toSorted()).toEqual(['a', 'b']);
});

test('refused calls are gone a millisecond after their time', async () => {
  const tenancy = newTenancy('sandbox');
  await calls.note(tenancy, refused('gone in time'));
  const row = (await everyRow()).find(({ requestId }) => requestId === 'gone in time');
  expect(row!['expiresAt']).toBe(expiryAt(NOW + REFUSALS_KEPT.milliseconds));
  expect(await calls.newest(tenancy, NOW + REFUSALS_KEPT.milliseconds)).toHaveLength(1);
  expect(await calls.newest(tenancy, NOW + REFUSALS_KEPT.milliseconds + 1)).toEqual([]);
});

test('refused calls are the newest, where there are more than are shown', async () => {
  const tenancy = newTenancy('sandbox');
  const noted = Array.from({ length: REFUSALS_KEPT.newest + 3 }, (_, index) => refused(`r${index}`, NOW + index));
  await Promise.all(noted.map((one) => calls.note(tenancy, one)));
  const newest = noted.toReversed().slice(0, REFUSALS_KEPT.newest);
  expect(await calls.newest(tenancy, NOW + noted.length)).toEqual(newest);
});
