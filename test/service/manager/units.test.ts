import { describe, expect, it } from 'vitest';
import { tablePartners } from '../../../shared/table/partners.ts';
import { makePartner, usePeers } from '../../makers/peers.ts';
import { useManager } from '../../makers/served-administration.ts';

const manager = useManager(usePeers());

describe('units present', () => {
  it('sets what the documents for clients say, and removes what is given empty', async () => {
    const { partnerId, unitId } = await makePartner();
    const present = (...texts: readonly string[]) =>
      manager(['units', 'present', '--partner', partnerId, '--unit', unitId, ...texts, '--json']);
    const set = await present('--creci', ' 12.345-J SP ', '--contact', '(11) 3456-7890');
    expect(set.json()).toEqual({
      partner: partnerId,
      unit: unitId,
      creci: '12.345-J SP',
      contact: '(11) 3456-7890',
    });
    await present('--name', 'Unidade Centro', '--contact', '');
    expect(await tablePartners().agent(unitId)).toEqual({ name: 'Unidade Centro', creci: '12.345-J SP' });
    const listed = (await manager(['units', 'list', '--partner', partnerId, '--json'])).json();
    expect(listed).toMatchObject([{ unit: unitId, name: 'Unidade Centro', creci: '12.345-J SP' }]);
    const audit = (await manager(['audit', 'list', '--partner', partnerId, '--json'])).out;
    expect(audit).toContain('present-unit');
    expect(audit).not.toContain('3456-7890');
  });

  it('asks what to set, and names a unit that the partner does not have', async () => {
    const { partnerId, unitId } = await makePartner();
    const nothing = await manager(['units', 'present', '--partner', partnerId, '--unit', unitId]);
    expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('--name, --creci or --contact')]);
    const unknown = await manager(['units', 'present', '--partner', partnerId, '--unit', 5, '--creci', '1']);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('see units list')]);
  });
});
