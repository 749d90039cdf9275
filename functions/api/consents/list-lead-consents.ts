import { consentList, consentListBody } from '#shared/contract/consent.ts';
import { parsePage } from '#shared/contract/page.ts';
import { listLeadConsents } from '#shared/contract/routes.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { answer, endpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  listLeadConsents,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, consents: wiring.consents },
  async ({ caller, id, query }, { consents }) => {
    const page = parsePage(query);
    const found = await consents.page(caller, id as LeadId, page);
    if (!found) throw new Failure('nao_encontrado');
    return answer(200, consentList, consentListBody(found, page));
  },
);
