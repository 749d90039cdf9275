import { expect, it } from 'vitest';
import { RecentMap } from '../../../shared/runtime/cached.ts';

it('keeps the entries that were set most recently', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([map.take('a'), map.take('b'), map.take('c')]).toEqual([3, undefined, 4]);
});

it('forgets what is taken, and stays within its bound', () => {
  const map = new RecentMap<number, number>(3);
  for (let key = 0; key < 10; key++) map.set(key, key);
  const kept = Array.from({ length: 10 }, (_, key) => map.take(key)).filter((value) => value !== undefined);
  expect(kept).toEqual([7, 8, 9]);
  expect(map.take(9)).toBeUndefined();
});
