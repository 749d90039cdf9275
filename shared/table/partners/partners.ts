import * as z from 'zod/mini';
import type { Agent, Caller, PartnerLabels } from '#shared/domain/partners/partner.ts';
import type { Partners } from '#shared/domain/partners/ports.ts';
import type { UnitId } from '#shared/domain/values/ids.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { getRow, getRows } from '../rows/client.ts';
import { decrypt, primeEncryption } from '../rows/encryption.ts';
import { apiKeyKey, checklistKey, profileKey, unitKey, unitNumberKey } from '../rows/keys.ts';
import { labelFormat, sealedLabel } from './api-keys.ts';
import { unitFormat } from './partner-register.ts';
import { readSteps, stepsMade } from './sandbox-checklist.ts';

const namedFormat = z.object({ name: z.string() });
const profileFormat = z.extend(namedFormat, { accountChangedAt: z.optional(z.number()) });
const agentFormat = z.pick(unitFormat, { name: true, creci: true, contact: true });
const keyFormat = z.pick(labelFormat, { prefix: true, createdAt: true });

export class TablePartners implements Partners, Primable {
  prime(): Promise<void> {
    return primeEncryption();
  }

  async labels(caller: Caller): Promise<PartnerLabels> {
    const { partnerId, unitId, keyId } = caller;
    const key = apiKeyKey(partnerId, keyId);
    const inSandbox = caller.environment === 'sandbox';
    const keys = [profileKey(partnerId), unitKey(partnerId, unitId), key];
    const [profile, unit, row, noted] = await getRows(inSandbox ? keys.concat(checklistKey(partnerId)) : keys);
    const { prefix, createdAt } = keyFormat.parse(row);
    const { name: partnerName, accountChangedAt } = profileFormat.parse(profile);
    return {
      partnerName,
      accountChangedAt,
      unitName: namedFormat.parse(unit).name,
      consultant: (await decrypt(key, row?.['sealed'], sealedLabel)).consultant,
      keyPrefix: prefix,
      keyCreatedAt: createdAt,
      stepsMade: inSandbox ? await stepsMade(caller, readSteps(noted)) : undefined,
    };
  }

  async agent(unitId: UnitId): Promise<Agent | undefined> {
    const item = await getRow(unitNumberKey(unitId));
    return item && agentFormat.parse(item);
  }
}
