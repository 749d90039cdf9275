import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { partnerBody, setIncidentContact } from '#shared/administration/partners.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(setIncidentContact, wiring.noted, {
  register: wiring.partnerRegister,
}).handler(async ({ params: { partner_id }, body: { contact, replaces } }, { register }) => {
  orNotFound(await register.get(partner_id), `partner ${partner_id}`);
  return {
    about: partner_id,
    // The audit keeps each contact, and so shows which contact was valid at any time.
    target: { incident_contact: contact },
    change: async () => {
      const partner = await register.setIncidentContact(partner_id, contact, replaces);
      if (!partner)
        throw new AdministrationFailure('changed_meanwhile', {
          text: `The contact of partner ${partner_id} was changed meanwhile: look at the partner again.`,
        });
      return { partner: partnerBody(partner) };
    },
  };
});
