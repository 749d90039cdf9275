import { leadCreated, leadCreatedBody, leadInput, parseLead } from '#shared/contract/lead.ts';
import { outcomeNotices, realCpfNotices } from '#shared/contract/notices.ts';
import { createLead } from '#shared/contract/routes.ts';
import { conflictingFields } from '#shared/domain/leads/lead.ts';
import { answer, endpoint, noticeUnknown } from '#shared/http/endpoint.ts';
import { once } from '#shared/http/once.ts';
import { addToLog } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  createLead,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, leads: wiring.leads },
  async (request, { clock, leads }) => {
    const { draft, fields } = parseLead(request.body, clock());
    const { environment } = request.caller;
    const notices = [
      ...realCpfNotices('cpf', draft.cpf, environment),
      ...outcomeNotices(draft.note, environment),
      ...noticeUnknown(request, leadInput),
    ];
    return once(request, fields, async (claim) => {
      const result = await leads.createOrReuse(
        request.caller,
        draft,
        (leadId, reused) => {
          addToLog({ lead: leadId });
          const conflicting = reused && conflictingFields(reused, draft, environment);
          return answer(reused ? 200 : 201, leadCreated, leadCreatedBody(leadId, conflicting, notices));
        },
        claim,
      );
      if ('done' in result)
        emit({ environment }, result.done.status === 201 ? { LeadsCreated: 1 } : { LeadsReused: 1 });
      return result;
    });
  },
);
