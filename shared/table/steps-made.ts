import * as z from 'zod';
import type { Caller } from '../domain/partners/partner.ts';
import { STEPS, type StepsMade } from '../domain/partners/validation.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import { getRow, type Item, updateRow } from './client.ts';
import { checklistKey } from './keys.ts';
import { type Evidence, type SandboxChecklist, sandboxChecklistOf } from './sandbox-checklist.ts';

/** Newest leads of the caller's unit that one call looks at. */
const LOOKED_AT = 20;

const evidence = z.object({
  kind: z.enum(['lead', 'opportunity', 'analysis', 'event']),
  id: z.union([z.number(), z.string()]),
  unitId: z.number(),
  at: z.number(),
}) as unknown as z.ZodType<Evidence>;
const notedFormat = z.partialRecord(z.enum(STEPS), evidence);

/** The steps noted in a partner's row of them; none where there is no row yet. */
export function readSteps(item: Item | undefined): SandboxChecklist['shown'] {
  const noted = Object.entries(item ?? {}).filter(([name]) => (STEPS as readonly string[]).includes(name));
  return notedFormat.parse(Object.fromEntries(noted));
}

/** The steps that earlier looks have noted of a partner. */
export async function notedSteps(partnerId: PartnerId): Promise<SandboxChecklist['shown']> {
  return readSteps(await getRow(checklistKey(partnerId)));
}

const momentsOf = (shown: SandboxChecklist['shown']): StepsMade =>
  Object.fromEntries(Object.entries(shown).map(([step, { at }]) => [step, at]));

/**
 * The steps that a sandbox caller's partner has made: those noted, and what the newest leads of the caller's unit and the
 * partner's newest deliveries show beside them, which is noted. Asks the table nothing once all are noted; until then at
 * most some 45 queries, and one write where there is something new.
 */
export async function stepsMade(caller: Caller, noted: SandboxChecklist['shown']): Promise<StepsMade> {
  if (STEPS.every((step) => noted[step])) return momentsOf(noted);
  const { shown } = await sandboxChecklistOf(caller.partnerId, LOOKED_AT, { noted, unitId: caller.unitId });
  const found = STEPS.filter((step) => shown[step] && !noted[step]);
  if (found.length > 0) {
    await updateRow({
      Key: checklistKey(caller.partnerId),
      UpdateExpression: `SET ${found.map((_, index) => `#s${index} = if_not_exists(#s${index}, :s${index})`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(found.map((step, index) => [`#s${index}`, step])),
      ExpressionAttributeValues: Object.fromEntries(found.map((step, index) => [`:s${index}`, shown[step]])),
    });
  }
  return momentsOf(shown);
}
