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

test('newest returns refused calls as they were noted, newest first, in whatever order they were written', async () => {
  const tenancy = newTenancy('sandbox');
  expect(await calls.newest(tenancy, NOW)).toEqual([]);
  const noted = [refused('b', NOW - 2), refused('c', NOW - 1), { ...refused('a', NOW - 3), fields: [] }];
  for (const one of noted) await calls.note(tenancy, one);
  expect(await calls.newest(tenancy, NOW)).toEqual([noted[1], noted[0], noted[2]]);
});

test('note keeps every refused call of one millisecond, and a call that is noted twice only once', async () => {
  const tenancy = newTenancy('sandbox');
  for (const id of ['a', 'b', 'b']) await calls.note(tenancy, refused(id));
  const ids = (await calls.newest(tenancy, NOW)).map(({ requestId }) => requestId);
  expect(ids.toSorted()).toEqual(['a', 'b']);
});

test('newest leaves out a refused call one millisecond after its time', async () => {
  const tenancy = newTenancy('sandbox');
  await calls.note(tenancy, refused('gone in time'));
  const row = (await everyRow()).find(({ requestId }) => requestId === 'gone in time');
  expect(row!['expiresAt']).toBe(expiryAt(NOW + REFUSALS_KEPT.milliseconds));
  expect(await calls.newest(tenancy, NOW + REFUSALS_KEPT.milliseconds)).toHaveLength(1);
  expect(await calls.newest(tenancy, NOW + REFUSALS_KEPT.milliseconds + 1)).toEqual([]);
});

test('newest returns only the newest refused calls if there are more than it shows', async () => {
  const tenancy = newTenancy('sandbox');
  const noted = Array.from({ length: REFUSALS_KEPT.newest + 3 }, (_, index) => refused(`r${index}`, NOW + index));
  await Promise.all(noted.map((one) => calls.note(tenancy, one)));
  const newest = noted.toReversed().slice(0, REFUSALS_KEPT.newest);
  expect(await calls.newest(tenancy, NOW + noted.length)).toEqual(newest);
});
