import { consentList, consentListBody } from '../../../shared/contract/consent.ts';
import { pageAsked } from '../../../shared/contract/page.ts';
import { listLeadConsents } from '../../../shared/contract/routes.ts';
import { Failure } from '../../../shared/domain/failure.ts';
import type { LeadId } from '../../../shared/domain/ids.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  listLeadConsents,
  { gate: wiring.gate, clock: wiring.clock, consents: wiring.consents },
  async ({ caller, id, query }, { consents }) => {
    const page = pageAsked(query);
    const found = await consents.ofLead(caller, id as LeadId);
    if (!found) throw new Failure('nao_encontrado');
    return answer(200, consentList, consentListBody(found, page));
  },
);
