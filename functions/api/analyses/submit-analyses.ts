import { measureSubmission } from '../../../shared/banks/measure.ts';
import {
  analysesAccepted,
  analysesAcceptedBody,
  analysesAsked,
  leadOfHolder,
} from '../../../shared/contract/analysis.ts';
import { eventOf } from '../../../shared/contract/event.ts';
import { submitAnalyses } from '../../../shared/contract/routes.ts';
import type { Analysis } from '../../../shared/domain/analysis.ts';
import { handOverAll } from '../../../shared/domain/hand-over.ts';
import { type Lead, withBirthDate } from '../../../shared/domain/lead.ts';
import type { SubmissionDraft } from '../../../shared/domain/ports.ts';
import { beginSubmission, completeSubmission } from '../../../shared/domain/submission.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import { sendBooked } from '../../../shared/queue/send-booked.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

const accepted = (analyses: readonly Analysis[]) => answer(202, analysesAccepted, analysesAcceptedBody(analyses));

/** Submits one analysis per bank in two transactions around the desk: claimed first, handed over, then completed. */
export const handler = endpoint(
  submitAnalyses,
  {
    gate: wiring.gate,
    clock: wiring.clock,
    analyses: wiring.analyses,
    deskOf: wiring.desks,
    queue: wiring.deliveryQueue,
    forcedBy: wiring.sandboxOutcome,
  },
  async (request, { clock, analyses, deskOf, queue, forcedBy }) => {
    const { caller } = request;
    const asked = analysesAsked(request.body, clock());
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
    const begun = await beginSubmission(analyses, caller, asked.lead, claim, draftFor);
    const replay = 'earlier' in begun && request.replay(begun.earlier);
    if (replay) return replay;

    const resumed = 'earlier' in begun;
    const { submission, form } = resumed
      ? await analyses.resume(caller, claim, begun.earlier)
      : { submission: begun.done, form: asked.form };
    const ports = { desk: deskOf(caller.environment), analyses, clock };
    const changes = await handOverAll(submission.analyses, form, resumed, eventOf, ports);
    const completed = await completeSubmission(analyses, caller, claim, changes, accepted);
    await sendBooked(queue, completed.booked, clock());
    measureSubmission(resumed, changes, clock());
    return completed.answer;
  },
);
