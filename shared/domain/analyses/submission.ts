import type { Lead } from '../leads/ports.ts';
import { Failure } from '../values/failure.ts';
import type { Answer, Claim, IdempotencyRecord, IdempotentResult } from '../values/idempotency.ts';
import type { LeadId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import type { Delivery, DeliveryNotifier } from '../webhooks/ports.ts';
import type { Analysis, AnalysisForm } from './analysis.ts';
import { type SubmitDeps, submitToBanks, unchanged } from './bank-submission.ts';
import type { Analyses, AnalysisChange, OperatorApi, Submission, SubmissionDraft } from './ports.ts';

/**
 * Most attempts to write the answer of a submission. Another attempt follows if the poller changed an analysis
 * meanwhile.
 */
const TRIES = 8;

/**
 * Claims an Idempotency-Key together with the rows of a new submission. Returns the record of an earlier call if the
 * key is taken, `lead_gone` if the erasure of the lead's person was requested, and `cutoff` if the consent is from before
 * a withdrawal or an erasure of the person.
 *
 * If another write changes the lead between the read and the claim, the lead is read again. `draftFor` checks the lead
 * after each read, and throws what is wrong with it.
 *
 * Throws `servico_indisponivel` before anything is stored while the operator's circuit is open. The record of an
 * earlier call is returned even then. The store throws the same failure if no time is left for another read.
 */
export async function beginSubmission(
  store: Analyses,
  tenancy: Tenancy,
  leadId: LeadId,
  claim: Claim,
  draftFor: (lead: Lead | undefined) => SubmissionDraft,
  operator: Pick<OperatorApi, 'openFor'>,
): Promise<IdempotentResult<Submission> | { readonly cutoff: Instant } | 'lead_gone'> {
  for (;;) {
    const found = await store.prepare(tenancy, leadId, claim);
    if (found.earlier) return { earlier: found.earlier };
    const draft = draftFor(found.lead);
    const retryAfter = operator.openFor();
    if (retryAfter !== undefined) throw new Failure('servico_indisponivel', { retryAfter });
    const begun = await store.claim(draft, claim);
    if (begun !== 'lead_changed') return begun;
  }
}

/** Called with the results of submissions, for logs and metrics. */
export interface SubmissionObserver {
  /** Called with the banks' results. `resumed` says whether an earlier run may have sent the analyses. */
  submitted(resumed: boolean, changes: readonly AnalysisChange[]): void;
}

/** Dependencies for claiming analyses and sending them. */
export interface SubmissionDeps extends Pick<SubmitDeps, 'operator' | 'clock'> {
  readonly analyses: Analyses;
  /** Makes the answer to the partner from the analyses after their bank submissions. */
  readonly answerFor: (changes: readonly AnalysisChange[]) => Answer;
  readonly notifier: DeliveryNotifier;
  readonly observer: SubmissionObserver;
}

/** A partner's call for a submission, as far as claiming and resuming need it. */
interface SubmissionCall {
  readonly tenancy: Tenancy;
  readonly leadId: LeadId;
  readonly form: AnalysisForm;
  readonly draftFor: (lead: Lead | undefined) => SubmissionDraft;
  /** Makes the failure that is thrown if the lead's person is being erased. */
  readonly gone: () => Failure;
  /** Makes the failure that is thrown if the consent is from before a withdrawal or an erasure at `cutoff`. */
  readonly withdrawn: (cutoff: Instant) => Failure;
}

/**
 * Returns the two operations of an idempotent submission.
 * - `begin` claims the key and submits. If the key is taken, it returns the record of the earlier call.
 * - `resume` continues a submission that an earlier call claimed and did not answer.
 */
export function submissionOf(
  { tenancy, leadId, form, draftFor, gone, withdrawn }: SubmissionCall,
  deps: SubmissionDeps,
) {
  const { analyses, operator } = deps;
  return {
    async begin(claim: Claim): Promise<IdempotentResult<Answer>> {
      const begun = await beginSubmission(analyses, tenancy, leadId, claim, draftFor, operator);
      if (begun === 'lead_gone') throw gone();
      if ('cutoff' in begun) throw withdrawn(begun.cutoff);
      return 'done' in begun ? { done: await submitClaimed(deps, claim, begun.done, form, false) } : begun;
    },
    async resume(earlier: IdempotencyRecord, claim: Claim): Promise<Answer> {
      const resumed = await analyses.resume(claim, earlier);
      if (resumed === 'lead_gone') throw gone();
      return submitClaimed(deps, claim, resumed.submission, resumed.form, true);
    },
  };
}

/**
 * Sends claimed analyses to their banks, writes the results together with the answer to the partner, and returns the
 * answer. `resumed`: an earlier run may have sent the analyses, so the operator is asked and nothing is sent.
 */
export async function submitClaimed(
  { analyses, operator, clock, answerFor, notifier, observer }: SubmissionDeps,
  claim: Claim,
  claimed: Submission,
  form: AnalysisForm,
  resumed: boolean,
): Promise<Answer> {
  const changes = await submitToBanks(claimed.analyses, form, resumed, { operator, clock });
  const { answer, booked } = await completeSubmission(analyses, claim, changes, answerFor);
  await notifier.booked(booked);
  observer.submitted(resumed, changes);
  return answer;
}

/**
 * Writes what each bank said together with the answer, and returns the answer and the deliveries that this call wrote.
 *
 * If another write (such as the poller's) changed an analysis meanwhile, the analyses are read again, and the answer is
 * made from the new rows and the changes that can still be written. If another run has answered the key, its answer is
 * returned, without deliveries. Throws `servico_indisponivel` after eight attempts.
 */
export async function completeSubmission(
  store: Analyses,
  claim: Claim,
  changes: readonly AnalysisChange[],
  answerFor: (changes: readonly AnalysisChange[]) => Answer,
): Promise<{ answer: Answer; booked: readonly Delivery[] }> {
  let pendingChanges = changes;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const answer = answerFor(pendingChanges);
    const outcome = await store.complete(claim, pendingChanges, answer);
    if (outcome !== 'moved_on')
      return 'events' in outcome ? { answer, booked: outcome.events } : { answer: outcome.earlier, booked: [] };
    pendingChanges = await Promise.all(
      pendingChanges.map(async (change) => stillValid(change, await store.get(claim.tenancy, change.before.id))),
    );
  }
  throw new Failure('servico_indisponivel');
}

/**
 * Returns the change if it can still be written, or if the analysis is gone. Otherwise returns a change that leaves the
 * current row as it is.
 */
function stillValid(change: AnalysisChange, current: Analysis | undefined): AnalysisChange {
  const { before, after } = change;
  if (!current) return change;
  const isAsRead = current.situation === before.situation && current.sequence === before.sequence;
  return isAsRead && before !== after ? change : unchanged(current);
}
