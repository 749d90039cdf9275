import { describe, expect, test } from 'vitest';
import type { Cursors } from '../../shared/domain/analyses/ports.ts';

/** What every adapter of Cursors keeps to. */
export function describeCursors(make: () => Cursors): void {
  describe('cursors', () => {
    test('have nothing of a job of which no run has left anything over', async () => {
      expect(await make().read('fresh')).toBeUndefined();
    });

    test('give the position that was written last, job by job', async () => {
      const cursors = make();
      await cursors.write('first', { bucket: 7, since: 1_780_000_000_000 });
      await cursors.write('second', { bucket: 59, since: 0 });
      await cursors.write('first', { bucket: 8, since: 1_780_000_000_001 });
      expect(await cursors.read('first')).toEqual({ bucket: 8, since: 1_780_000_000_001 });
      expect(await cursors.read('second')).toEqual({ bucket: 59, since: 0 });
    });
  });
}
