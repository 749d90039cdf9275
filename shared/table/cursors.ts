import * as z from 'zod/mini';
import type { Cursors } from '../domain/analyses/ports.ts';
import { BANKS } from '../domain/values/bank.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';
import { getRow, putRow } from './client.ts';
import { cursorKey } from './keys.ts';

const partitionFormat = z.object({ environment: z.enum(ENVIRONMENTS), bank: z.enum(BANKS), bucket: z.int() });
const rowFormat = z.object({
  through: z.int(),
  owed: z.array(z.extend(partitionFormat, { from: z.number(), to: z.number(), dueAt: z.number() })),
  begin: z.array(z.extend(partitionFormat, { at: z.number() })),
});

/** One row a job: some 100 bytes, and as many for each stretch of a partition that is left over. */
export function tableCursors(): Cursors {
  return {
    async read(job) {
      // What another version wrote is no cursor: the run then takes everything as due.
      return rowFormat.safeParse(await getRow(cursorKey(job))).data;
    },
    async write(job, { through, owed, begin }) {
      await putRow({ Item: { ...cursorKey(job), through, owed, begin } });
    },
  };
}
