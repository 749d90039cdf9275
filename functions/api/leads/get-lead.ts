import { leadFound, leadFoundBody } from '../../../shared/contract/lead.ts';
import { getLead } from '../../../shared/contract/routes.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import type { LeadId } from '../../../shared/domain/values/ids.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = endpoint(
  getLead,
  { auth: wiring.apiKeyAuth, clock: wiring.clock, leads: wiring.leads },
  async ({ caller, id }, { leads }) => {
    const lead = await leads.get(caller, id as LeadId);
    if (!lead) throw new Failure('nao_encontrado');
    return answer(200, leadFound, leadFoundBody(lead));
  },
);
