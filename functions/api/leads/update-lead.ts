import { leadPatchInput, leadUpdated, leadUpdatedBody, parseLeadPatch } from '#shared/contract/lead.ts';
import { outcomeNotices } from '#shared/contract/notices.ts';
import { updateLead } from '#shared/contract/routes.ts';
import { applyPatch } from '#shared/domain/leads/lead.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { answer, endpoint, noticeUnknown } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  updateLead,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, leads: wiring.leads },
  async (request, { leads }) => {
    const { caller, id, body } = request;
    const patch = parseLeadPatch(body);
    const notices = [...outcomeNotices(patch.note, caller.environment), ...noticeUnknown(request, leadPatchInput)];
    const changed = await leads.change(caller, id as LeadId, (lead) => {
      const patched = applyPatch(lead, patch);
      return { write: patched.changed.length > 0 ? patched.lead : undefined, result: patched.changed };
    });
    if (!changed) throw new Failure('nao_encontrado');
    return answer(200, leadUpdated, leadUpdatedBody(id as LeadId, changed, notices));
  },
);
