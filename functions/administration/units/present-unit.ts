import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { presentUnit, requireUnit, unitBody } from '#shared/administration/units.ts';
import { PRESENTED } from '#shared/domain/partners/partner.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(presentUnit, wiring.noted, { register: wiring.partnerRegister }).handler(
  async ({ params: { unit_id }, body: { partner_id, replaces = {}, ...texts } }, { clock, register }) => {
    const [unit, partner] = await Promise.all([requireUnit(register, partner_id, unit_id), register.get(partner_id)]);
    const sent = Object.entries(texts).filter((text): text is [string, string] => text[1] !== undefined);
    if (sent.length === 0)
      throw new AdministrationFailure('field_required', {
        fields: [{ field: 'name', reason: 'is missing: send name, creci or contact' }],
      });
    const seen = { name: unit.name, creci: unit.creci ?? '', contact: unit.contact ?? '' };
    const changedMeanwhile = new AdministrationFailure('changed_meanwhile', {
      text: `The texts of unit ${unit_id} were changed meanwhile: look at the unit again.`,
    });
    if (PRESENTED.some((field) => (replaces[field] ?? seen[field]) !== seen[field])) throw changedMeanwhile;
    const replaced = PRESENTED.filter((field) => (texts[field] ?? seen[field]) !== seen[field]);
    return {
      about: partner_id,
      // The texts stay when production is opened, so the validation of the partner makes no difference.
      needsApproval: true,
      details: {
        partner_id: { name: orNotFound(partner, `partner ${partner_id}`).name },
        unit_id: { name: unit.name },
        ...Object.fromEntries(replaced.map((field) => [field, { replaces: unit[field] }])),
      },
      // The audit must show later which text was printed in customers' documents, and when.
      target: { unit: unit_id, ...Object.fromEntries(sent) },
      change: async () => {
        const changed = await register.presentUnit(partner_id, unit_id, texts, clock(), seen);
        if (!changed) throw changedMeanwhile;
        return { unit: unitBody(partner_id, changed) };
      },
    };
  },
);
