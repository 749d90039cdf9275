import { leadFound, leadFoundBody } from '#shared/contract/lead.ts';
import { getLead } from '#shared/contract/routes.ts';
import { noticedEnd } from '#shared/domain/leads/retention.ts';
import { readEndpoint } from '#shared/http/partner/endpoint.ts';
import { answer } from '#shared/http/partner/reply.ts';
import { leadRetention } from '#shared/runtime/env.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(getLead, wiring.admission, { leads: wiring.leads }, ({ leads }, tenancy, id) =>
  leads.find(tenancy, id),
).handler(({ found: lead }) => answer(200, leadFound, leadFoundBody(lead, noticedEnd(lead, leadRetention()))));
