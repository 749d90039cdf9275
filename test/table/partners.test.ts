import { expect, it } from 'vitest';
import { drawId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import { createKey } from '#shared/table/partners/api-keys.ts';
import {
  createPartner,
  createUnit,
  getPartner,
  listUnits,
  presentUnit,
  setIncidentContact,
  validatePartner,
} from '#shared/table/partners/partner-register.ts';
import { TablePartners } from '#shared/table/partners/partners.ts';
import { getRow, putRow, updateRow } from '#shared/table/rows/client.ts';
import { unitKey, unitNumberKey } from '#shared/table/rows/keys.ts';
import { intercepted, interceptTable, meetingAt } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';

const NOW = 1_767_300_000_000;
let made = 0;

usePeers();
async function madeUnit() {
  const number = ++made;
  const [partnerId, unitId] = [drawId<PartnerId>(NOW + number), drawId<UnitId>(NOW + number)];
  await createPartner(partnerId, 'Parceiro', NOW);
  await createUnit(partnerId, unitId, 'Unidade', NOW);
  return { partnerId, unitId };
}

it('agent returns undefined for an unknown unit', async () => {
  expect(await new TablePartners().agent(drawId<UnitId>(NOW))).toBeUndefined();
});

it.each([undefined, { id: 7, name: 'Consultora de Teste' }])(
  'labels returns the names and the consultant of the caller’s own key: %j',
  async (consultant) => {
    const unit = await madeUnit();
    const labelsOf = async (of: typeof consultant) => {
      const key = { ...unit, environment: 'sandbox' as const, ...(of && { consultant: of }) };
      const { text, keyId } = await createKey(key, NOW);
      const caller = { ...key, keyId, scopes: [], limit: 120, left: 119, resetsIn: 60 };
      return { text, labels: await new TablePartners().labels(caller) };
    };
    const { text, labels } = await labelsOf(consultant);
    expect(labels).toEqual({
      ...{
        partnerName: 'Parceiro',
        unitName: 'Unidade',
        stepsMade: {},
        consultant,
        keyCreatedAt: NOW,
        accountChangedAt: NOW,
      },
      keyPrefix: text.slice(0, 'pmc_sandbox_'.length + 14),
    });
    const other = { id: 8, name: 'Outro' };
    expect((await labelsOf(other)).labels.consultant).toEqual(other);
  },
);

it('validatePartner returns the moment of the first validation', async () => {
  const { partnerId } = await madeUnit();
  expect(await validatePartner(partnerId, NOW)).toBe(NOW);
  expect(await validatePartner(partnerId, NOW + 1)).toBe(NOW);
});

it('setIncidentContact leaves the rest of the partner as it is, and throws for a partner that does not exist', async () => {
  const { partnerId } = await madeUnit();
  const before = await getPartner(partnerId);
  const contact = 'seguranca@parceiro.example';
  expect(await setIncidentContact(partnerId, contact)).toEqual({ ...before, incidentContact: contact });
  expect(await getPartner(partnerId)).toEqual({ ...before, incidentContact: contact });
  expect(await setIncidentContact(partnerId, '', contact)).toEqual(before);
  await expect(setIncidentContact(9 as PartnerId, contact)).rejects.toThrow('there is no partner 9');
});

it('presentUnit refuses a unit of another partner', async () => {
  const [one, other] = [await madeUnit(), await madeUnit()];
  await expect(presentUnit(other.partnerId, one.unitId, { creci: '1' }, NOW)).rejects.toThrow('see units list');
  expect(await new TablePartners().agent(one.unitId)).toEqual({ name: 'Unidade' });
});

it('presentUnit returns the unit as it is then: a removed text is gone, a text left out stays', async () => {
  const { partnerId, unitId } = await madeUnit();
  const first = await presentUnit(partnerId, unitId, { creci: '1', contact: '(11) 3456-7890' }, NOW);
  expect(first).toEqual({ id: unitId, name: 'Unidade', createdAt: NOW, creci: '1', contact: '(11) 3456-7890' });
  const second = await presentUnit(partnerId, unitId, { name: 'Centro', contact: '' }, NOW);
  expect(second).toEqual({ id: unitId, name: 'Centro', createdAt: NOW, creci: '1' });
  expect(await new TablePartners().agent(unitId)).toEqual({ name: 'Centro', creci: '1' });
  expect(await listUnits(partnerId)).toEqual([second]);
});

it('presentUnit leaves every attribute of both rows that another writer owns as it is', async () => {
  const { partnerId, unitId } = await madeUnit();
  for (const Key of [unitKey(partnerId, unitId), unitNumberKey(unitId)])
    await updateRow({ Key, UpdateExpression: 'SET resetAt = :at', ExpressionAttributeValues: { ':at': NOW } });
  await presentUnit(partnerId, unitId, { creci: '1', contact: '' }, NOW);
  expect(await getRow(unitKey(partnerId, unitId))).toMatchObject({ creci: '1', resetAt: NOW });
  expect(await getRow(unitNumberKey(unitId))).toMatchObject({ creci: '1', resetAt: NOW });
});

it('presentUnit keeps the texts of both of two calls that come at once', async () => {
  const { partnerId, unitId } = await madeUnit();
  interceptTable();
  const meeting = meetingAt('table TransactWriteItemsCommand', 2);
  const texts = [{ creci: '1' }, { contact: '(11) 3456-7890' }];
  const answers = await Promise.all(
    texts.map((one) => intercepted(meeting, () => presentUnit(partnerId, unitId, one, NOW))),
  );
  const both = { id: unitId, name: 'Unidade', createdAt: NOW, creci: '1', contact: '(11) 3456-7890' };
  expect(await listUnits(partnerId)).toEqual([both]);
  expect(await new TablePartners().agent(unitId)).toEqual({ name: 'Unidade', ...texts[0], ...texts[1] });
  expect(answers).toContainEqual(both);
});

it('presentUnit refuses a unit whose number belongs to another partner', async () => {
  const [one, other] = [await madeUnit(), await madeUnit()];
  await putRow({ Item: { ...unitNumberKey(one.unitId), partnerId: other.partnerId, name: 'Outra' } });
  await expect(presentUnit(one.partnerId, one.unitId, { creci: '1' }, NOW)).rejects.toThrow('nothing was set');
  expect(await new TablePartners().agent(one.unitId)).toEqual({ name: 'Outra' });
});
