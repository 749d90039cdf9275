import { drawId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import { createKey } from '../../shared/table/api-keys.ts';
import { createPartner, createUnit } from '../../shared/table/partner-register.ts';

export const PROBE_PARTNER = 'Sonda externa';

/** Makes the partner that the outside probe calls as, and gives its sandbox key. It sees no other partner's data. */
export async function makeProbePartner(): Promise<string> {
  const now = Date.now();
  const partnerId = drawId<PartnerId>(now);
  const unitId = drawId<UnitId>(now);
  await createPartner(partnerId, PROBE_PARTNER, now);
  await createUnit(partnerId, unitId, 'Sonda', now);
  return (await createKey({ partnerId, unitId, environment: 'sandbox' }, now)).text;
}
