import type { PushedOutcome } from '../domain/analyses/record-outcomes.ts';
import type { AnalysisId, UnitId } from '../domain/values/ids.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { operatorReference } from './operator-api.ts';
import { answerSchemas } from './read-answer.ts';

const REFERENCE = /^(sandbox|producao)-(\d{1,16})-(\d{1,16})$/;

/**
 * What the operator tells of analyses by itself, each read as a poll's answer is (contract: operator.openapi.yaml,
 * `Submission`). Undefined stands for each that does not fit, or whose reference is none of ours.
 */
export function readOutcomes(told: readonly unknown[]): (PushedOutcome | undefined)[] {
  const { submission } = answerSchemas();
  return told.map((one) => {
    const { data } = submission.safeParse(one);
    const parts = REFERENCE.exec(data?.reference ?? '');
    if (!data || !parts) return undefined;
    const tenancy = { environment: parts[1] as Environment, unitId: Number(parts[2]) as UnitId };
    const id = Number(parts[3]) as AnalysisId;
    // Leading zeros, and numbers too large to be exact, would name another analysis than they say.
    if (operatorReference(tenancy, id) !== data.reference) return undefined;
    return { ...tenancy, id, bank: data.bank, queryNumber: data.queryNumber, rawStatus: data.status };
  });
}
