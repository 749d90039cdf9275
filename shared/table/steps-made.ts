import type { Caller } from '../domain/partners/partner.ts';
import { type SandboxChecklist, STEPS, type StepsMade } from '../domain/partners/sandbox-checklist.ts';
import { noteSteps } from './checklist-row.ts';
import { sandboxChecklistOf } from './sandbox-checklist.ts';

/** Newest leads of the caller's unit that one call looks at. */
const LOOKED_AT = 20;

const momentsOf = (shown: SandboxChecklist['shown']): StepsMade =>
  Object.fromEntries(Object.entries(shown).map(([step, { at }]) => [step, at]));

/**
 * The steps that a sandbox caller's partner has made: those noted, and what the newest leads of the caller's unit and the
 * partner's newest deliveries show beside them, which is noted. Asks the table nothing once all are noted; until then at
 * most some 45 queries, whatever the partner has in production, and one write where there is something new.
 */
export async function stepsMade(caller: Caller, noted: SandboxChecklist['shown']): Promise<StepsMade> {
  if (STEPS.every((step) => noted[step])) return momentsOf(noted);
  const { shown } = await sandboxChecklistOf(caller.partnerId, LOOKED_AT, { noted, unitId: caller.unitId });
  if (STEPS.some((step) => shown[step] && !noted[step])) await noteSteps(caller.partnerId, shown);
  return momentsOf(shown);
}
