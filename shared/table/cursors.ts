import * as z from 'zod';
import type { Cursors } from '../domain/ports.ts';
import { getRow, putRow } from './client.ts';
import { cursorKey } from './keys.ts';

const rowFormat = z.object({ position: z.number() });

export function tableCursors(): Cursors {
  return {
    async read(job) {
      const item = await getRow(cursorKey(job));
      return item ? rowFormat.parse(item).position : 0;
    },
    async write(job, position) {
      await putRow({ Item: { ...cursorKey(job), position } });
    },
  };
}
