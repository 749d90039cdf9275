/** POST /v1/analises as an Express application behind serverless-http: the same table, schemas and banks, without our stack. */
import express from 'express';
import serverless from 'serverless-http';
import { analysesAccepted, analysesAcceptedBody } from '../../../shared/contract/analysis.ts';
import { parseSubmission, requireHolder } from '../../../shared/contract/analysis-request.ts';
import { eventOf } from '../../../shared/contract/event.ts';
import type { Analysis } from '../../../shared/domain/analyses/analysis.ts';
import type { SubmissionDraft } from '../../../shared/domain/analyses/ports.ts';
import { beginSubmission, submitClaimed } from '../../../shared/domain/analyses/submission.ts';
import type { Lead } from '../../../shared/domain/leads/lead.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { canonicalJson, IDEMPOTENCY_TTL } from '../../../shared/domain/values/idempotency.ts';
import type { Delivery } from '../../../shared/domain/webhooks/ports.ts';
import * as wiring from '../../../shared/wiring.ts';

const accepted = (analyses: readonly Analysis[]) => ({
  status: 202,
  body: JSON.stringify(analysesAccepted.parse(analysesAcceptedBody(analyses))),
});

const app = express();
app.use(express.json());
app.post('/v1/analises', async (request, response) => {
  const clock = wiring.clock();
  const analyses = wiring.analyses();
  const caller = await wiring.apiKeyAuth().authenticate(request.get('x-api-key') ?? '');
  const input = parseSubmission(request.body, clock(), { ...caller, consentDays: wiring.consentDays() });
  const operator = wiring.operators()(caller.environment);
  const forced = wiring.sandboxOutcome()(caller.environment, input.holder.cpf);
  const claim = {
    tenancy: caller,
    operation: 'submit-analyses',
    key: request.get('idempotency-key') ?? '',
    content: canonicalJson(input),
    expiresAt: clock() + IDEMPOTENCY_TTL.analyses,
  };
  const draftFor = (found: Lead | undefined): SubmissionDraft => {
    const leads = requireHolder(found, input.holder, clock());
    return { ...input, ...leads, caller, forced, requestId: 'express' };
  };
  const begun = await beginSubmission(analyses, caller, input.leadId, claim, draftFor, operator);
  if (begun === 'lead_gone') throw new Failure('lead_nao_encontrado');
  if (!('done' in begun)) throw new Failure('idempotency_conflito');
  const deps = {
    operator,
    analyses,
    clock,
    event: eventOf,
    answerFor: accepted,
    notify: (booked: readonly Delivery[]) => wiring.publishOutbox(wiring.deliveryQueue(), booked, clock()),
    submitted() {},
  };
  const answer = await submitClaimed(deps, claim, begun.done, input.form, false);
  response.status(answer.status).json(JSON.parse(answer.body));
});

export const handler = serverless(app);
