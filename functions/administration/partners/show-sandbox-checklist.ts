import { orNotFound } from '#shared/administration/failures.ts';
import { checklistBody, showSandboxChecklist } from '#shared/administration/partners.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(showSandboxChecklist, { register: wiring.partnerRegister }).handler(
  async ({ params: { partner_id } }, { register }) => {
    const [partner, checklist] = await Promise.all([register.get(partner_id), register.checklist(partner_id)]);
    const { validatedAt } = orNotFound(partner, `partner ${partner_id}`);
    return checklistBody(partner_id, validatedAt, checklist);
  },
);
