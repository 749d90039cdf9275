import { analysesAccepted, analysesAcceptedBody } from '#shared/contract/analysis.ts';
import {
  analysisInput,
  consentWithdrawn,
  parseSubmission,
  requireHolder,
  requireNotTooOld,
  requireStandingConsent,
  submissionNotices,
} from '#shared/contract/analysis-request.ts';
import { leadNotFound } from '#shared/contract/request-failures.ts';
import { submitAnalyses } from '#shared/contract/routes.ts';
import type { SubmissionDraft } from '#shared/domain/analyses/ports.ts';
import { submissionOf } from '#shared/domain/analyses/submission.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { fields } from '#shared/http/partner/fields.ts';
import { once } from '#shared/http/partner/once.ts';
import { answer } from '#shared/http/partner/reply.ts';
import { requestIdOf } from '#shared/http/request.ts';
import { consentDays } from '#shared/runtime/env.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(submitAnalyses, wiring.admission, {
  analyses: wiring.analyses,
  operatorOf: wiring.operators,
  notifier: wiring.deliveryNotifier,
  observer: wiring.submissionObserver,
  forcedBy: wiring.sandboxOutcome,
  consentDays,
})
  .use(fields(analysisInput, ({ body, caller }, { clock }) => parseSubmission(body, clock(), caller.environment)))
  .handler(async (call, { clock, analyses, operatorOf, notifier, observer, forcedBy, consentDays }) => {
    const { caller, input } = call;
    const rules = { environment: caller.environment, consentDays };
    const notices = [submissionNotices(input, clock(), rules), call.notices].flat();
    const draft = (found: Lead): SubmissionDraft => {
      const leads = requireHolder(found, input.holder, clock());
      requireNotTooOld(input, clock(), rules);
      requireStandingConsent(leads.lead, input.consent);
      const forced = forcedBy(caller.environment, input.holder.cpf, found.note);
      return { ...input, ...leads, caller, forced, requestId: requestIdOf(call.event) };
    };
    const { begin, resume } = submissionOf(input.leadId, draft, {
      operator: operatorOf(caller.environment),
      analyses,
      clock,
      answerFor: (submitted) => answer(202, analysesAccepted, analysesAcceptedBody(submitted, notices)),
      leadGone: leadNotFound,
      consentWithdrawn,
      notifier,
      observer,
    });
    return once(call, clock, input, begin, resume);
  });
