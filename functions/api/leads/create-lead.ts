import { leadCreated, leadCreatedBody, leadInput, parseLead, renameNotices } from '#shared/contract/lead.ts';
import { outcomeNotices, realCpfNotices } from '#shared/contract/notices.ts';
import { createLead } from '#shared/contract/routes.ts';
import { conflictingFields } from '#shared/domain/leads/lead.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { fields } from '#shared/http/partner/fields.ts';
import { onceIfKeyed } from '#shared/http/partner/once.ts';
import { answer } from '#shared/http/partner/reply.ts';
import { addToLog } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(createLead, wiring.admission, { leads: wiring.leads })
  .use(fields(leadInput, ({ body }, { clock }) => parseLead(body, clock())))
  .handler(async (call, { clock, leads }) => {
    const { caller, input, notices } = call;
    const { draft } = input;
    const { environment } = caller;
    const allNotices = [
      realCpfNotices('cpf', draft.cpf, environment),
      outcomeNotices(draft.note, environment),
      notices,
    ].flat();
    return onceIfKeyed(call, clock, input.fields, async (claim) => {
      const result = await leads.createOrReuse(
        caller,
        draft,
        (leadId, reused) => {
          addToLog({ lead: leadId });
          const conflicting = reused && conflictingFields(reused, draft, environment);
          const renamed = reused ? renameNotices(reused, draft, environment) : [];
          const all = [renamed, allNotices].flat();
          return answer(reused ? 200 : 201, leadCreated, leadCreatedBody(leadId, conflicting, all));
        },
        claim,
      );
      if ('done' in result)
        emit({ environment }, result.done.status === 201 ? { LeadsCreated: 1 } : { LeadsReused: 1 });
      return result;
    });
  });
