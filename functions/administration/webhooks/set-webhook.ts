import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { setWebhook } from '#shared/administration/webhooks.ts';
import { planAddress, setAddress } from '#shared/domain/webhooks/set-address.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(setWebhook, wiring.noted, {
  register: wiring.partnerRegister,
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
  archive: wiring.deliveryArchive,
  addresses: wiring.addressCheck,
}).handler(async ({ params: { partner_id }, body: { url, replaces }, dry, inTime }, ports) => {
  const { clock, register, settings } = ports;
  const [partner, { before, refusal, waiting }] = await Promise.all([
    register.get(partner_id),
    planAddress(partner_id, url, ports, inTime),
  ]);
  const { validatedAt } = orNotFound(partner, `partner ${partner_id}`);
  if (refusal !== undefined && !dry) throw invalidField('url', refusal);
  const { host = '', pathname: path = '' } = refusal === undefined ? new URL(url) : {};
  return {
    about: partner_id,
    needsApproval: validatedAt !== undefined,
    target: { host, path },
    confirm: waiting > 0 ? String(partner_id) : undefined,
    preview: async () => ({
      partner_id,
      accepted: refusal === undefined,
      refusal: refusal ?? null,
      current_url: before?.url ?? null,
      waiting,
    }),
    change: async () => {
      const inProduction = validatedAt !== undefined;
      const address = { partnerId: partner_id, url, replaces, inProduction, now: clock() };
      const written = await setAddress(address, before, settings);
      if (!written)
        throw new AdministrationFailure('changed_meanwhile', {
          text: `The address of partner ${partner_id} was changed meanwhile: look at it again.`,
        });
      return { partner_id, url, enabled: written.enabled, secret: written.secret };
    },
  };
});
