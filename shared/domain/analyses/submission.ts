import type { Lead } from '../leads/ports.ts';
import { Failure } from '../values/failure.ts';
import type { Answer, Claim, IdempotencyRecord, IdempotentResult } from '../values/idempotency.ts';
import type { LeadId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Delivery } from '../webhooks/ports.ts';
import type { Analysis, AnalysisForm } from './analysis.ts';
import { type EventMaker, type SubmitDeps, submitToBanks, unchanged } from './bank-submission.ts';
import type { Analyses, AnalysisChange, OperatorApi, Submission, SubmissionDraft } from './ports.ts';

/** How often a submission is ended anew because another write came between its reading and its own write. */
const TRIES = 8;

/**
 * Claims a key with the rows that it guards, or gives what an earlier call with the key left. Where the lead changes
 * between its reading and the claim it is read again: `draftFor` checks each reading and throws what is wrong with it.
 * `lead_gone` where its person's erasure was asked for: nothing new is taken in.
 * The store throws `servico_indisponivel` where there is no time for another reading. This throws it too, before anything
 * is stored, while the operator cannot serve a new submission; what was claimed earlier is replayed all the same.
 */
export async function beginSubmission(
  store: Analyses,
  tenancy: Tenancy,
  leadId: LeadId,
  claim: Claim,
  draftFor: (lead: Lead | undefined) => SubmissionDraft,
  operator: Pick<OperatorApi, 'openFor'>,
): Promise<IdempotentResult<Submission> | 'lead_gone'> {
  for (;;) {
    const found = await store.prepare(tenancy, leadId, claim);
    if (found.earlier) return { earlier: found.earlier };
    const draft = draftFor(found.lead);
    const open = operator.openFor();
    if (open !== undefined) throw new Failure('servico_indisponivel', { retryAfter: open });
    const begun = await store.claim(draft, claim);
    if (begun !== 'lead_changed') return begun;
  }
}

/** What analyses are claimed and submitted with. */
export interface SubmissionDeps extends Pick<SubmitDeps, 'operator' | 'clock'> {
  readonly analyses: Analyses;
  readonly event: EventMaker;
  /** The answer with the analyses as the banks left them. */
  readonly answerFor: (changes: readonly AnalysisChange[]) => Answer;
  /** Sends the deliveries that are booked on their way. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
  /** Told what the banks said, and whether a run before may have asked them. */
  readonly submitted: (resumed: boolean, changes: readonly AnalysisChange[]) => void;
}

/** Whose submission it is, and what `beginSubmission` has to know of it. */
interface Asked {
  readonly tenancy: Tenancy;
  readonly leadId: LeadId;
  readonly form: AnalysisForm;
  readonly draftFor: (lead: Lead | undefined) => SubmissionDraft;
  /** What is thrown where the lead's person is being erased. */
  readonly gone: () => Failure;
}

/**
 * The two ways of an idempotent submission: `begin` claims and submits it, or gives what an earlier call with the key left;
 * `resume` goes on with what an earlier call has claimed and not answered.
 */
export function submissionOf({ tenancy, leadId, form, draftFor, gone }: Asked, deps: SubmissionDeps) {
  const { analyses, operator } = deps;
  return {
    async begin(claim: Claim): Promise<IdempotentResult<Answer>> {
      const begun = await beginSubmission(analyses, tenancy, leadId, claim, draftFor, operator);
      if (begun === 'lead_gone') throw gone();
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
 * Submits claimed analyses to the banks, writes what came of it together with the answer, and gives the answer. `resumed`
 * says that a run before may have sent them.
 */
export async function submitClaimed(
  { analyses, operator, clock, event, answerFor, notify, submitted }: SubmissionDeps,
  claim: Claim,
  claimed: Submission,
  form: AnalysisForm,
  resumed: boolean,
): Promise<Answer> {
  const changes = await submitToBanks(claimed.analyses, form, resumed, event, { operator, clock });
  const { answer, booked } = await completeSubmission(analyses, claim, changes, answerFor);
  await notify(booked);
  submitted(resumed, changes);
  return answer;
}

/**
 * Writes what each bank said of a submission together with the answer for replays. Where the poller came first, its
 * rows are the truth: they are read again and the answer is made from them. Where another run has answered the key, its
 * answer stands. Gives the answer, and the deliveries that this write booked.
 */
export async function completeSubmission(
  store: Analyses,
  claim: Claim,
  changes: readonly AnalysisChange[],
  answerFor: (changes: readonly AnalysisChange[]) => Answer,
): Promise<{ answer: Answer; booked: readonly Delivery[] }> {
  let left = changes;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const answer = answerFor(left);
    const outcome = await store.complete(claim, left, answer);
    if (outcome === 'written') return { answer, booked: left.flatMap(({ delivery }) => (delivery ? [delivery] : [])) };
    if (outcome !== 'moved_on') return { answer: outcome.earlier, booked: [] };
    left = await Promise.all(
      left.map(async (change) => asItStands(change, await store.get(claim.tenancy, change.before.id))),
    );
  }
  throw new Failure('servico_indisponivel');
}

/** A change that can still be made, else the analysis as another write has left it. */
function asItStands(change: AnalysisChange, current: Analysis | undefined): AnalysisChange {
  const { before, after } = change;
  if (!current) return change;
  const stands = current.situation === before.situation && current.sequence === before.sequence;
  return stands && before !== after ? change : unchanged(current);
}
