import * as z from 'zod/mini';
import type { Partners } from '#shared/domain/partners/ports.ts';
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

export function tablePartners(): Partners & Primable {
  return {
    prime: primeEncryption,
    async labels(caller) {
      const key = apiKeyKey(caller.partnerId, caller.keyId);
      const inSandbox = caller.environment === 'sandbox';
      const [profile, unit, row, noted] = await getRows([
        profileKey(caller.partnerId),
        unitKey(caller.partnerId, caller.unitId),
        key,
        ...(inSandbox ? [checklistKey(caller.partnerId)] : []),
      ]);
      const { prefix, createdAt } = keyFormat.parse(row);
      const { name: partnerName, accountChangedAt } = profileFormat.parse(profile);
      return {
        ...{ partnerName, accountChangedAt },
        unitName: namedFormat.parse(unit).name,
        consultant: (await decrypt(key, row?.['sealed'], sealedLabel)).consultant,
        keyPrefix: prefix,
        keyCreatedAt: createdAt,
        stepsMade: inSandbox ? await stepsMade(caller, readSteps(noted)) : undefined,
      };
    },

    async agent(unitId) {
      const item = await getRow(unitNumberKey(unitId));
      return item && agentFormat.parse(item);
    },
  };
}
