import { expect, it } from 'vitest';
import type { LeadId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import { getRow, queryPartition } from '#shared/table/rows/client.ts';
import { auditPartition, leadKey } from '#shared/table/rows/keys.ts';
import { usePeers } from '../makers/peers.ts';
import { outsideOfRole, underRole } from '../makers/under-role.ts';

usePeers();

const tenancy = { unitId: 7 as UnitId, environment: 'sandbox' } as const;
const lead = leadKey(tenancy, 5 as LeadId);
const audit = auditPartition(3 as PartnerId);

it('underRole returns what a call returns that reads only the kinds of rows of its role', async () => {
  expect(await underRole('get-lead', () => getRow(lead))).toBeUndefined();
});

it('underRole fails for a call that reads a kind of rows which its role does not read', async () => {
  const call = underRole('list-lead-analyses', () => queryPartition(audit));
  await expect(call).rejects.toThrow('the role of list-lead-analyses does not allow dynamodb:Query on AUDIT#3');
});

it('underRole checks nothing that a test does outside of the role, but the call that it lets continue', async () => {
  const call = (key: string) =>
    underRole('list-lead-analyses', () =>
      outsideOfRole(async (inside) => {
        await queryPartition(audit);
        return inside(() => queryPartition(key));
      }),
    );
  expect(await call(lead.pk)).toEqual([]);
  await expect(call(audit)).rejects.toThrow('does not allow dynamodb:Query on AUDIT#3');
});
