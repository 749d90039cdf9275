import { leadFound, leadFoundBody } from '#shared/contract/lead.ts';
import { getLead } from '#shared/contract/routes.ts';
import { noticedEnd } from '#shared/domain/leads/retention.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { answer, readEndpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getLead,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, leads: wiring.leads },
  ({ leads }, tenancy, id) => leads.find(tenancy, id as LeadId),
  (lead) => answer(200, leadFound, leadFoundBody(lead, noticedEnd(lead, wiring.leadRetention()))),
);
