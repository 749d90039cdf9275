import { drawId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import { createKey } from '../../shared/table/api-keys.ts';
import { createPartner, createUnit } from '../../shared/table/partner-register.ts';
import { tablePartners } from '../../shared/table/partners.ts';
import { usePeers } from '../makers/peers.ts';
import { describePartners } from './partners.suite.ts';

const NOW = 1_767_300_000_000;
let made = 0;

usePeers();
describePartners(async (consultant) => {
  const number = ++made;
  const [partnerId, unitId] = [drawId<PartnerId>(NOW + number), drawId<UnitId>(NOW + number)];
  const names = { partner: `Parceiro ${number}`, unit: `Unidade ${number}` };
  await createPartner(partnerId, names.partner, NOW);
  await createUnit(partnerId, unitId, names.unit, NOW);
  const key = { partnerId, unitId, environment: 'sandbox' as const, ...(consultant && { consultant }) };
  const { text, keyId } = await createKey(key, NOW);
  const caller = { ...key, keyId, scopes: [], limit: 120, left: 119, resetsIn: 60 };
  return {
    partners: tablePartners(),
    caller,
    names,
    prefix: text.slice(0, 'pmc_sandbox_'.length + 14),
    createdAt: NOW,
    consultant,
  };
});
