import { leadPatchInput, leadUpdated, leadUpdatedBody, parseLeadPatch } from '#shared/contract/lead.ts';
import { outcomeNotices } from '#shared/contract/notices.ts';
import { updateLead } from '#shared/contract/routes.ts';
import { applyPatch } from '#shared/domain/leads/lead.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { fields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(updateLead, wiring.admission, { leads: wiring.leads })
  .use(fields(leadPatchInput, ({ body }) => parseLeadPatch(body)))
  .handler(async ({ caller, id, input: patch, notices }, { leads }) => {
    const allNotices = [outcomeNotices(patch.note, caller.environment), notices].flat();
    const changed = await leads.change(caller, id, (lead) => {
      const patched = applyPatch(lead, patch);
      return { write: patched.changed.length > 0 ? patched.lead : undefined, result: patched.changed };
    });
    if (!changed) throw new Failure('nao_encontrado');
    return answer(200, leadUpdated, leadUpdatedBody(id, changed, allNotices));
  });
