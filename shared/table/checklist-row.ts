import * as z from 'zod/mini';
import {
  EVIDENCE_KINDS,
  type Evidence,
  type SandboxChecklist,
  STEPS,
  type Step,
} from '../domain/partners/sandbox-checklist.ts';
import type { PartnerId, UnitId } from '../domain/values/ids.ts';
import { type Item, makeOrUpdateRow } from './client.ts';
import { checklistKey } from './keys.ts';
import { type FieldsOf, numberOf } from './row-format.ts';

const evidence = z.object({
  kind: z.enum(EVIDENCE_KINDS),
  id: z.union([z.number(), z.string()]),
  unitId: numberOf<UnitId>(),
  at: z.number(),
} satisfies FieldsOf<Evidence>);
const notedFormat = z.partialRecord(z.enum(STEPS), evidence);

/** The steps noted in a partner's row of them; none where there is no row yet. */
export function readSteps(item: Item | undefined): SandboxChecklist['shown'] {
  const noted = Object.entries(item ?? {}).filter(([name]) => (STEPS as readonly string[]).includes(name));
  return notedFormat.parse(Object.fromEntries(noted));
}

/** Notes steps on a partner's row of them, which is made where there is none; what is noted already stays as it is. */
export async function noteSteps(partnerId: PartnerId, shown: Readonly<Partial<Record<Step, Evidence>>>): Promise<void> {
  const found = STEPS.filter((step) => shown[step]);
  if (found.length === 0) return;
  await makeOrUpdateRow({
    Key: checklistKey(partnerId),
    UpdateExpression: `SET ${found.map((_, index) => `#s${index} = if_not_exists(#s${index}, :s${index})`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(found.map((step, index) => [`#s${index}`, step])),
    ExpressionAttributeValues: Object.fromEntries(found.map((step, index) => [`:s${index}`, shown[step]])),
  });
}
