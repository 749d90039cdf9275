import * as z from 'zod';
import type { Cursors } from '../domain/analyses/ports.ts';
import { getRow, putRow } from './client.ts';
import { cursorKey } from './keys.ts';

const rowFormat = z.object({ bucket: z.number(), since: z.number() });

export function tableCursors(): Cursors {
  return {
    async read(job) {
      const item = await getRow(cursorKey(job));
      return item && rowFormat.parse(item);
    },
    async write(job, position) {
      await putRow({ Item: { ...cursorKey(job), ...position } });
    },
  };
}
