import type { APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import { AdministrationFailure } from '#shared/administration/failures.ts';
import type { Operation } from '#shared/administration/operation.ts';
import type { Approvals } from '#shared/domain/audit/approvals.ts';
import type {
  AuditEntry,
  AuditFacts,
  AuditSubject,
  AuditTrail,
  OpenAudit,
  People,
  Tickets,
} from '#shared/domain/audit/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { remainingTime, withDeadline } from '#shared/runtime/deadline.ts';
import { logError } from '#shared/runtime/log.ts';
import type { Call } from '../request.ts';
import { type ApprovalDetails, useApproval } from './approval.ts';
import type { AdministrationCaller } from './caller.ts';
import { type Dry, requireConfirm } from './confirmation.ts';
import { administrationReply, leavesInDoubt } from './reply.ts';

export type Given<O extends Operation, Part extends 'answer' | 'preview'> =
  O extends Readonly<Record<Part, infer S extends z.ZodMiniType>> ? Omit<z.input<S>, 'ok' | 'dry_run'> : never;

interface ApprovablePlan {
  /** Whether another person must approve the change, on a stage that asks for two people. */
  readonly needsApproval: boolean;
  /**
   * What this person sees besides the fields of the call: names, replaced values, and facts on which the change
   * depends.
   */
  readonly details: ApprovalDetails;
  /** Whether the present state shows that a call with the same token was made. Then `change` only answers. */
  readonly isMade?: boolean;
  /**
   * When the state that the change replaces was made. A call with the same token is repeated only while this state
   * holds.
   */
  readonly seenAt?: Instant | undefined;
}

type NeedsApproval<O> = O extends { readonly approval: string } ? ApprovablePlan : Partial<ApprovablePlan>;

export type Plan<O extends Operation> = NeedsApproval<O> & PlannedChange<O>;

interface PlannedChange<O extends Operation> {
  readonly about: AuditSubject;
  /** Facts that the audit has before the change: ids and keyed hashes, nothing personal. */
  readonly target: AuditFacts;
  /** The text that `confirm` must repeat, besides the text that the operation itself demands. */
  readonly confirm?: string | undefined;
  readonly preview?: () => Promise<Given<O, 'preview'>>;
  readonly change: () => Promise<Given<O, 'answer'>>;
  /** Whether the answer says that a part of the change broke off. The row of the audit then stays `started`. */
  readonly brokeOff?: (answer: Given<O, 'answer'>) => boolean;
  readonly result?: (answer: Given<O, 'answer'>) => AuditFacts;
}

export interface Noted {
  readonly clock: Clock;
  readonly audit: AuditTrail;
  readonly approvals: Approvals;
  readonly people: People;
  readonly tickets: Tickets;
}

export interface ChangeCall extends Call, Dry {
  readonly caller: AdministrationCaller;
  readonly params: object;
  readonly body: object;
  readonly reason: string;
  readonly confirm: string | undefined;
}

/** Time that a change leaves for closing its row of the audit. */
const AUDIT_MARGIN_MS = 1_000;
export const LONGEST_CHANGE_MS = 30_000;

/**
 * If the audit's row `started` cannot be written, the change does not begin. `failed` says that nothing was changed. If
 * a write may have gone out before an error, the row stays `started` and the answer is `outcome_unknown`.
 */
export async function carryOut<O extends Operation>(
  operation: O,
  call: ChangeCall,
  plan: Plan<O>,
  ports: Noted,
): Promise<APIGatewayProxyResult> {
  const { caller, params, body, reason } = call;
  const entry = { about: plan.about, who: caller.arn, action: operation.operation, target: plan.target, reason };
  if (call.dry) return answerPreview(operation, call, plan, entry, ports);
  requireConfirm(call.confirm, plan.confirm);
  const { details = {}, isMade = false, seenAt } = plan;
  const wished = { operation, entry, caller, params, body, details, isMade, seenAt };
  const { entry: approved, giveBack } = plan.needsApproval ? await useApproval(wished, ports) : { entry };
  let answer: Given<O, 'answer'>;
  try {
    const row = await ports.audit.begin(approved, ports.clock());
    answer = await runNoted(row, plan, operation.changes);
  } catch (error) {
    const isOpen = error instanceof AdministrationFailure && error.code === 'outcome_unknown';
    if (!isOpen) await giveBack?.().catch((second: unknown) => logError('approval_not_given_back', second));
    throw error;
  }
  return administrationReply(call, operation.answer, { ok: true, ...answer });
}

/** A preview that shows whether a person is known is noted before the person is looked for. */
async function answerPreview<O extends Operation>(
  { preview: schema }: Operation,
  call: ChangeCall,
  plan: Plan<O>,
  entry: AuditEntry,
  { audit, clock }: Noted,
): Promise<APIGatewayProxyResult> {
  if (!schema || !plan.preview) throw new Error('an operation without a preview was tried dry');
  const target = { ...entry.target, dry_run: true };
  const row = call.isNoted ? await audit.begin({ ...entry, target }, clock()) : undefined;
  const shown = row ? await runNoted(row, { change: plan.preview }, false) : await plan.preview();
  return administrationReply(call, schema, { ok: true, dry_run: true, ...shown });
}

interface NotedWork<Answer> {
  readonly change: () => Promise<Answer>;
  readonly brokeOff?: ((answer: Answer) => boolean) | undefined;
  readonly result?: ((answer: Answer) => AuditFacts) | undefined;
}

/**
 * Closes the audit's row once the work's end is known. Throws `outcome_unknown` if it is unknown whether a change was
 * made.
 */
async function runNoted<Answer>(
  row: OpenAudit,
  { change, brokeOff, result }: NotedWork<Answer>,
  isChange: boolean,
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await withDeadline(remainingTime(LONGEST_CHANGE_MS) - AUDIT_MARGIN_MS, change);
  } catch (error) {
    if (isChange && leavesInDoubt(error)) throw new AdministrationFailure('outcome_unknown', { cause: error });
    // The caller must hear of the first error, so a second error is only logged.
    await row.close('failed').catch((second: unknown) => logError('audit_left_open', second));
    throw error;
  }
  if (brokeOff?.(answer)) return answer;
  // The change is made, and a new key or secret is shown only in this answer: a failure here must not replace it.
  await row.close('done', result?.(answer)).catch((error: unknown) => logError('audit_left_open', error));
  return answer;
}
