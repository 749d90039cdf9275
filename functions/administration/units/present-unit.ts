import { AdministrationFailure } from '#shared/administration/failures.ts';
import { presentUnit, requireUnit, unitBody } from '#shared/administration/units.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(presentUnit, wiring.noted, { register: wiring.partnerRegister }).handler(
  async ({ params: { unit_id }, body: { partner_id, replaces, ...texts } }, { register }) => {
    await requireUnit(register, partner_id, unit_id);
    const changed = Object.entries(texts).filter((text): text is [string, string] => text[1] !== undefined);
    if (changed.length === 0)
      throw new AdministrationFailure('field_required', {
        fields: [{ field: 'name', reason: 'is missing: send name, creci or contact' }],
      });
    return {
      about: partner_id,
      // The texts are printed in documents for customers. The audit keeps them, so that it can later be said which text
      // was printed, and when.
      target: { unit: unit_id, ...Object.fromEntries(changed) },
      change: async () => {
        const unit = await register.presentUnit(partner_id, unit_id, texts, replaces);
        if (!unit)
          throw new AdministrationFailure('changed_meanwhile', {
            text: `The texts of unit ${unit_id} were changed meanwhile: look at the unit again.`,
          });
        return { unit: unitBody(partner_id, unit) };
      },
    };
  },
);
