import { describe, expect, test } from 'vitest';
import type { PollCursor } from '../../shared/domain/analyses/poll-cursor.ts';
import { tableCursors } from '../../shared/table/cursors.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();
const cursors = tableCursors();

describe('cursors', () => {
  test('have nothing of a job of which no run has left anything over', async () => {
    expect(await cursors.read('fresh')).toBeUndefined();
  });

  test('give the position that was written last, job by job', async () => {
    const partition = { environment: 'producao', bank: 'itau', bucket: 7 } as const;
    const cutOff: PollCursor = {
      through: 29_666_667,
      owed: [{ ...partition, from: 0, to: 1_780_000_000_000, dueAt: 1_780_000_060_000 }],
      begin: [{ ...partition, bank: 'brb', at: 1_780_000_000_000 }],
    };
    const finished: PollCursor = { through: 29_666_668, owed: [], begin: [] };
    await cursors.write('first', finished);
    await cursors.write('second', finished);
    await cursors.write('first', cutOff);
    expect(await cursors.read('first')).toEqual(cutOff);
    expect(await cursors.read('second')).toEqual(finished);
  });
});
