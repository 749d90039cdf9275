import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { checklistBody, keysText, validatePartner } from '#shared/administration/partners.ts';
import { STEPS } from '#shared/domain/partners/sandbox-checklist.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(validatePartner, wiring.noted, {
  register: wiring.partnerRegister,
  apiKeys: wiring.apiKeys,
  webhooks: wiring.webhookViews,
}).handler(async ({ params: { partner_id }, body: { incomplete } }, { clock, register, apiKeys, webhooks }) => {
  const [found, checklist, units, keys, sandbox, producao] = await Promise.all([
    register.get(partner_id),
    register.checklist(partner_id),
    register.units(partner_id),
    apiKeys.list(partner_id),
    webhooks.view({ partnerId: partner_id, environment: 'sandbox' }),
    webhooks.view({ partnerId: partner_id, environment: 'producao' }),
  ]);
  const { name, validatedAt: openSince } = orNotFound(found, `partner ${partner_id}`);
  const missing = checklist.missing.join(', ');
  if (missing !== '' && !incomplete)
    throw new AdministrationFailure('refused', {
      text: `The sandbox does not show ${missing}: with incomplete the partner is validated all the same.`,
    });
  return {
    about: partner_id,
    // One person may have set the addresses alone. After the validation, the partner uses them in production.
    needsApproval: true,
    isMade: openSince !== undefined,
    details: {
      partner_id: { name },
      missing: { value: missing || null },
      'webhook.sandbox': { value: sandbox?.url },
      'webhook.producao': { value: producao?.url },
      live_keys: { value: keysText(keys, units) },
    },
    target: { exercised: STEPS.length - checklist.missing.length, missing: checklist.missing.join(',') },
    change: async () => {
      // The checklist reads the partner's newest events, and from now on these may be production's. The steps are
      // stored before the validation, since they are true even if the validation fails.
      await register.noteSteps(partner_id, checklist.shown);
      const validatedAt = await register.validate(partner_id, clock(), { webhook: producao?.url });
      return { ...checklistBody(partner_id, validatedAt, checklist), validated_at: timestamp(validatedAt) };
    },
  };
});
