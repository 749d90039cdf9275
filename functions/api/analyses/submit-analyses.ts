import { analysesAccepted, analysesAcceptedBody } from '#shared/contract/analysis.ts';
import { analysisInput, parseSubmission, requireHolder, submissionNotices } from '#shared/contract/analysis-request.ts';
import { eventOf } from '#shared/contract/event.ts';
import { leadNotFound } from '#shared/contract/request-failures.ts';
import { submitAnalyses } from '#shared/contract/routes.ts';
import type { SubmissionDraft } from '#shared/domain/analyses/ports.ts';
import { submissionOf } from '#shared/domain/analyses/submission.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import { answer, endpoint, noticeUnknown } from '#shared/http/endpoint.ts';
import { once } from '#shared/http/once.ts';
import * as wiring from '#shared/wiring.ts';

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
    consentDays: wiring.consentDays,
  },
  async (request, { clock, analyses, operatorOf, queue, forcedBy, consentDays }) => {
    const { caller, requestId } = request;
    const rules = { environment: caller.environment, consentDays };
    const input = parseSubmission(request.body, clock(), rules);
    const notices = [...submissionNotices(input, clock(), rules), ...noticeUnknown(request, analysisInput)];
    const draftFor = (found: Lead | undefined): SubmissionDraft => {
      const leads = requireHolder(found, input.holder, clock());
      const forced = forcedBy(caller.environment, input.holder.cpf, found?.note);
      return { ...input, ...leads, caller, forced, requestId };
    };
    const { begin, resume } = submissionOf(
      { ...input, tenancy: caller, draftFor, gone: leadNotFound },
      {
        operator: operatorOf(caller.environment),
        analyses,
        clock,
        event: eventOf,
        answerFor: (submitted) => answer(202, analysesAccepted, analysesAcceptedBody(submitted, notices)),
        notify: (booked) => wiring.publishOutbox(queue, booked, clock()),
        submitted: (resumed, changes) => wiring.recordSubmission(resumed, changes, clock()),
      },
    );
    return once(request, input, begin, resume);
  },
);
