import { expect, it } from 'vitest';
import { recentWrites } from '#infra/local/aws/aws-like/recent-writes.ts';
import { awsLikeSettings } from '#infra/local/aws/aws-like/settings.ts';

it('indexes show a write after the lag and not before, whatever is written in between', async () => {
  let now = 0;
  const settings = { ...awsLikeSettings('default', 1), indexLag: [10, 10], readLag: [0, 0] } as const;
  const writes = recentWrites(
    () => settings,
    () => 0,
    () => now,
  );
  const write = (id: string, taken = true) =>
    writes.record(
      [{ id, table: 'T' } as never],
      async () => [undefined],
      async () => id,
      () => taken,
    );
  const unseen = () => writes.allOld('T', writes.unindexed()).map(({ row }) => row.id);
  const seenAt: Record<number, string[]> = {};
  for (const [id, at] of Object.entries({ a: 0, b: 5, c: 10, d: 14 })) {
    now = at;
    await write(id);
    await write('refused', false);
    seenAt[at] = unseen();
  }
  expect(seenAt).toEqual({ 0: ['a'], 5: ['a', 'b'], 10: ['b', 'c'], 14: ['b', 'c', 'd'] });
  now = 24;
  expect(unseen()).toEqual([]);
});
