import {
  analysesAccepted,
  analysesAcceptedBody,
  leadOfHolder,
  parseSubmission,
} from '../../../shared/contract/analysis.ts';
import { eventOf } from '../../../shared/contract/event.ts';
import { submitAnalyses } from '../../../shared/contract/routes.ts';
import type { Analysis } from '../../../shared/domain/analyses/analysis.ts';
import { submitToBanks } from '../../../shared/domain/analyses/bank-submission.ts';
import type { SubmissionDraft } from '../../../shared/domain/analyses/ports.ts';
import { beginSubmission, completeSubmission } from '../../../shared/domain/analyses/submission.ts';
import { type Lead, withBirthDate } from '../../../shared/domain/leads/lead.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

const accepted = (analyses: readonly Analysis[]) => answer(202, analysesAccepted, analysesAcceptedBody(analyses));

/** Submits one analysis per bank in two transactions around the operator: claimed first, submitted, then completed. */
export const handler = endpoint(
  submitAnalyses,
  {
    auth: wiring.apiKeyAuth,
    clock: wiring.clock,
    analyses: wiring.analyses,
    operatorOf: wiring.operators,
    queue: wiring.deliveryQueue,
    forcedBy: wiring.sandboxOutcome,
  },
  async (request, { clock, analyses, operatorOf, queue, forcedBy }) => {
    const { caller } = request;
    const asked = parseSubmission(request.body, clock());
    const claim = request.claim(asked)!;
    const draftFor = (found: Lead | undefined): SubmissionDraft => {
      const lead = leadOfHolder(found, asked.holder);
      return {
        ...asked,
        caller,
        lead,
        leadToWrite: withBirthDate(lead, asked.holder.birthDate, clock()),
        claim,
        forced: caller.environment === 'sandbox' ? forcedBy(asked.holder.cpf) : undefined,
        requestId: request.requestId,
      };
    };
    const begun = await beginSubmission(analyses, caller, asked.leadId, claim, draftFor);
    const replay = 'earlier' in begun && request.replay(begun.earlier);
    if (replay) return replay;

    const resumed = 'earlier' in begun;
    const { submission, form } = resumed
      ? await analyses.resume(caller, claim, begun.earlier)
      : { submission: begun.done, form: asked.form };
    const ports = { operator: operatorOf(caller.environment), analyses, clock };
    const changes = await submitToBanks(submission.analyses, form, resumed, eventOf, ports);
    const completed = await completeSubmission(analyses, caller, claim, changes, accepted);
    await wiring.publishOutbox(queue, completed.booked, clock());
    wiring.recordSubmission(resumed, changes, clock());
    return completed.answer;
  },
);
