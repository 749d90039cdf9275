import { analysesAccepted, analysesAcceptedBody } from '../../../shared/contract/analysis.ts';
import { analysisInput, parseSubmission, requireHolder } from '../../../shared/contract/analysis-request.ts';
import { eventOf } from '../../../shared/contract/event.ts';
import { leadNotFound } from '../../../shared/contract/request-failures.ts';
import { submitAnalyses } from '../../../shared/contract/routes.ts';
import type { Analysis, AnalysisForm } from '../../../shared/domain/analyses/analysis.ts';
import { submitToBanks } from '../../../shared/domain/analyses/bank-submission.ts';
import type { Analyses, OperatorApi, Submission, SubmissionDraft } from '../../../shared/domain/analyses/ports.ts';
import { beginSubmission, completeSubmission } from '../../../shared/domain/analyses/submission.ts';
import type { Lead } from '../../../shared/domain/leads/lead.ts';
import type { Clock } from '../../../shared/domain/values/clock.ts';
import type { Answer, Claim } from '../../../shared/domain/values/idempotency.ts';
import type { DeliveryQueue } from '../../../shared/domain/webhooks/ports.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import { once } from '../../../shared/http/once.ts';
import { noticeUnknown } from '../../../shared/http/unknown-fields.ts';
import * as wiring from '../../../shared/wiring.ts';

/** What claimed analyses are submitted with. */
interface Deps {
  readonly operator: OperatorApi;
  readonly analyses: Analyses;
  readonly queue: DeliveryQueue;
  readonly clock: Clock;
  /** The answer with the analyses as the banks left them. */
  readonly accepted: (made: readonly Analysis[]) => Answer;
}

/** Submits claimed analyses to the banks, writes what came of it together with the answer, and gives the answer. */
async function submitClaimed(
  { operator, analyses, queue, clock, accepted }: Deps,
  claim: Claim,
  { analyses: claimed }: Submission,
  form: AnalysisForm,
  resumed: boolean,
): Promise<Answer> {
  const changes = await submitToBanks(claimed, form, resumed, eventOf, { operator, analyses, clock });
  const completed = await completeSubmission(analyses, claim, changes, accepted);
  await wiring.publishOutbox(queue, completed.booked, clock());
  wiring.recordSubmission(resumed, changes, clock());
  return completed.answer;
}

/** Submits one analysis per bank in two transactions around the operator: claimed first, submitted, then completed. */
export const handler = endpoint(
  submitAnalyses,
  {
    auth: wiring.apiKeyAuth,
    refusals: wiring.refusedCalls,
    clock: wiring.clock,
    analyses: wiring.analyses,
    operatorOf: wiring.operators,
    queue: wiring.deliveryQueue,
    forcedBy: wiring.sandboxOutcome,
  },
  async (request, { clock, analyses, operatorOf, queue, forcedBy }) => {
    const { caller, requestId } = request;
    const input = parseSubmission(request.body, clock());
    const unknown = noticeUnknown(request, analysisInput);
    const accepted = (made: readonly Analysis[]) => answer(202, analysesAccepted, analysesAcceptedBody(made, unknown));
    const deps = { operator: operatorOf(caller.environment), analyses, queue, clock, accepted };
    const draftFor = (found: Lead | undefined): SubmissionDraft => {
      const leads = requireHolder(found, input.holder, clock());
      return { ...input, ...leads, caller, forced: forcedBy(caller.environment, input.holder.cpf), requestId };
    };
    return once(
      request,
      input,
      async (claim) => {
        const begun = await beginSubmission(analyses, caller, input.leadId, claim, draftFor, deps.operator);
        return 'done' in begun ? { done: await submitClaimed(deps, claim, begun.done, input.form, false) } : begun;
      },
      async (earlier, claim) => {
        const resumed = await analyses.resume(claim, earlier);
        if (resumed === 'lead_gone') throw leadNotFound();
        return submitClaimed(deps, claim, resumed.submission, resumed.form, true);
      },
    );
  },
);
