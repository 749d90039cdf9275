import type { Caller } from '../domain/partners/partner.ts';
import { type SandboxChecklist, STEPS, type StepsMade } from '../domain/partners/sandbox-checklist.ts';
import { updateRow } from './client.ts';
import { checklistKey } from './keys.ts';
import { sandboxChecklistOf } from './sandbox-checklist.ts';

/** Newest leads of the caller's unit that one call looks at. */
const LOOKED_AT = 20;

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
